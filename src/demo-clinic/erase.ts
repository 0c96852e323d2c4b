import type { TeamCtx, TxCtx } from '../context.ts';

/** Deletes the progress of the demo clinic. What the clinic made is data as any other, which its modules erase. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: TeamCtx['team']): Promise<void> {
  await db.deleteFrom('demo_clinics').where('team_id', '=', team.id).execute();
}
