import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { publishEvent } from '../../events/publish.ts';
import { connectionError } from './events.ts';
import { messageOf, type ConnectionError } from './messages.ts';

/**
 * Puts a connection in error and tells of it, once: one that is in error already, or is gone, stays as it is.
 * `details` is a code of the provider's answer, never its text, which could name a person.
 */
export function failConnection(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  { user_id, provider }: { user_id: string; provider: string },
  error: { type: ConnectionError; details: string },
): Promise<void> {
  return inTransaction(ctx as TeamCtx, async (ctx) => {
    const {
      rows: [failed],
    } = await sql<{ client_user_id: string }>`
      update connections
         set status = 'error', error_type = ${error.type}, errored_at = now(), updated_at = now()
        from users
       where connections.user_id = ${user_id} and connections.provider = ${provider}
         and connections.team_id = ${ctx.team.id} and connections.status <> 'error'
         and users.id = connections.user_id
      returning users.client_user_id`.execute(ctx.db);
    if (!failed) return;
    await publishEvent(ctx, connectionError, {
      user: { id: user_id, client_user_id: failed.client_user_id },
      data: {
        user_id,
        provider,
        error_type: error.type,
        message: messageOf(error.type),
        error_details: error.details,
      },
    });
  });
}
