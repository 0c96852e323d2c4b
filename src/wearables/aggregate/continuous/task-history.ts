import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { decodeCursor, takePage } from '../../../db/cursor.ts';
import { findUser } from '../../../users/find.ts';
import { findContinuousQuery } from './find.ts';
import type { ContinuousQueryTaskHistory } from './schemas.ts';

export const isNumberOfTask = (key: unknown): key is number => Number.isSafeInteger(key);

/**
 * Returns the stored runs of a query for a user, the newest first. Phial stores only the last runs. Throws not_found
 * for user or query, user_scheduled_for_deletion, and invalid_cursor.
 */
export async function taskHistory(
  ctx: TeamCtx,
  { user_id, query_id_or_slug }: { user_id: string; query_id_or_slug: string },
  { next_cursor, limit }: { next_cursor: string | null; limit: number },
): Promise<Static<typeof ContinuousQueryTaskHistory>> {
  const user = await findUser(ctx, user_id);
  const query = await findContinuousQuery(ctx, query_id_or_slug);
  const rows = await ctx.db
    .selectFrom('continuous_query_tasks')
    .select(['number', 'trace_id', 'query_id', 'user_id', 'status', 'scheduled_at', 'started_at', 'ended_at'])
    .select('error as error_details')
    .where('user_id', '=', user.id)
    .where('query_id', '=', query.id)
    .where('team_id', '=', ctx.team.id)
    .$if(next_cursor !== null, (qb) =>
      qb.where('number', '<', String(decodeCursor(next_cursor as string, isNumberOfTask))),
    )
    .orderBy('number', 'desc')
    .limit(limit + 1)
    .execute();
  const { page, ...more } = takePage(rows, limit, ({ number }) => number);
  return { data: page.map(({ status, ...task }) => ({ ...task, status: taskStatusOf(status) })), ...more };
}

type TaskStatus = Static<typeof ContinuousQueryTaskHistory>['data'][number]['status'];

/** The status of a run in responses, by the status in the database. */
const TASK_STATUSES = new Map<string, TaskStatus>([
  ['scheduled', 'scheduled'],
  ['in_progress', 'started'],
  ['success', 'completed'],
  ['superseded', 'completed'],
  ['failure', 'error'],
]);

const taskStatusOf = (status: string): TaskStatus => TASK_STATUSES.get(status) as TaskStatus;
