import type { TeamCtx, TxCtx } from '../../context.ts';

export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('source_priorities').where('team_id', '=', team.id).execute();
}
