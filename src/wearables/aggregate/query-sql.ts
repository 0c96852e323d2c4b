// Writes a query as one SQL statement. Two queries seldom have the same SQL text, so a prepared statement would hardly
// ever be used again, and we prepare none. Values of the request are parameters. All other parts of the text come from
// the lists of this module. So a request cannot inject SQL.
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { valueColumnOf } from './query-result.ts';
import { valueSql, type Column, type Expression } from './columns/column.ts';
import type { Func } from './functions.ts';
import { groupSql, offsetKeySql, orderSql, slotMinutesOf, renderKey, type OffsetKey } from './groups.ts';
import type { OpenedTexts } from './opened-texts.ts';
import type { ResultColumn, QueryPlan } from './read-query.ts';
import type { QueryScope } from './query-scope.ts';
import { countedRows, type SampleSelection, type SourceColumn, type SummarySelection } from './sources/counted-rows.ts';
import { conditionSql, splitBySource } from './where/condition-sql.ts';

/**
 * Returns the statement. Its columns are the columns of the response in their order, named c0, c1 and so on. PostgreSQL
 * does not recognise two expressions with parameters as equal, so it cannot group by them. So a subquery first computes
 * the groups and values of each row, as g0 and v0.
 */
export async function querySql(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  plan: QueryPlan,
  scope: QueryScope,
  opened: OpenedTexts | null,
): Promise<Expression> {
  const { table, groups, columns, isListing } = plan;
  const conditions = splitBySource(plan.where);
  const around = { scope, opened };
  const values = [...new Set(columns.flatMap((each) => ('column' in each ? [each.column] : [])))];
  const nameOf = (column: Column): Expression => sql.id(`v${values.indexOf(column)}`);
  const keys = groups.map((_, n) => sql.id(`g${n}`));
  const offsetKeys = groups.map((group) => offsetKeySql(group, table, scope));
  const namedOffsetKeys = offsetKeys.map(
    (offsetKey, n): OffsetKey | null => offsetKey && { offset: sql.id(`o${n}`), zone: sql.id(`z${n}`) },
  );
  const read = [
    ...groups.map((group, n) => sql`${groupSql(group, scope)} as ${sql.id(`g${n}`)}`),
    ...offsetKeys.flatMap((offsetKey, n) =>
      offsetKey ? [sql`${offsetKey.offset} as ${sql.id(`o${n}`)}`, sql`${offsetKey.zone} as ${sql.id(`z${n}`)}`] : [],
    ),
    ...values.map((column, n) => sql`${valueSql(column, scope)} as ${sql.id(`v${n}`)}`),
  ];
  const expressions = columns.map((each) => {
    if ('group' in each) {
      const n = each.group;
      return renderKey(groups[n] as QueryPlan['groups'][number], keys[n] as Expression, namedOffsetKeys[n] ?? null);
    }
    return each.func === null ? nameOf(each.column) : FUNCTION_SQL[each.func](nameOf(each.column));
  });
  const inGroups = [...keys, ...namedOffsetKeys.flatMap((offsetKey) => offsetKey?.offset ?? [])];
  const inOrder = keys.flatMap((key, n) => orderSql(key, namedOffsetKeys[n] ?? null, scope));
  const asked = rowsAsked(plan, conditions.sources && conditionSql(conditions.sources, around));
  const rowFilter = conditions.rows && conditionSql(conditions.rows, around);
  const statement = sql`
    with ${await countedRows(ctx, asked, scope)}, grouped as (
      select ${sql.join([...read, instantOf(table)])} from counted${opened ? joinOpened(table, opened) : sql``}
       where ${withinWindow(plan, scope)}${rowFilter ? sql` and ${rowFilter}` : sql``}
    )
    select ${sql.join(expressions.map((expression, n) => sql`${expression} as ${sql.id(`c${n}`)}`))} from grouped
    ${keys.length > 0 ? sql`group by ${sql.join(inGroups)} order by ${sql.join(inOrder)}` : sql``}
    ${isListing ? sql`order by instant, tie` : sql``}
    limit ${scope.limit}`;
  return withinBytes(plan, statement, scope);
}

/**
 * The name of an additional column. Every row has the same number in it: the bytes of the plain texts of all rows
 * together.
 */
export const TEXT_BYTES = 'text_bytes';

/**
 * Returns SQL for the rows of a statement. If their plain texts together have more bytes than allowed, all values are
 * null.
 */
function withinBytes(plan: QueryPlan, statement: Expression, { maxTextBytes }: QueryScope): Expression {
  const names = plan.columns.map((_, n) => sql.id(`c${n}`));
  const texts = names.filter((_, n) => isPlainText(valueColumnOf(plan.columns[n] as ResultColumn, plan)));
  if (texts.length === 0) return statement;
  const lengths = texts.map((name) => sql`coalesce(octet_length(${name}::text), 0)`);
  const bytes = sql.id(TEXT_BYTES);
  const bounded = names.map((name) => sql`case when ${bytes} <= ${maxTextBytes} then ${name} end as ${name}`);
  return sql`
    select ${sql.join(bounded)}, ${bytes}::float8 from (
      select *, sum(${sql.join(lengths, sql` + `)}) over () as ${bytes} from (${statement}) as row
    ) as weighed`;
}

/** Whether the column has plain texts. A list of words is a plain text too: its JSON. */
const isPlainText = (column: Column | null): boolean =>
  column !== null && !column.sealed && (column.kind === 'text' || column.kind === 'words');

/**
 * Returns SQL for the order of rows: by their moment, or by the start of their day or session. `tie` decides between
 * rows of the same moment.
 */
const instantOf = ({ series }: QueryPlan['table']): Expression =>
  series ? sql`at as instant, stream_id as tie` : sql`coalesce(start_at, created_at) as instant, id as tie`;

const joinOpened = ({ series }: QueryPlan['table'], { join }: OpenedTexts): Expression =>
  series
    ? sql` left join sample_notes as note using (stream_id, at) ${join(sql`note.id`)}`
    : sql` ${join(sql`counted.id`)}`;

/**
 * Returns SQL that is true if a row is within the timeframe. The statement reads complete days, so a timeframe of hours
 * or minutes needs this condition. A profile belongs to no day. It is in every timeframe that ends after Phial stored
 * it.
 */
function withinWindow({ table }: QueryPlan, { window }: QueryScope): Expression {
  if (window === null) return sql`true`;
  if (table.isOfNoDay) return window.kind === 'local' ? sql`true` : sql`created_at < ${window.end}::timestamptz`;
  if (window.kind === 'local' || table.index.kind === 'date')
    return sql`local_at >= ${window.from}::timestamp and local_at < ${window.until}::timestamp`;
  const at = table.series ? sql`at` : sql`start_at`;
  return sql`${at} >= ${window.begin}::timestamptz and ${at} < ${window.end}::timestamptz`;
}

/** Returns the description of the rows that the query reads. */
function rowsAsked({ table, groups }: QueryPlan, sourceFilter: Expression | null): SampleSelection | SummarySelection {
  const apart = groups.flatMap((group): SourceColumn[] => {
    const source = 'column' in group ? group.column.ofSource : undefined;
    return source ? [source] : [];
  });
  if (!table.series) return { summary: table.resource, apart, sourceFilter };
  const { of: series, type } = table.series;
  return { series, type: series.keyedByType ? type : '', slotMinutes: slotMinutesOf(groups), apart, sourceFilter };
}

const FUNCTION_SQL: Record<Func, (value: Expression) => Expression> = {
  min: (value) => sql`min(${value})`,
  max: (value) => sql`max(${value})`,
  mean: (value) => sql`avg(${value})`,
  sum: (value) => sql`sum(${value})`,
  count: (value) => sql`count(${value})::float8`,
  median: (value) => sql`percentile_cont(0.5) within group (order by ${value})`,
  stddev: (value) => sql`stddev_samp(${value})`,
  oldest: (value) => sql`(array_agg(${value} order by instant, tie) filter (where ${value} is not null))[1]`,
  newest: (value) => sql`
    (array_agg(${value} order by instant desc, tie desc) filter (where ${value} is not null))[1]`,
};
