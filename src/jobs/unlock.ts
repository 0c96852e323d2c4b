import { sql } from 'kysely';
import type { Ctx } from '../context.ts';

/** For the one owner of an embedded server: jobs that look locked belong to a process that was killed, so they are free. */
export async function unlockAbandonedJobs(ctx: Ctx): Promise<void> {
  await sql`
    select graphile_worker.force_unlock_workers(array_agg(distinct locked_by))
      from graphile_worker.jobs where locked_by is not null having count(*) > 0`.execute(ctx.db);
}
