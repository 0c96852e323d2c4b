import type { TeamCtx, TxCtx } from '../../context.ts';

/** Polls go with their connection. */
export async function eraseUser({ db, team }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  await db.deleteFrom('pulls').where('user_id', '=', user.id).where('team_id', '=', team.id).execute();
}
