import type { TeamCtx, TxCtx } from '../../context.ts';

/** The lab tests that were made for the team, with what they consist of; the orders of them have gone before. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('lab_tests').where('team_id', '=', team.id).execute();
}
