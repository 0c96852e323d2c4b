// The table that an answer has: how its columns are called, of which type they are, and their values as JSON has them.
import type { Static } from 'typebox';
import { clockText } from './columns/clock.ts';
import type { Column } from './columns/column.ts';
import type { OpenedTexts } from './opened-texts.ts';
import type { AnswerColumn, QueryPlan } from './read-query.ts';
import type { AggregationResult } from './schemas.ts';

export type Table = Static<typeof AggregationResult>['table'];
type Value = Table[string][number];

/** Its values are called c0, c1 and so on, in the order of the columns. */
export type Row = Record<string, Value>;

/** What the columns of an answer are called, in their order. */
export const columnNames = ({ columns }: QueryPlan): string[] => columns.map(({ name }) => name);

export type AnswerType = 'number' | 'text' | 'boolean' | 'words';

/** Of which type the columns of an answer are, by name. */
export const columnTypes = (plan: QueryPlan): Map<string, AnswerType> =>
  new Map(plan.columns.map((column) => [column.name, typeOf(column, plan)]));

function typeOf(answer: AnswerColumn, { groups }: QueryPlan): AnswerType {
  if ('column' in answer) return keepsKind(answer) ? TYPES[answer.column.kind] : 'number';
  const group = groups[answer.group];
  if (group && 'column' in group) return TYPES[group.column.kind];
  return group && 'part' in group ? 'number' : 'text';
}

const TYPES: Record<Column['kind'], AnswerType> = {
  number: 'number',
  text: 'text',
  boolean: 'boolean',
  date: 'text',
  moment: 'text',
  clock: 'text',
  words: 'words',
};

/** Whether the value is one of the column's own kind: a count is a number of rows, a deviation a number of seconds. */
const keepsKind = ({ func }: { func: string | null }): boolean => func !== 'count' && func !== 'stddev';

/** How many bytes the opened texts of an answer have, before any of them is put into it. */
export function openedBytes(plan: QueryPlan, rows: Row[], opened: OpenedTexts | null): number {
  if (!opened) return 0;
  let bytes = 0;
  for (const [n, answer] of plan.columns.entries()) {
    if (!isSealed(answer, plan)) continue;
    for (const { [`c${n}`]: place } of rows) if (typeof place === 'number') bytes += opened.bytesAt(place);
  }
  return bytes;
}

/** Rows of the database as a table of columns. */
export function tableOfRows(plan: QueryPlan, rows: Row[], opened: OpenedTexts | null): Table {
  return Object.fromEntries(
    plan.columns.map((answer, n) => {
      const tell = tellerOf(answer, plan, opened);
      return [answer.name, rows.map((row) => told(row[`c${n}`] ?? null, tell))];
    }),
  );
}

type Tell = ((value: number) => string) | null;

const told = (value: Value, tell: Tell): Value => (tell === null || value === null ? value : tell(value as number));

/** How a value that the database has as a number is told; null of what is told as it is. */
function tellerOf(answer: AnswerColumn, plan: QueryPlan, opened: OpenedTexts | null): Tell {
  if (isSealed(answer, plan)) return opened && opened.textAt;
  const column = columnTold(answer, plan);
  return column?.kind === 'clock' ? clockText : null;
}

const isSealed = (answer: AnswerColumn, plan: QueryPlan): boolean => columnTold(answer, plan)?.sealed !== undefined;

/** The column whose own value an answer tells; null of what is counted, or is a part of time. */
export function columnTold(answer: AnswerColumn, { groups }: QueryPlan): Column | null {
  if ('column' in answer && !keepsKind(answer)) return null;
  const group = 'group' in answer ? groups[answer.group] : answer;
  return group && 'column' in group ? group.column : null;
}
