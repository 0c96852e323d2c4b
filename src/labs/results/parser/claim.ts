import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Ctx, TeamCtx } from '../../../context.ts';
import type { Db } from '../../../db/open.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { lockName } from '../../../db/session/named-lock.ts';

/** A job that this process works on as long as nobody else has another lease of it. */
export type Claimed = { user_id: string; id: string; team_id: string; lease: string; attempts: number };

/** Longer than all files of a job may take to be read. */
const LEASE_SECONDS = 360;
export const MOST_ATTEMPTS = 3;

/**
 * The job whose turn it is, now the caller's; null where there is none. Teams take turns, the one first that has waited
 * longest since its last job, and a team has one under way. What a process left when it was killed comes again.
 */
export function claimNext(ctx: Ctx): Promise<Claimed | null> {
  return inTransaction(acrossTeams(ctx), async ({ db }) => {
    // Two that look at once would each find the same team free.
    await lockName(db, 'claim of a lab report');
    const { rows } = await sql<Claimed>`
      update lab_report_jobs set status = 'running', lease = ${randomUUID()},
             lease_until = now() + make_interval(secs => ${LEASE_SECONDS}), attempts = lab_report_jobs.attempts + 1
        from (
          select user_id, id from lab_report_jobs as waiting
           where (status = 'queued' or (status = 'running' and lease_until < now()))
             and not exists (select from lab_report_jobs as other where other.team_id = waiting.team_id
                               and other.status = 'running' and other.lease_until >= now())
           order by (select max(ended_at) from lab_report_jobs as ended where ended.team_id = waiting.team_id) nulls first,
                    created_at, id
           limit 1
        ) as next
       where lab_report_jobs.user_id = next.user_id and lab_report_jobs.id = next.id
      returning lab_report_jobs.user_id, lab_report_jobs.id, lab_report_jobs.team_id, lab_report_jobs.lease,
                lab_report_jobs.attempts`.execute(db);
    return rows[0] ?? null;
  });
}

/** Ends the leases of processes that are known to be gone. */
export async function takeBackLabReports(db: Db): Promise<void> {
  await sql`update lab_report_jobs set lease_until = now() - interval '1 second' where status = 'running'`.execute(db);
}

/** Puts it back in the queue, as a process does that stops. */
export async function giveBack(ctx: TeamCtx, { user_id, id, lease }: Claimed): Promise<void> {
  await sql`
    update lab_report_jobs set status = 'queued', lease = null, attempts = attempts - 1
     where user_id = ${user_id} and id = ${id} and team_id = ${ctx.team.id} and lease = ${lease}`.execute(ctx.db);
}
