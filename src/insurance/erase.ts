import type { TeamCtx, TxCtx } from '../context.ts';

export async function eraseUser({ db }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  await db.deleteFrom('insurances').where('user_id', '=', user.id).execute();
}

export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('insurances').where('team_id', '=', team.id).execute();
  // Their external codes go with them.
  await db.deleteFrom('payors').where('team_id', '=', team.id).execute();
}
