import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { notFound } from '../../../errors.ts';
import { findUser } from '../../../users/find.ts';
import { findReview } from './find-review.ts';
import { matchReport } from './match/match-report.ts';
import type { ReadReport } from './parse/read-report.ts';
import { rangeOf } from './corrected-range.ts';
import type { CorrectedReport, LabReportResult, LabReportToReview, ParsedLabReportData } from './schemas.ts';

type Data = Static<typeof ParsedLabReportData>;
type Result = Static<typeof LabReportResult>;
type CorrectedResult = Static<typeof CorrectedReport>['results'][number];

/**
 * Replaces what Phial read in a report by what a person read, while the report waits for its review. The corrected rows
 * are matched and interpreted like rows that Phial reads. Rows that are sent back as they were answered stay as they
 * are. No event tells of it: the team hears of the report when somebody accepts it. Throws not_found if the report does
 * not wait for a review, and user_scheduled_for_deletion.
 */
export function correctReport(
  ctx: TeamCtx,
  jobId: string,
  corrected: Static<typeof CorrectedReport>,
): Promise<Static<typeof LabReportToReview>> {
  return inTransaction(ctx, async (tx) => {
    const { rows: waiting } = await sql<{ user_id: string; data: Buffer | null }>`
      select user_id, data from lab_report_jobs
       where id = ${jobId} and team_id = ${tx.team.id} and needs_human_review and not is_reviewed
         and status = 'completed' for update`.execute(tx.db);
    if (!waiting[0]) throw notFound('Parsing job that waits for a review');
    const { user_id, data: read } = waiting[0];
    await findUser(tx, user_id);
    const outcome = await matchReport(tx, user_id, [toReport(corrected)], true);
    const row = { team_id: tx.team.id, id: jobId };
    const before = read && tx.cipher.openJson<Data>('lab_report_jobs.data', row, read);
    const matched = 'data' in outcome ? outcome.data : null;
    const data = matched && {
      ...matched,
      results: withUnchanged(matched.results, corrected.results, before?.results ?? []),
    };
    const sealed = tx.cipher.sealJson('lab_report_jobs.data', row, data);
    await sql`
      update lab_report_jobs set data = ${sealed}, updated_at = now()
       where user_id = ${user_id} and id = ${jobId}`.execute(tx.db);
    return findReview(tx, jobId);
  });
}

/**
 * Returns the matched results, with those that were sent back as they were answered in their place. The answer has
 * neither flags nor whether the ends of a range are within it, so a new interpretation could differ.
 */
function withUnchanged(matched: Result[], corrected: CorrectedResult[], before: Result[]): Result[] {
  const left = [...before];
  return matched.map((result, n) => {
    const sent = corrected[n];
    const found = sent ? left.findIndex((read) => isUnchanged(sent, read)) : -1;
    const [read] = found === -1 ? [] : left.splice(found, 1);
    return read ? { ...read, source_panel_name: result.source_panel_name } : result;
  });
}

/** A correction that leaves out the ends of the range is not an answer that is sent back. */
const isUnchanged = (sent: CorrectedResult, read: Result): boolean =>
  !sent.reference_range &&
  !sent.flag &&
  sent.test_name === read.test_name &&
  sent.value === read.value &&
  (sent.units ?? null) === read.units &&
  sent.min_reference_range === read.min_reference_range &&
  sent.max_reference_range === read.max_reference_range;

/** Returns a corrected report in the form in which Phial reads reports. */
const toReport = ({ metadata, results }: Static<typeof CorrectedReport>): ReadReport => ({
  header: {
    patient_first_name: metadata.patient_first_name ?? null,
    patient_last_name: metadata.patient_last_name ?? null,
    dob: metadata.dob ?? null,
    gender: metadata.gender === 'other' ? null : (metadata.gender ?? null),
    lab_name: metadata.lab_name ?? null,
    date_reported: metadata.date_reported ?? null,
    date_collected: metadata.date_collected ?? null,
    specimen_number: metadata.specimen_number ?? null,
  },
  rows: results.map((result) => ({
    name: result.test_name,
    value: result.value,
    unit: result.units ?? null,
    range: rangeOf(result),
    flag: result.flag ?? null,
    panel: result.source_panel_name ?? null,
  })),
  unread: 0,
  unread_lines: [],
});
