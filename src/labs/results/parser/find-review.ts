import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { findJob } from './find-job.ts';
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
  const { user_id } = await ctx.db
    .selectFrom('lab_report_jobs')
    .select('user_id')
    .where('team_id', '=', ctx.team.id)
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow();
  const patient = job.data && (await patientOf(ctx, user_id, job.data.metadata));
  return { ...job, names_other_patient: patient === 'other' };
}
