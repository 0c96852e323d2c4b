// Functions for the operator of the service, who reviews lab reports that a person must check.
import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Ctx, TeamCtx } from '../../../context.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError, notFound } from '../../../errors.ts';
import { publishEvent } from '../../../events/publish.ts';
import { findTeamScopeOrNull, forTeam } from '../../../tenancy/teams/team-scope.ts';
import { findUser } from '../../../users/find.ts';
import { parsingJobUpdated } from './events.ts';
import { renderJob, type JobRow } from './find-job.ts';
import { findReview } from './find-review.ts';
import type { AcceptLabReportQuery, LabReportToReview } from './schemas.ts';

/** A report that waits for a review. It contains ids but no data of the report. */
export type ToReview = { job_id: string; team_id: string; user_id: string; files: number; created_at: string };

const MAX_LISTED = 500;

/**
 * Lists the reports that wait for a review, oldest first. `teamId` is null for all teams. The list does not contain
 * reports of users who are scheduled for deletion.
 */
export async function listToReview(ctx: Ctx, teamId: string | null): Promise<ToReview[]> {
  const { rows } = await sql<ToReview>`
    select j.id as job_id, j.team_id, j.user_id, j.created_at,
           (select count(*)::int from lab_report_files f where f.job_id = j.id and f.team_id = j.team_id) as files
      from lab_report_jobs j join users on users.id = j.user_id and users.deleted_at is null
     where j.needs_human_review and not j.is_reviewed and j.status = 'completed'
       and (${teamId}::uuid is null or j.team_id = ${teamId})
     order by j.id limit ${MAX_LISTED}`.execute(acrossTeams(ctx).db);
  return rows;
}

/** Returns the context of the team to which a job belongs. Throws not_found. */
export async function findJobScope(ctx: Ctx, jobId: string): Promise<TeamCtx> {
  const { rows } = await sql<{ team_id: string }>`
    select team_id from lab_report_jobs where id = ${jobId}`.execute(acrossTeams(ctx).db);
  const team = rows[0] && (await findTeamScopeOrNull(ctx, rows[0].team_id));
  if (!team) throw notFound('Parsing job');
  return forTeam(ctx, team);
}

/**
 * Records that a person has reviewed the report, and publishes this. A second call changes nothing. Throws not_found if
 * the report needs no review, user_scheduled_for_deletion, and report_of_other_patient if it names another patient
 * than the user and the person has not confirmed that it is of the user.
 */
export function reviewJob(
  ctx: TeamCtx,
  jobId: string,
  { confirm_patient }: Static<typeof AcceptLabReportQuery>,
): Promise<Static<typeof LabReportToReview>> {
  return inTransaction(ctx, async (tx) => {
    const { rows } = await sql<JobRow>`
      update lab_report_jobs set is_reviewed = true, updated_at = now()
       where id = ${jobId} and team_id = ${tx.team.id} and needs_human_review and not is_reviewed
         and status = 'completed'
      returning user_id, id, team_id, status, failure_reason, needs_human_review, is_reviewed, data`.execute(tx.db);
    const [row] = rows;
    const job = await findReview(tx, jobId);
    if (!job.is_reviewed) throw notFound('Parsing job that waits for a review');
    if (!row) return job;
    if (job.names_other_patient && !confirm_patient) {
      throw new AppError(
        'report_of_other_patient',
        'The report names another patient than its user. Correct it, or send confirm_patient=true if it is of the user.',
      );
    }
    const user = await findUser(tx, row.user_id);
    await publishEvent(tx, parsingJobUpdated, { user, data: renderJob(tx, row) });
    return job;
  });
}
