import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { ManagementCtx } from '../../context.ts';
import { decodeCursor, isId, takePage } from '../../db/cursor.ts';
import { renderEhrPipeline, type EhrPipelineRow } from './render.ts';
import type { EhrPipelinePage } from './schemas.ts';

/**
 * The number of teams on a page. A team has at most one pipeline for each kind of EHR (electronic health record), and
 * all of them are on the same page.
 */
const TEAMS_ON_A_PAGE = 50;

/** Returns the EHR pipelines, ordered by team. `teams` is null for all teams of the organisation. */
export async function listEhrPipelines(
  ctx: ManagementCtx,
  teams: string[] | null,
  next_cursor: string | null,
): Promise<Static<typeof EhrPipelinePage>> {
  const after = next_cursor === null ? null : decodeCursor(next_cursor, isId);
  const { rows } = await sql<{ team_id: string }>`
    select distinct team_id from ehr_pipelines
     where org_id = ${ctx.org.id}
       and (${teams}::uuid[] is null or team_id = any (${teams}::uuid[]))
       and (${after}::uuid is null or team_id > ${after}::uuid)
       and exists (select from teams where teams.id = team_id and deleted_at is null)
     order by team_id limit ${TEAMS_ON_A_PAGE + 1}`.execute(ctx.db);
  const { page, next_cursor: next_token } = takePage(rows, TEAMS_ON_A_PAGE, ({ team_id }) => team_id);
  return {
    data: await findEhrPipelines(
      ctx,
      page.map(({ team_id }) => team_id),
    ),
    next_token,
  };
}

/** Returns the EHR pipelines of these teams, for one kind of EHR or for all kinds. */
export async function findEhrPipelines(
  ctx: ManagementCtx,
  teams: string[],
  ehrType: EhrPipelineRow['ehr_type'] | null = null,
): Promise<Static<typeof EhrPipelinePage>['data']> {
  const { rows } = await sql<EhrPipelineRow>`
    select team_id, ehr_type, base_url, authentication, allowed_mappers from ehr_pipelines
     where org_id = ${ctx.org.id} and team_id = any (${teams}::uuid[])
       and (${ehrType}::text is null or ehr_type = ${ehrType})
     order by team_id, ehr_type`.execute(ctx.db);
  return rows.map((row) => renderEhrPipeline(ctx, row));
}
