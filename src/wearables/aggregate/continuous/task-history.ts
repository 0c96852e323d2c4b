import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { decodeCursor, takePage } from '../../../db/page.ts';
import { findUser } from '../../../users/find.ts';
import { findContinuousQuery } from './find.ts';
import type { ContinuousQueryTaskHistory } from './schemas.ts';

export const isNumberOfTask = (key: unknown): key is number => Number.isSafeInteger(key);

/**
 * When a query was computed for a user, the newest run first; only the last ones are kept. Throws not_found for user or
 * query, user_scheduled_for_deletion, invalid_cursor.
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
  return { data: page.map(({ status, ...task }) => ({ ...task, status: told(status) })), ...more };
}

type Told = Static<typeof ContinuousQueryTaskHistory>['data'][number]['status'];

/** What the interface calls the statuses of a run. */
const TOLD = new Map<string, Told>([
  ['scheduled', 'scheduled'],
  ['in_progress', 'started'],
  ['success', 'completed'],
  ['superseded', 'completed'],
  ['failure', 'error'],
]);

const told = (status: string): Told => TOLD.get(status) as Told;
