import type { TeamCtx, TxCtx } from '../../../context.ts';
import { giveBackLater, type Given } from './revoke.ts';

/**
 * Has the provider told that tokens of the user are not used, unless a connection of the team may stand on the same
 * agreement, which some providers end with any of its tokens: one to the same account, or one of this user to an account
 * that is not known. After the change that leaves the tokens unused, in its transaction.
 */
export async function revokeUnused(ctx: TxCtx<TeamCtx>, user: { id: string }, given: Given): Promise<void> {
  const { provider, external_user_id: id } = given;
  const hash = id === null ? null : ctx.cipher.lookupHash('external_user', provider, id);
  const other = await ctx.db
    .selectFrom('connections')
    .select('user_id')
    .where('provider', '=', provider)
    .where('team_id', '=', ctx.team.id)
    .where('tokens', 'is not', null)
    .where((eb) => {
      const own = eb('user_id', '=', user.id);
      return hash === null
        ? own
        : eb.or([eb('external_user_hash', '=', hash), eb.and([own, eb('external_user_hash', 'is', null)])]);
    })
    .limit(1)
    .executeTakeFirst();
  if (!other) await giveBackLater(ctx, [given]);
}
