import { sql } from 'kysely';
import type { Ctx } from '../../../../context.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';
import { applyMessage, type Applied } from './apply-message.ts';

/** The most times that we try to apply a message. After that the message waits for the operator. */
export const MAX_TRIES = 20;

/**
 * Applies a message without an operator. A message may end the process each time, for example because it needs too much
 * memory. So the function commits a higher number of tries before it begins. After the last try the message fails as
 * `given_up`, even if the laboratory sends it again.
 */
export async function tryMessage(ctx: Ctx, id: string): Promise<Applied> {
  const { db } = acrossTeams(ctx);
  const { rows } = await sql<Applied>`
    update hl7_messages set tries = tries + 1,
           state = case when tries >= ${MAX_TRIES} then 'failed' else state end,
           reason = case when tries >= ${MAX_TRIES} then 'given_up' else reason end
     where id = ${id} and (state = 'received' or (state = 'failed' and reason = 'given_up' and tries >= ${MAX_TRIES}))
    returning state, reason`.execute(db);
  if (rows[0]?.state === 'failed') return rows[0];
  try {
    return await applyMessage(ctx, id);
  } catch (error) {
    await sql`update hl7_messages set reason = 'internal_error' where id = ${id} and state = 'received'`.execute(db);
    throw error;
  }
}
