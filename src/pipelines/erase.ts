import type { TeamCtx, TxCtx } from '../context.ts';
import type { Exports } from '../privacy/export-rows.ts';

export const EXPORTS: Exports = {
  ofTeam: [
    { type: 'ehr_pipeline', table: 'ehr_pipelines', key: ['ehr_type'], without: ['authentication'] },
    {
      type: 'etl_pipeline',
      table: 'etl_pipelines',
      key: ['team_id'],
      without: ['sinks', 'cursor', 'revision', 'lease_id', 'lease_worker', 'lease_until', 'due_at', 'failures'],
    },
  ],
};

export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('etl_pipelines').where('team_id', '=', team.id).execute();
  await db.deleteFrom('ehr_pipelines').where('team_id', '=', team.id).execute();
}
