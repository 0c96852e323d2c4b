import type { TeamCtx, TxCtx } from '../../context.ts';
import { giveBackEnded } from './tokens/give-back.ts';
import { revokePending } from './tokens/revoke.ts';
import type { Exports } from '../../privacy/export-rows.ts';

export const EXPORTS: Exports = {
  ofUser: [
    {
      type: 'connection',
      table: 'connections',
      key: ['provider'],
      without: ['tokens', 'tokens_expire_at', 'refreshing_until'],
    },
    { type: 'ended_agreement', table: 'ended_agreements', key: ['provider'] },
  ],
};

/** The tokens stay for a moment, without their user: the provider is told when the erasure is done. */
export async function eraseUser(ctx: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  const ended = await ctx.db
    .deleteFrom('connections')
    .where('user_id', '=', user.id)
    .where('team_id', '=', ctx.team.id)
    .returning(['user_id', 'provider', 'credential_id', 'tokens', 'external_user_id'])
    .execute();
  await giveBackEnded(ctx, ended);
}

/** Before the team itself: providers are told once more of what its users had connected, outside any transaction. */
export async function beforeTeam(ctx: TeamCtx): Promise<void> {
  await revokePending(ctx);
}

/** Connections have gone with their users. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('token_revocations').where('team_id', '=', team.id).execute();
}
