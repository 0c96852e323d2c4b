// A query as one SQL statement. Its text varies with the query, so it is never prepared under a name; whatever stands in it
// besides values comes from the lists of this wing, never from the request.
import { sql, type RawBuilder } from 'kysely';
import type { Static } from 'typebox';
import type { FUNCTIONS, Query, QueryColumn, QueryGroup } from './schemas.ts';
import type { QueryScope } from './scope.ts';
import { countedRows, halfSql, type RowsAsked } from './sources/counted-rows.ts';
import { SUMMARY_TABLES, type SummaryTable } from './tables.ts';

type Column = Static<typeof QueryColumn> & Record<string, string | null | undefined>;
type Group = Static<typeof QueryGroup>;
type Expression = RawBuilder<unknown>;
type Unit = NonNullable<Group['date_trunc']>['unit'];

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
    with ${countedRows(rowsAsked(first), scope, halves)}
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

function rowsAsked(column: Column): RowsAsked {
  const summary = tableOf(column);
  return summary ? { summary: summary.resource } : { series: column.timeseries as string, type: column.type ?? '' };
}

/** A value of a row of `counted`. The path of a summary's number comes from the list of its columns. */
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
