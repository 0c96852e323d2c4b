import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { publishEvent } from '../../events/publish.ts';
import { endAgreement } from './tokens/ended-agreements.ts';
import { connectionError } from './events.ts';
import { messageOf, type ConnectionError } from './error-messages.ts';
import { openTokens } from './tokens/sealed-tokens.ts';

/**
 * Sets the status of a connection to `error` and publishes an event. Changes nothing if the connection is already in
 * error, is paused or does not exist. So repeated failures publish only one event. `details` is a code from the
 * provider's response. It is never a text of the response, because a text could name a person. `refused` is the access
 * token that the provider refused. If the connection has another token by now, changes nothing and returns false.
 */
export function failConnection(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  { user_id, provider }: { user_id: string; provider: string },
  error: { type: ConnectionError; details: string },
  refused?: string,
): Promise<boolean> {
  return inTransaction(ctx, async (ctx) => {
    if (refused !== undefined && !(await isItsToken(ctx, { user_id, provider }, refused))) return false;
    const {
      rows: [failed],
    } = await sql<{ client_user_id: string }>`
      update connections
         set status = 'error', error_type = ${error.type}, errored_at = now(), updated_at = now()
        from users
       where connections.user_id = ${user_id} and connections.provider = ${provider}
         and connections.team_id = ${ctx.team.id} and connections.status = 'connected'
         and users.id = connections.user_id
      returning users.client_user_id`.execute(ctx.db);
    if (!failed) return true;
    if (error.type === 'deregistered_per_provider') await endAgreement(ctx, { user_id, provider });
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
    return true;
  });
}

/** Whether the connection still has this access token. Locks the row until the commit. */
async function isItsToken(
  ctx: TxCtx<TeamCtx>,
  { user_id, provider }: { user_id: string; provider: string },
  token: string,
): Promise<boolean> {
  const row = await ctx.db
    .selectFrom('connections')
    .select(['tokens', 'tokens_expire_at'])
    .where('user_id', '=', user_id)
    .where('provider', '=', provider)
    .where('team_id', '=', ctx.team.id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return (
    row !== undefined &&
    openTokens(ctx, { team_id: ctx.team.id, id: `${user_id}/${provider}` }, row)?.access_token === token
  );
}
