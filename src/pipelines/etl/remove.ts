import type { TeamsCtx } from '../../context.ts';
import { findEtlPipelines } from './list.ts';
import type { EtlPipeline } from './schemas.ts';

/** Removes the pipelines of these teams and returns them. Events that are being published now may still arrive. */
export async function removeEtlPipelines(ctx: TeamsCtx, teams: string[]): Promise<EtlPipeline[]> {
  const had = await findEtlPipelines(ctx, teams);
  await ctx.db.deleteFrom('etl_pipelines').where('org_id', '=', ctx.org.id).where('team_id', 'in', teams).execute();
  return had;
}
