import type { TeamCtx, TxCtx } from '../../context.ts';
import { queueEndedRevocations } from './tokens/queue-revocations.ts';
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

/**
 * Erases the connections of a user. Phial notifies the providers after the erasure. For this it stores the tokens for a
 * short time, without the user.
 */
export async function eraseUser(ctx: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  const ended = await ctx.db
    .deleteFrom('connections')
    .where('user_id', '=', user.id)
    .where('team_id', '=', ctx.team.id)
    .returning(['user_id', 'provider', 'credential_id', 'tokens', 'external_user_id'])
    .execute();
  await queueEndedRevocations(ctx, ended);
}

/**
 * Tries once more to notify the providers about connections that have ended. Runs before the erasure of the team,
 * outside any transaction.
 */
export async function beforeTeam(ctx: TeamCtx): Promise<void> {
  await revokePending(ctx);
}

/**
 * Erases the tokens of the team that were to be revoked. The erasure of the team's users has erased the connections
 * before.
 */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('token_revocations').where('team_id', '=', team.id).execute();
}
