import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { publishEvent } from '../../../events/publish.ts';
import type { ClaimedReport } from './lab-report-queue.ts';
import { parsingJobUpdated } from './events.ts';
import { renderJob, type JobRow } from './find-job.ts';
import type { FAILURE_REASONS, LabReportToReview, ParsedLabReportData } from './schemas.ts';

export type FailureReason = (typeof FAILURE_REASONS)[number];
export type Outcome =
  | { failure: FailureReason }
  /** The data that we read. null if we could read nothing. */
  | { data: Static<typeof ParsedLabReportData> | null; needsReview: boolean; asRead: AsRead };

/** What the person sees who reviews the report, also after a correction of the data. */
export type AsRead = Pick<Static<typeof LabReportToReview>, 'unread_lines'> & {
  patient: NonNullable<Static<typeof LabReportToReview>['read_patient']>;
};

/**
 * Stores the outcome of a job and publishes it, if the caller still has the lease. If the customer requested a review,
 * a person must review the job in any case.
 */
export function finishJob(ctx: TeamCtx, { user_id, id, lease }: ClaimedReport, outcome: Outcome): Promise<void> {
  return inTransaction(ctx, async (tx) => {
    const { db, team, cipher } = tx;
    // We lock the user's row first, as the erasure of a user does. With the same order of locks, this transaction and
    // an erasure cannot deadlock.
    const { rows: users } = await sql<{ id: string; client_user_id: string }>`
      select id, client_user_id from users where id = ${user_id} and team_id = ${team.id} for key share`.execute(db);
    const [user] = users;
    if (!user) return;
    const [failure, data, needsReview] =
      'failure' in outcome ? [outcome.failure, null, false] : [null, outcome.data, outcome.needsReview];
    const row = { team_id: team.id, id };
    const sealed = data && cipher.sealJson('lab_report_jobs.data', row, data);
    const asRead = 'asRead' in outcome ? cipher.sealJson('lab_report_jobs.as_read', row, outcome.asRead) : null;
    const { rows } = await sql<JobRow>`
      update lab_report_jobs
         set status = ${failure === null ? 'completed' : 'failed'}, failure_reason = ${failure}, data = ${sealed},
             as_read = ${asRead}, needs_human_review = needs_human_review or ${needsReview}, lease = null,
             updated_at = now(), ended_at = now()
       where user_id = ${user_id} and id = ${id} and team_id = ${team.id} and lease = ${lease} and status = 'running'
      returning user_id, id, team_id, status, failure_reason, needs_human_review, is_reviewed, data`.execute(db);
    if (rows[0]) await publishEvent(tx, parsingJobUpdated, { user, data: renderJob(tx, rows[0]) });
  });
}
