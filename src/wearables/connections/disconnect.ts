import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import { findUser } from '../../users/find.ts';
import { endAgreement } from './tokens/ended-agreements.ts';
import { queueEndedRevocations } from './tokens/queue-revocations.ts';

/**
 * Ends a connection. A job notifies the provider later. The data of the connection stays, unless the provider's rules
 * require its deletion some weeks later. Throws not_found if the user or the connection does not exist.
 */
export function disconnect(ctx: TeamCtx, userId: string, provider: string): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    await findUser(ctx, userId);
    const ended = await ctx.db
      .deleteFrom('connections')
      .where('user_id', '=', userId)
      .where('provider', '=', provider)
      .where('team_id', '=', ctx.team.id)
      .returning(['user_id', 'provider', 'credential_id', 'tokens', 'external_user_id'])
      .executeTakeFirst();
    if (!ended) throw notFound('Connection of this user to this provider');
    await endAgreement(ctx, ended);
    await queueEndedRevocations(ctx, [ended]);
  });
}
