import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { findJob } from './find-job.ts';
import type { AsRead } from './finish-job.ts';
import { patientOf } from './match/patient-of.ts';
import type { LabReportToReview } from './schemas.ts';

/**
 * Finds a job as the person sees it who reviews it. Throws not_found, or user_scheduled_for_deletion if the user of the
 * job is scheduled for deletion.
 */
export async function findReview(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  jobId: string,
): Promise<Static<typeof LabReportToReview>> {
  const job = await findJob(ctx, jobId);
  const { user_id, as_read } = await ctx.db
    .selectFrom('lab_report_jobs')
    .select(['user_id', 'as_read'])
    .where('team_id', '=', ctx.team.id)
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow();
  const patient = job.data && (await patientOf(ctx, user_id, job.data.metadata));
  const read =
    as_read && ctx.cipher.openJson<AsRead>('lab_report_jobs.as_read', { team_id: ctx.team.id, id: jobId }, as_read);
  return {
    ...job,
    user_id,
    names_other_patient: patient === 'other',
    read_patient: read && read.patient,
    unread_lines: read ? read.unread_lines : [],
  };
}
