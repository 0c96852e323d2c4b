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
 * too_many_matches where the table would have more than `mostRows` rows or `mostValues` values; no more than that leave the
 * database.
 */
export async function computeTable(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  user: UserRow,
  query: Static<typeof Query>,
  { mostRows, mostValues, config, ...days }: Scope,
): Promise<Table> {
  const names = columnNames(query);
  const most = Math.min(mostRows, Math.floor(mostValues / names.length));
  const statement = querySql(query, {
    ...days,
    userId: user.id,
    teamId: ctx.team.id,
    timeZone: user.fallback_time_zone ?? 'UTC',
    weekStartsOn: config?.week_starts_on ?? 'monday',
    providers: config?.provider_priority_overrides ?? (await prioritiesOf(ctx, kindOf(query))),
    limit: most + 1,
  });
  const { rows } = await sql<Record<string, Value>>`${statement}`.execute(ctx.db);
  if (rows.length > most) {
    throw new AppError(
      'too_many_matches',
      most < mostRows
        ? 'The answer would have too many values. Ask for a shorter timeframe, larger groups or fewer columns and queries.'
        : `The answer would have more than ${mostRows} rows. Ask for a shorter timeframe or larger groups.`,
    );
  }
  return Object.fromEntries(names.map((name, index) => [name, rows.map((row) => row[`c${index}`] ?? null)]));
}

type Scope = {
  from: string;
  until: string;
  mostRows: number;
  mostValues: number;
  config: Static<typeof QueryConfig> | null;
};

/** How many values of the database a table is of; a column that was selected twice is answered once. */
export const valuesOf = (query: Static<typeof Query>, table: Table): number =>
  (Object.values(table)[0]?.length ?? 0) * columnNames(query).length;

/** Under which kind of data the team has chosen an order of providers. */
function kindOf({ select }: Static<typeof Query>): PriorityType {
  const column = (select.find(({ arg }) => arg)?.arg ?? {}) as Record<string, unknown>;
  const summary = PRIORITY_TYPES.find((type) => column[type === 'workouts' ? 'workout' : type]);
  return summary ?? 'timeseries';
}
