// The table in the response to a query: the names and types of its columns, and their values as JSON.
import type { Static } from 'typebox';
import { clockText } from './columns/clock-column.ts';
import type { Column } from './columns/column.ts';
import type { OpenedTexts } from './opened-texts.ts';
import type { ResultColumn, QueryPlan } from './read-query.ts';
import type { AggregationResult } from './schemas.ts';

export type Table = Static<typeof AggregationResult>['table'];
type Value = Table[string][number];

/** A row that the SQL statement returns. Its values are called c0, c1 and so on, in the order of the columns. */
export type Row = Record<string, Value>;

/** Returns the names of the columns of a result table, in their order. */
export const columnNames = ({ columns }: QueryPlan): string[] => columns.map(({ name }) => name);

export type ResultType = 'number' | 'text' | 'boolean' | 'words';

/** Returns the types of the columns of a result table, by name. */
export const columnTypes = (plan: QueryPlan): Map<string, ResultType> =>
  new Map(plan.columns.map((column) => [column.name, typeOf(column, plan)]));

function typeOf(result: ResultColumn, { groups }: QueryPlan): ResultType {
  if ('column' in result) return isOfColumnKind(result) ? TYPES[result.column.kind] : 'number';
  const group = groups[result.group];
  if (group && 'column' in group) return TYPES[group.column.kind];
  return group && 'part' in group ? 'number' : 'text';
}

const TYPES: Record<Column['kind'], ResultType> = {
  number: 'number',
  text: 'text',
  boolean: 'boolean',
  date: 'text',
  moment: 'text',
  clock: 'text',
  words: 'words',
};

/**
 * Whether the values of the result column have the same kind as the column that they come from. They do not in two
 * cases: a count of times is a number of rows, and a standard deviation of times is a number of seconds.
 */
const isOfColumnKind = ({ func }: { func: string | null }): boolean => func !== 'count' && func !== 'stddev';

/**
 * Returns the number of bytes that the decrypted texts will have in the response. The rows have only the positions of
 * these texts.
 */
export function openedBytes(plan: QueryPlan, rows: Row[], opened: OpenedTexts | null): number {
  if (!opened) return 0;
  let bytes = 0;
  for (const [n, result] of plan.columns.entries()) {
    if (!isSealed(result, plan)) continue;
    for (const { [`c${n}`]: position } of rows) if (typeof position === 'number') bytes += opened.bytesAt(position);
  }
  return bytes;
}

/** Makes a table of columns from rows that the database returned. */
export function tableOfRows(plan: QueryPlan, rows: Row[], opened: OpenedTexts | null): Table {
  return Object.fromEntries(
    plan.columns.map((result, n) => {
      const format = formatterOf(result, plan, opened);
      return [result.name, rows.map((row) => formatted(row[`c${n}`] ?? null, format))];
    }),
  );
}

type Format = ((value: number) => string) | null;

const formatted = (value: Value, format: Format): Value =>
  format === null || value === null ? value : format(value as number);

/**
 * Returns the function that formats the database's values of this column for the response; null if the response shows
 * them unchanged.
 */
function formatterOf(result: ResultColumn, plan: QueryPlan, opened: OpenedTexts | null): Format {
  if (isSealed(result, plan)) return opened && opened.textAt;
  const column = valueColumnOf(result, plan);
  return column?.kind === 'clock' ? clockText : null;
}

const isSealed = (result: ResultColumn, plan: QueryPlan): boolean => valueColumnOf(result, plan)?.sealed !== undefined;

/**
 * Returns the column whose values the response shows. Returns null for counts, deviations and parts of time, because
 * these are numbers of another kind.
 */
export function valueColumnOf(result: ResultColumn, { groups }: QueryPlan): Column | null {
  if ('column' in result && !isOfColumnKind(result)) return null;
  const group = 'group' in result ? groups[result.group] : result;
  return group && 'column' in group ? group.column : null;
}
