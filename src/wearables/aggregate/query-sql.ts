// A query as one SQL statement. Its text varies with the query, so it is never prepared under a name; whatever stands in it
// besides values comes from the lists of this wing, never from the request.
import { sql, type RawBuilder, type Sql } from 'kysely';
import type { Static } from 'typebox';
import { SOURCE_TYPE_ORDER } from './priority.ts';
import type { FUNCTIONS, Query, QueryColumn, QueryGroup } from './schemas.ts';
import { SUMMARY_TABLES, type SummaryTable } from './tables.ts';

type Column = Static<typeof QueryColumn> & Record<string, string | null | undefined>;
type Group = Static<typeof QueryGroup>;
type Expression = RawBuilder<unknown>;
type Unit = NonNullable<Group['date_trunc']>['unit'];

/** For whom, of which days, and how. */
export type QueryScope = {
  userId: string;
  teamId: string;
  /** Local days: the first, and the one after the last. */
  from: string;
  until: string;
  /** Zone of samples without an offset. */
  timeZone: string;
  weekStartsOn: 'monday' | 'sunday';
  /** Which providers count first where several tell of one day. */
  providers: readonly string[];
  /** Rows that are answered at most; one more tells that there are more. */
  limit: number;
};

/** One column of the answer for each of `columnNames`, in their order, called c0, c1 and so on. */
export function querySql(query: Static<typeof Query>, scope: QueryScope): Expression {
  const groups = query.group_by ?? [];
  const keys = groups.map((group) => groupSql(group, scope));
  const told = keys.map(({ told }) => told);
  const columns: Expression[] = query.select.flatMap(({ group_key: key, func, arg }) => {
    if (key === '*') return told;
    if (typeof key === 'number') return [told[key] as Expression];
    return [FUNCTION_SQL[func as Function](valueOf(arg as Column))];
  });
  const first = query.select.find(({ arg }) => arg)?.arg as Column;
  const halves = (['provider', 'type'] as const).filter((half) => groups.some(({ source }) => source === half));
  const values = sql.join(keys.map(({ value }) => value));
  return sql`
    with ${rowsOf(first, scope, halves)}, counted as (${countedOf(halves, scope)})
    select ${sql.join(columns.map((expression, index) => sql`${expression} as ${sql.id(`c${index}`)}`))} from counted
    ${keys.length > 0 ? sql`group by ${values} order by ${values}` : sql``}
    limit ${scope.limit}`;
}

/** What the columns of an answer are called. */
export const columnNames = ({ select, group_by: groups = [] }: Static<typeof Query>): string[] =>
  select.flatMap(({ group_key: key, func, arg }) => {
    if (key === '*') return groups.map((_, index) => `group_key.${index}`);
    return [typeof key === 'number' ? `group_key.${key}` : `${func}.${nameOf(arg as Column)}`];
  });

/** The one series or kind of summary that a query reads, as streams and summaries are kept. */
export function resourceOf({ select }: Static<typeof Query>): string {
  const column = select.find(({ arg }) => arg)?.arg as Column;
  return tableOf(column)?.resource ?? (column.timeseries as string);
}

type Function = (typeof FUNCTIONS)[number];

const FUNCTION_SQL: Record<Function, (value: Expression) => Expression> = {
  min: (value) => sql`min(${value})`,
  max: (value) => sql`max(${value})`,
  mean: (value) => sql`avg(${value})`,
  sum: (value) => sql`sum(${value})`,
  count: (value) => sql`count(${value})::float8`,
  median: (value) => sql`percentile_cont(0.5) within group (order by ${value})`,
  stddev: (value) => sql`stddev_samp(${value})`,
  oldest: (value) => sql`(array_agg(${value} order by local_at) filter (where ${value} is not null))[1]`,
  newest: (value) => sql`(array_agg(${value} order by local_at desc) filter (where ${value} is not null))[1]`,
};

/** A source is a provider and a type of device: who groups by both sums no two of them. */
type Half = 'provider' | 'type';
const halfSql = (half: Half): Expression => (sql as Sql).ref(half === 'type' ? 'source_type' : 'provider');

function countedOf([half, other]: Half[], scope: QueryScope): Expression {
  if (!half) return chosen(scope);
  return other ? sql`select * from measured` : chosenOfEach(half);
}

/** As `chosen`, for each provider or each type of device by itself; whose sources have no rivals there need no choice. */
const chosenOfEach = (half: Half): Expression => sql`
  select *, place as best from measured where rivals = 1
  union all
  select * from (
    select *, min(place) over (partition by day, ${halfSql(half)}) as best from measured where rivals > 1
  ) as told where place = best`;

/**
 * Of each day the rows of the one source that counts for it: nothing is ever summed across sources. Rows of the best one count
 * wherever they are, so that the choice is never computed for whom there is no other (a year of minutes: 0.3 of the time).
 * It is one value, the place of the source of each day in turn, and no table to join: of a single user the planner expects
 * one row, and would choose anew for each sample. The last source counts where none of those before it tells of the day.
 */
const chosen = ({ from, until }: QueryScope): Expression => sql`
  select * from measured where place = 1 or place = (
    select array_agg(coalesce(place, (select count(*) from sources)) order by day)
      from generate_series(1, ${until}::date - ${from}::date) as days (day)
      left join (select day, min(place) as place from measured where place < (select count(*) from sources)
                  group by day) as told using (day)
  )[day]`;

/**
 * `sources` in the order in which they count, with how many `rivals` (itself included) are of one's group, and `measured`:
 * their rows, whose `day` is 1 on the first of the timeframe. A choice reads them again, which costs less than to keep them
 * all; `offset 0` has the local time of each computed once.
 */
function rowsOf(column: Column, scope: QueryScope, halves: Half[]): Expression {
  const summary = tableOf(column);
  const rivals = sql`count(*) over (${halves.length > 0 ? sql`partition by ${sql.join(halves.map(halfSql))}` : sql``}) as rivals`;
  const day = sql`local_at::date - ${scope.from}::date + 1 as day`;
  if (summary) {
    const asked = sql`
      user_id = ${scope.userId} and team_id = ${scope.teamId} and resource = ${summary.resource}
       and calendar_date >= ${scope.from}::date and calendar_date < ${scope.until}::date`;
    return sql`
      sources as (
        select provider, source_type, ${placeSql(scope.providers)} as place, ${rivals}
          from (select distinct provider, source_type from summaries where ${asked}) as told
      ), measured as not materialized (
        select provider, source_type, place, rivals, local_at, ${day}, "values"
          from sources join summaries using (provider, source_type)
         cross join lateral (select calendar_date::timestamp as local_at) as local
         where ${asked}
      )`;
  }
  return sql`
    sources as (
      select id, provider, source_type, ${placeSql(scope.providers)} as place, ${rivals}
        from streams
       where user_id = ${scope.userId} and team_id = ${scope.teamId} and resource = ${column.timeseries}
         and kind = ${column.type ?? ''}
    ), measured as not materialized (
      select *, ${day} from (
        select provider, source_type, place, rivals, value, extra, case
               when timezone_offset is null then at at time zone ${scope.timeZone}
               else at at time zone 'UTC' + make_interval(secs => timezone_offset) end as local_at
          from sources join samples on samples.stream_id = sources.id
         where at >= ${scope.from}::timestamptz - interval '1 day' and at < ${scope.until}::timestamptz + interval '1 day'
        offset 0
      ) as local
       where local_at >= ${scope.from}::timestamp and local_at < ${scope.until}::timestamp
    )`;
}

/** The place of a source among those of the user, 1 for the best. */
const placeSql = (providers: readonly string[]): Expression => sql`
  row_number() over (order by coalesce(array_position(${[...providers]}::text[], provider), 1000),
    coalesce(array_position(${[...SOURCE_TYPE_ORDER]}::text[], source_type), 99), provider, source_type)`;

/** A value of a row of `measured`. The path of a summary's number comes from the list of its columns. */
function valueOf(column: Column): Expression {
  const summary = tableOf(column);
  if (summary) return sql`("values" #>> ${(column[summary.name] as string).split('.')}::text[])::float8`;
  return column.field === 'diastolic' ? sql`(extra ->> 'diastolic')::float8` : sql`value`;
}

/** What rows are grouped and ordered by, and how it is told, which is made for groups alone and not for each row. */
function groupSql({ date_trunc: trunc, source }: Group, scope: QueryScope): { value: Expression; told: Expression } {
  if (source) {
    return { value: halfSql(source), told: halfSql(source) };
  }
  const { unit, value: many = 1 } = trunc as NonNullable<Group['date_trunc']>;
  const value = startOfGroup(unit, many, scope);
  const format = unit === 'hour' ? sql`'YYYY-MM-DD"T"HH24:MI:SS'` : sql`'YYYY-MM-DD'`;
  return { value, told: sql`to_char(${value}, ${format})` };
}

/** Without parameters: PostgreSQL would take the one that is told for another than the one that is grouped by. */
function startOfGroup(unit: Unit, many: number, { from, weekStartsOn }: QueryScope): Expression {
  if (unit === 'month') return sql`date_trunc('month', local_at)`;
  if (unit === 'hour') {
    return sql`date_bin(make_interval(hours => ${sql.lit(many)}), local_at, ${sql.lit(from)}::timestamp)`;
  }
  // Days are counted from the first one that was asked for, weeks from the week that it lies in.
  const [days, origin] = unit === 'week' ? [many * 7, weekOf(from, weekStartsOn)] : [many, from];
  return sql`date_bin(make_interval(days => ${sql.lit(days)}), local_at, ${sql.lit(origin)}::timestamp)`;
}

/** The first day of the week that a day lies in. */
function weekOf(day: string, startsOn: QueryScope['weekStartsOn']): string {
  const date = new Date(day);
  const since = startsOn === 'sunday' ? date.getUTCDay() : (date.getUTCDay() + 6) % 7;
  date.setUTCDate(date.getUTCDate() - since);
  return date.toISOString().slice(0, 10);
}

const tableOf = (column: Column): SummaryTable | undefined =>
  SUMMARY_TABLES.find(({ name }) => column[name] !== undefined && column[name] !== null);

/** As columns of an answer are called: `activity.steps`, `heartrate.value`, `cholesterol.value.ldl`. */
function nameOf(column: Column): string {
  const summary = tableOf(column);
  if (summary) return `${summary.name}.${column[summary.name]}`;
  const { timeseries, field, type } = column;
  return [timeseries, field ?? 'value', ...(type ? [type] : [])].join('.');
}
