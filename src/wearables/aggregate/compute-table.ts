import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import type { UserRow } from '../../users/find.ts';
import { prioritiesOf } from '../priorities/list.ts';
import { PRIORITY_TYPES, type PriorityType } from '../priorities/schemas.ts';
import { columnNames, querySql } from './query-sql.ts';
import type { AggregationResult, Query, QueryConfig } from './schemas.ts';

type Table = Static<typeof AggregationResult>['table'];
type Value = Table[string][number];

/**
 * One query over one user's data, in one statement. `from` is the first local day, `until` the one after the last. Throws
 * too_many_matches where the table would have more than `mostRows`.
 */
export async function computeTable(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  user: UserRow,
  query: Static<typeof Query>,
  {
    mostRows,
    config,
    ...days
  }: { from: string; until: string; mostRows: number; config: Static<typeof QueryConfig> | null },
): Promise<Table> {
  const statement = querySql(query, {
    ...days,
    userId: user.id,
    teamId: ctx.team.id,
    timeZone: user.fallback_time_zone ?? 'UTC',
    weekStartsOn: config?.week_starts_on ?? 'monday',
    providers: config?.provider_priority_overrides ?? (await prioritiesOf(ctx, kindOf(query))),
    limit: mostRows + 1,
  });
  const { rows } = await sql<Record<string, Value>>`${statement}`.execute(ctx.db);
  if (rows.length > mostRows) {
    throw new AppError(
      'too_many_matches',
      `The answer would have more than ${mostRows} rows. Ask for a shorter timeframe or larger groups.`,
    );
  }
  return Object.fromEntries(
    columnNames(query).map((name, index) => [name, rows.map((row) => row[`c${index}`] ?? null)]),
  );
}

/** Under which kind of data the team has chosen an order of providers. */
function kindOf({ select }: Static<typeof Query>): PriorityType {
  const column = (select.find(({ arg }) => arg)?.arg ?? {}) as Record<string, unknown>;
  const summary = PRIORITY_TYPES.find((type) => column[type === 'workouts' ? 'workout' : type]);
  return summary ?? 'timeseries';
}
