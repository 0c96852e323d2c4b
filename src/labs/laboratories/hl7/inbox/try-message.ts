import { sql } from 'kysely';
import type { Ctx } from '../../../../context.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';
import { applyMessage, type Applied } from './apply-message.ts';

/** A message that has been begun so often and never came to an end waits for the operator. */
export const MOST_TRIES = 20;

/**
 * Applies a message without an operator. The try is counted before and committed on its own: a message that ends the
 * process each time is not taken for ever, but fails as `given_up`, also where the laboratory sends it again.
 */
export async function tryMessage(ctx: Ctx, id: string): Promise<Applied> {
  const { db } = acrossTeams(ctx);
  const { rows } = await sql<Applied>`
    update hl7_messages set tries = tries + 1,
           state = case when tries >= ${MOST_TRIES} then 'failed' else state end,
           reason = case when tries >= ${MOST_TRIES} then 'given_up' else reason end
     where id = ${id} and (state = 'received' or (state = 'failed' and reason = 'given_up' and tries >= ${MOST_TRIES}))
    returning state, reason`.execute(db);
  if (rows[0]?.state === 'failed') return rows[0];
  try {
    return await applyMessage(ctx, id);
  } catch (error) {
    await sql`update hl7_messages set reason = 'internal_error' where id = ${id} and state = 'received'`.execute(db);
    throw error;
  }
}
