import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { endLeases } from '../files/file-queue.ts';
import { giveAllLeasesBack } from '../labs/laboratories/hl7/outbox/take-waiting.ts';
import { LAB_REPORTS } from '../labs/results/parser/lab-report-queue.ts';
import { IMPORTS } from '../wearables/files/import-lease.ts';

/**
 * Releases every lock and lease. Only the process with the embedded server may call it. No other process runs then, so
 * every lock and lease belongs to a killed process.
 */
export async function unlockAbandonedJobs(ctx: Ctx): Promise<void> {
  await sql`
    select graphile_worker.force_unlock_workers(array_agg(distinct locked_by))
      from graphile_worker.jobs where locked_by is not null having count(*) > 0`.execute(ctx.db);
  for (const queue of [IMPORTS, LAB_REPORTS]) await endLeases(acrossTeams(ctx).db, queue);
  await giveAllLeasesBack(ctx);
}
