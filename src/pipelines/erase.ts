import type { TeamCtx, TxCtx } from '../context.ts';
import type { Exports } from '../privacy/export-rows.ts';

export const EXPORTS: Exports = {
  ofTeam: [{ type: 'ehr_pipeline', table: 'ehr_pipelines', key: ['ehr_type'], without: ['authentication'] }],
};

export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('ehr_pipelines').where('team_id', '=', team.id).execute();
}
