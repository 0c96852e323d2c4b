import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { takeBackLabReports } from '../labs/results/parser/claim.ts';
import { takeBackImports } from '../wearables/files/claim.ts';

/** For the one owner of an embedded server: what looks locked or leased belongs to a process that was killed, so it is free. */
export async function unlockAbandonedJobs(ctx: Ctx): Promise<void> {
  await sql`
    select graphile_worker.force_unlock_workers(array_agg(distinct locked_by))
      from graphile_worker.jobs where locked_by is not null having count(*) > 0`.execute(ctx.db);
  await takeBackImports(acrossTeams(ctx).db);
  await takeBackLabReports(acrossTeams(ctx).db);
}
