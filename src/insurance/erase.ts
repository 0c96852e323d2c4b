import type { TeamCtx, TxCtx } from '../context.ts';

export async function eraseUser({ db }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  await db.deleteFrom('insurances').where('user_id', '=', user.id).execute();
}

/** Payors, and with them their external codes; insurances go with their users. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('payors').where('team_id', '=', team.id).execute();
}
