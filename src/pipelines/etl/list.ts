import type { Static } from 'typebox';
import type { ManagementCtx } from '../../context.ts';
import { decodeCursor, isId, takePage } from '../../db/cursor.ts';
import { ETL_COLUMNS, renderEtlPipeline } from './render.ts';
import type { EtlPipeline, EtlPipelinePage } from './schemas.ts';

const ON_A_PAGE = 50;

/** Returns the pipelines, ordered by team. `teams` is null for all teams of the organisation. */
export async function listEtlPipelines(
  ctx: ManagementCtx,
  teams: string[] | null,
  cursor: string | null,
): Promise<Static<typeof EtlPipelinePage>> {
  const after = cursor === null ? null : decodeCursor(cursor, isId);
  let asked = ofOrg(ctx)
    .where('team_id', 'in', ({ selectFrom }) => selectFrom('teams').select('id').where('deleted_at', 'is', null))
    .limit(ON_A_PAGE + 1);
  if (teams !== null) asked = asked.where('team_id', 'in', teams);
  if (after !== null) asked = asked.where('team_id', '>', after);
  const { page, next_cursor } = takePage(await asked.execute(), ON_A_PAGE, ({ team_id }) => team_id);
  return { pipelines: page.map((row) => renderEtlPipeline(ctx.cipher, row)), next_cursor };
}

/** Returns the pipelines of these teams. */
export async function findEtlPipelines(ctx: ManagementCtx, teams: string[]): Promise<EtlPipeline[]> {
  const rows = await ofOrg(ctx).where('team_id', 'in', teams).execute();
  return rows.map((row) => renderEtlPipeline(ctx.cipher, row));
}

const ofOrg = ({ db, org }: ManagementCtx) =>
  db.selectFrom('etl_pipelines').select(ETL_COLUMNS).where('org_id', '=', org.id).orderBy('team_id');
