import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { notFound } from '../../../errors.ts';
import { findUser } from '../../../users/find.ts';
import { findJob } from './find-job.ts';
import { matchReport } from './match/match-report.ts';
import type { ReadReport } from './parse/read-report.ts';
import type { CorrectedReport, ParsingJobWithFiles } from './schemas.ts';

/**
 * Replaces what Phial read in a report by what a person read, while the report waits for its review. The corrected rows
 * are matched and interpreted like rows that Phial reads. No event tells of it: the team hears of the report when
 * somebody accepts it. Throws not_found if the report does not wait for a review, and user_scheduled_for_deletion.
 */
export function correctReport(
  ctx: TeamCtx,
  jobId: string,
  corrected: Static<typeof CorrectedReport>,
): Promise<Static<typeof ParsingJobWithFiles>> {
  return inTransaction(ctx, async (tx) => {
    const { rows: waiting } = await sql<{ user_id: string }>`
      select user_id from lab_report_jobs
       where id = ${jobId} and team_id = ${tx.team.id} and needs_human_review and not is_reviewed
         and status = 'completed' for update`.execute(tx.db);
    if (!waiting[0]) throw notFound('Parsing job that waits for a review');
    const { user_id } = waiting[0];
    await findUser(tx, user_id);
    const outcome = await matchReport(tx, user_id, [toReport(corrected)], true);
    const row = { team_id: tx.team.id, id: jobId };
    const sealed = tx.cipher.sealJson('lab_report_jobs.data', row, 'data' in outcome ? outcome.data : null);
    await sql`
      update lab_report_jobs set data = ${sealed}, updated_at = now()
       where user_id = ${user_id} and id = ${jobId}`.execute(tx.db);
    return findJob(tx, jobId);
  });
}

/** Returns a corrected report in the form in which Phial reads reports. */
const toReport = ({ metadata, results }: Static<typeof CorrectedReport>): ReadReport => ({
  header: {
    patient_first_name: metadata.patient_first_name ?? null,
    patient_last_name: metadata.patient_last_name ?? null,
    dob: metadata.dob ?? null,
    gender: metadata.gender ?? null,
    lab_name: metadata.lab_name ?? null,
    date_reported: metadata.date_reported ?? null,
    date_collected: metadata.date_collected ?? null,
    specimen_number: metadata.specimen_number ?? null,
  },
  rows: results.map(({ test_name, value, units, reference_range, flag, source_panel_name }) => ({
    name: test_name,
    value,
    unit: units ?? null,
    range: reference_range ?? null,
    flag: flag ?? null,
    panel: source_panel_name ?? null,
  })),
  unread: 0,
});
