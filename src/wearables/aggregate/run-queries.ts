import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { findUser } from '../../users/find.ts';
import { prioritiesOf } from '../priorities/list.ts';
import { PRIORITY_TYPES, type PriorityType } from '../priorities/schemas.ts';
import { querySql, type QueryScope } from './query-sql.ts';
import type { AggregationResponse, QueryBatch } from './schemas.ts';
import { daysOf, type Timeframe } from './timeframe.ts';

/** A year of hours, and a little more. */
const MOST_ROWS = 10_000;

/**
 * Answers queries over one user's data, a statement each. Throws not_found or user_scheduled_for_deletion for the user,
 * too_many_matches where a table would have more than 10,000 rows.
 */
export async function runQueries(
  ctx: TeamCtx,
  userId: string,
  { timeframe, queries, config }: Static<typeof QueryBatch>,
): Promise<Static<typeof AggregationResponse>> {
  const user = await findUser(ctx, userId);
  const scope: Omit<QueryScope, 'providers'> = {
    userId: user.id,
    teamId: ctx.team.id,
    ...daysOf(timeframe as Timeframe),
    timeZone: user.fallback_time_zone ?? 'UTC',
    weekStartsOn: config?.week_starts_on ?? 'monday',
    limit: MOST_ROWS + 1,
  };
  const results: Static<typeof AggregationResponse>['results'] = [];
  for (const query of queries) {
    const providers = config?.provider_priority_overrides ?? (await prioritiesOf(ctx, kindOf(query)));
    const { names, statement } = querySql(query, { ...scope, providers });
    const { rows } = await statement.execute(ctx.db);
    if (rows.length > MOST_ROWS) {
      throw new AppError(
        'too_many_matches',
        `The answer would have more than ${MOST_ROWS} rows. Ask for a shorter timeframe or larger groups.`,
      );
    }
    const columns = names.map((name, index) => [
      name,
      rows.map((row) => (row as Record<string, number | string | null>)[`c${index}`] ?? null),
    ]);
    results.push({ table: Object.fromEntries(columns) as Record<string, (number | string | null)[]> });
  }
  return { results };
}

/** Under which kind of data the team has chosen an order of providers. */
function kindOf({ select }: Static<typeof QueryBatch>['queries'][number]): PriorityType {
  const column = (select.find(({ arg }) => arg)?.arg ?? {}) as Record<string, unknown>;
  const summary = PRIORITY_TYPES.find((type) => column[type === 'workouts' ? 'workout' : type]);
  return summary ?? 'timeseries';
}
