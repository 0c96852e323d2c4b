import type { TeamCtx, TxCtx } from '../../context.ts';
import type { Exports } from '../../privacy/export-rows.ts';

export const EXPORTS: Exports = {
  ofTeam: [{ type: 'data_pull_preference', table: 'data_pull_preferences', key: ['provider'] }],
};

/** Erases the pulls of a user. The erasure of a connection erases its polls. */
export async function eraseUser({ db, team }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  await db.deleteFrom('pulls').where('user_id', '=', user.id).where('team_id', '=', team.id).execute();
}

export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('data_pull_preferences').where('team_id', '=', team.id).execute();
  await db.deleteFrom('team_provider_waits').where('team_id', '=', team.id).execute();
}
