import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { decodeCursor, isId, takePage } from '../../../db/cursor.ts';
import { MIN_ID } from '../../../ids.ts';
import type { LabReportReviewPage, LabReportReviewQuery } from './schemas.ts';

type Review = Static<typeof LabReportReviewPage>['data'][number];

/** SQL: the lab reports (`j`) of a team that wait for a review, for a `from`. An index has only these. */
export const waitingForReview = (teamId: string) => sql`
      lab_report_jobs j join users on users.id = j.user_id and users.deleted_at is null
     where j.team_id = ${teamId} and j.needs_human_review and not j.is_reviewed and j.status = 'completed'`;

/** SQL: the same of the reports that were accepted, or of all that need or needed a review. */
const everReviewed = (teamId: string, isAccepted: boolean | null) => sql`
      lab_report_jobs j join users on users.id = j.user_id and users.deleted_at is null
     where j.team_id = ${teamId} and j.needs_human_review and j.status = 'completed'
       and (${isAccepted}::boolean is null or j.is_reviewed = ${isAccepted})`;

/**
 * Returns the team's lab reports that a person has to review, the oldest first. Those that were accepted, and all
 * together, come with the newest first.
 */
export async function listReviewsOfTeam(
  { db, team }: TeamCtx,
  { status, next_cursor, limit }: Static<typeof LabReportReviewQuery>,
): Promise<Static<typeof LabReportReviewPage>> {
  const after = next_cursor === undefined ? null : decodeCursor(next_cursor, isId);
  const reports =
    status === 'to_review'
      ? sql`${waitingForReview(team.id)} and j.id > ${after ?? MIN_ID} order by j.id`
      : sql`${everReviewed(team.id, status === 'accepted' ? true : null)}
              and (${after}::uuid is null or j.id < ${after}) order by j.id desc`;
  const { rows } = await sql<Review>`
    select j.id as job_id, j.user_id, j.created_at, j.is_reviewed,
           (select count(*) from lab_report_files f where f.job_id = j.id and f.team_id = j.team_id)::int as files
      from ${reports} limit ${limit + 1}`.execute(db);
  const { page, ...rest } = takePage(rows, limit, ({ job_id }) => job_id);
  return { data: page, ...rest };
}
