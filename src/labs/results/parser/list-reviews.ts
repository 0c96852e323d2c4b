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

/** Returns the team's lab reports that wait for a review, the oldest first. */
export async function listReviewsOfTeam(
  { db, team }: TeamCtx,
  { next_cursor, limit }: Static<typeof LabReportReviewQuery>,
): Promise<Static<typeof LabReportReviewPage>> {
  const after = next_cursor === undefined ? MIN_ID : decodeCursor(next_cursor, isId);
  const { rows } = await sql<Review>`
    select j.id as job_id, j.user_id, j.created_at,
           (select count(*) from lab_report_files f where f.job_id = j.id and f.team_id = j.team_id)::int as files
      from ${waitingForReview(team.id)} and j.id > ${after}
     order by j.id limit ${limit + 1}`.execute(db);
  const { page, ...rest } = takePage(rows, limit, ({ job_id }) => job_id);
  return { data: page, ...rest };
}
