import type { TeamsCtx } from '../../context.ts';
import { findEtlPipelines } from './list.ts';
import type { EtlPipeline } from './schemas.ts';

/** Those that these teams had; what is being published at this moment may still arrive. */
export async function removeEtlPipelines(ctx: TeamsCtx, teams: string[]): Promise<EtlPipeline[]> {
  const had = await findEtlPipelines(ctx, teams);
  await ctx.db.deleteFrom('etl_pipelines').where('org_id', '=', ctx.org.id).where('team_id', 'in', teams).execute();
  return had;
}
