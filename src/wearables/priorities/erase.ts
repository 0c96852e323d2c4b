import type { TeamCtx, TxCtx } from '../../context.ts';
import type { Exports } from '../../privacy/export-rows.ts';

export const EXPORTS: Exports = {
  ofTeam: [{ type: 'source_priority', table: 'source_priorities', key: ['data_type'] }],
};

export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('source_priorities').where('team_id', '=', team.id).execute();
}
