import { sql } from 'kysely';
import type { TeamsCtx } from '../../context.ts';
import { findEhrPipelines } from './list.ts';
import type { EhrPipeline } from './schemas.ts';

/** Removes the pipelines of these teams for this kind of EHR, and returns them. */
export async function removeEhrPipelines(
  ctx: TeamsCtx,
  teams: string[],
  ehrType: EhrPipeline['ehr_type'],
): Promise<EhrPipeline[]> {
  const had = await findEhrPipelines(ctx, teams, ehrType);
  await sql`
    delete from ehr_pipelines
     where org_id = ${ctx.org.id} and team_id = any (${teams}::uuid[]) and ehr_type = ${ehrType}`.execute(ctx.db);
  return had;
}
