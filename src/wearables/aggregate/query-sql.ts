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
  const columns: Expression[] = query.select.flatMap(({ group_key: key, func, arg }) => {
    if (key === '*') return keys;
    if (typeof key === 'number') return [keys[key] as Expression];
    return [FUNCTION_SQL[func as Function](valueOf(arg as Column))];
  });
  const first = query.select.find(({ arg }) => arg)?.arg as Column;
  const bySource = groups.some(({ source }) => source !== undefined && source !== null);
  return sql`
    with measured as (${rowsOf(first, scope)}), counted as (${bySource ? sql`select * from measured` : CHOSEN})
    select ${sql.join(columns.map((expression, index) => sql`${expression} as ${sql.id(`c${index}`)}`))} from counted
    ${keys.length > 0 ? sql`group by ${sql.join(keys)} order by ${sql.join(keys)}` : sql``}
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

/**
 * Of each day the rows of the one source that counts for it: nothing is ever summed across sources. The choice is one value,
 * computed once, and no table to join: of a single user the planner expects one row, and would choose anew for each sample.
 */
const CHOSEN = sql`
  select * from measured where source = (
    select jsonb_object_agg(day::text, source) from (
      select distinct on (day) day, source from (select distinct day, source, rank from measured) as told
       order by day, rank, source) as first_of_day
  ) ->> day::text`;

function rowsOf(column: Column, scope: QueryScope): Expression {
  const summary = tableOf(column);
  const rank = rankSql(scope.providers);
  if (summary) {
    return sql`
      select provider, source_type, provider || ' ' || source_type as source, ${rank} as rank, calendar_date as day,
             calendar_date::timestamp as local_at, "values"
        from summaries
       where user_id = ${scope.userId} and team_id = ${scope.teamId} and resource = ${summary.resource}
         and calendar_date >= ${scope.from}::date and calendar_date < ${scope.until}::date`;
  }
  return sql`
    select provider, source_type, provider || ' ' || source_type as source, ${rank} as rank, local_at::date as day, local_at, value, extra
      from streams join samples on samples.stream_id = streams.id
     cross join lateral (select case
       when timezone_offset is null then at at time zone ${scope.timeZone}
       else at at time zone 'UTC' + make_interval(secs => timezone_offset) end as local_at) as local
     where user_id = ${scope.userId} and team_id = ${scope.teamId} and resource = ${column.timeseries}
       and kind = ${column.type ?? ''}
       and at >= ${scope.from}::timestamptz - interval '1 day' and at < ${scope.until}::timestamptz + interval '1 day'
       and local_at >= ${scope.from}::timestamp and local_at < ${scope.until}::timestamp`;
}

const rankSql = (providers: readonly string[]): Expression => sql`
  coalesce(array_position(${[...providers]}::text[], provider), 1000) * 100
  + coalesce(array_position(${[...SOURCE_TYPE_ORDER]}::text[], source_type), 99)`;

/** A value of a row of `rowsOf`. The path of a summary's number comes from the list of its columns. */
function valueOf(column: Column): Expression {
  const summary = tableOf(column);
  if (summary) return sql`("values" #>> ${(column[summary.name] as string).split('.')}::text[])::float8`;
  return column.field === 'diastolic' ? sql`(extra ->> 'diastolic')::float8` : sql`value`;
}

function groupSql({ date_trunc: trunc, source }: Group, { from, weekStartsOn }: QueryScope): Expression {
  if (source) return (sql as Sql).ref(source === 'type' ? 'source_type' : 'provider');
  const { unit, value = 1 } = trunc as NonNullable<Group['date_trunc']>;
  if (unit === 'hour') {
    const hours = sql.lit(value);
    return sql`to_char(date_bin(make_interval(hours => ${hours}), local_at, ${sql.lit(from)}::timestamp), 'YYYY-MM-DD"T"HH24:MI:SS')`;
  }
  if (unit === 'month') return sql`to_char(date_trunc('month', local_at), 'YYYY-MM-DD')`;
  // Days are counted from the first one that was asked for, weeks from the week that it lies in.
  const [days, origin] = unit === 'week' ? [value * 7, weekOf(from, weekStartsOn)] : [value, from];
  return sql`to_char(date_bin(make_interval(days => ${sql.lit(days)}), local_at, ${sql.lit(origin)}::timestamp), 'YYYY-MM-DD')`;
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
