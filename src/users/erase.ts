import type { TeamCtx, TxCtx } from '../context.ts';

/** What users own; orders, insurance and events have gone before, since their rows point here. */
export async function eraseUser({ db }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  await db.deleteFrom('user_info').where('user_id', '=', user.id).execute();
  await db.deleteFrom('client_user_ids').where('user_id', '=', user.id).execute();
  await db.deleteFrom('users').where('id', '=', user.id).execute();
}

export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('user_info').where('team_id', '=', team.id).execute();
  await db.deleteFrom('client_user_ids').where('team_id', '=', team.id).execute();
  await db.deleteFrom('users').where('team_id', '=', team.id).execute();
}
