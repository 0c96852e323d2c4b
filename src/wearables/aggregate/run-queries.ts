import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { findUser } from '../../users/find.ts';
import { newByteAllowance } from './byte-allowance.ts';
import { computeTable, valuesOf, zoneOf } from './compute-table.ts';
import { planOf } from './read-query.ts';
import type { AggregationResponse, QueryBatch } from './schemas.ts';
import { daysOf, type Timeframe } from './timeframe.ts';

/** The most rows of a table. A year has 8,760 hours, so a table can have a row for each of them. */
const MAX_ROWS = 10_000;
/** The most values that all tables may have together. */
const MAX_VALUES = 50_000;

/**
 * Computes queries over the data of one user, one query after the other. Throws not_found or
 * user_scheduled_for_deletion for the user. Throws too_many_matches in four cases: a table would have more than 10,000
 * rows; all tables together would have more than 50,000 values; or more than 4 MiB of texts; or the queries would
 * decrypt more than 16 MiB of texts.
 */
export async function runQueries(
  ctx: TeamCtx,
  userId: string,
  { timeframe, queries, config = null }: Static<typeof QueryBatch>,
): Promise<Static<typeof AggregationResponse>> {
  const user = await findUser(ctx, userId);
  const scope = {
    ...daysOf(timeframe as Timeframe, zoneOf(user)),
    maxRows: MAX_ROWS,
    bytes: newByteAllowance(),
    config,
  };
  const results: Static<typeof AggregationResponse>['results'] = [];
  let left = MAX_VALUES;
  for (const query of queries) {
    const plan = planOf(query);
    const table = await computeTable(ctx, user, plan, { ...scope, maxValues: left });
    left -= valuesOf(plan, table);
    results.push({ table });
  }
  return { results };
}
