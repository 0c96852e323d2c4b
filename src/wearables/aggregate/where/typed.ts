// A `where` with its columns found and its values checked against them.
import { millisecondsOf, firstMoment } from '../../../wire/moment.ts';
import { isCalendarDate } from '../../../wire/birth-date.ts';
import { clockOf } from '../columns/clock.ts';
import type { Column, Kind } from '../columns/column.ts';
import type { Condition, Operand, Operator } from './condition.ts';
import { WhereError } from './tokens.ts';

/** A value as the column that it is compared with has it; null: none. */
export type Value = number | string | boolean | null;

export type TypedCondition =
  | { all: TypedCondition[] }
  | { any: TypedCondition[] }
  | { not: TypedCondition }
  | { column: Column; operator: Operator; value: Value }
  | { column: Column; operator: Operator; other: Column }
  | { constant: boolean | null };

type Find = (name: string) => Column | null;

/** Finds the columns. Throws WhereError for an unknown one, and where two things cannot be compared. */
export function typed(condition: Condition, find: Find): TypedCondition {
  if ('all' in condition) return { all: condition.all.map((each) => typed(each, find)) };
  if ('any' in condition) return { any: condition.any.map((each) => typed(each, find)) };
  if ('not' in condition) return { not: typed(condition.not, find) };
  if ('holds' in condition) return truth(condition.holds, find);
  const { left, operator, right } = condition;
  if ('column' in left) {
    if ('column' in right) return between(left, operator, right, find);
    return compared(columnOf(left, find), operator, right);
  }
  if ('column' in right) return compared(columnOf(right, find), MIRRORED[operator], left);
  throw new WhereError(left.at, 'A comparison needs a column');
}

const MIRRORED: Record<Operator, Operator> = { '>': '<', '>=': '<=', '<': '>', '<=': '>=', '=': '=', '!=': '!=' };

type Named = Extract<Operand, { column: string }>;
type Given = Extract<Operand, { value: unknown }>;

function columnOf({ column: name, at }: Named, find: Find): Column {
  const column = find(name);
  if (!column) throw new WhereError(at, `The table has no column ${name.slice(0, LONGEST_TOLD)}`);
  return column;
}

const LONGEST_TOLD = 80;

function truth(operand: Operand, find: Find): TypedCondition {
  if ('column' in operand) {
    const column = columnOf(operand, find);
    if (column.kind === 'boolean') return { column, operator: '=', value: true };
  } else if (typeof operand.value !== 'number' && typeof operand.value !== 'string') {
    return { constant: operand.value };
  }
  throw new WhereError(operand.at, 'Only what is TRUE or FALSE can stand without a comparison');
}

const ORDERS = new Set<Operator>(['>', '>=', '<', '<=']);
const WITHOUT_ORDER = new Set<Kind>(['boolean', 'words']);

// oxlint-disable-next-line eslint/max-params -- a comparison, and how its columns are found
function between(left: Named, operator: Operator, right: Named, find: Find): TypedCondition {
  const [column, other] = [columnOf(left, find), columnOf(right, find)];
  if (column.kind !== other.kind || column.dayBeginsAt !== other.dayBeginsAt)
    throw new WhereError(right.at, `A ${NAMES[column.kind]} cannot be compared with a ${NAMES[other.kind]}`);
  if (Boolean(column.sealed) !== Boolean(other.sealed))
    throw new WhereError(right.at, 'What is kept sealed can be compared with values only');
  refuseOrder(column, operator, left.at);
  return { column, operator, other };
}

function refuseOrder({ kind }: Column, operator: Operator, at: number): void {
  if (ORDERS.has(operator) && WITHOUT_ORDER.has(kind))
    throw new WhereError(at, `A ${NAMES[kind]} can be compared by = and != only`);
}

function compared(column: Column, operator: Operator, { value, at }: Given): TypedCondition {
  if (value === null) {
    if (ORDERS.has(operator)) throw new WhereError(at, 'NULL can be compared by = and != only');
    return { column, operator, value: null };
  }
  refuseOrder(column, operator, at);
  const read = READ[column.kind](value, column);
  if (read === null) throw new WhereError(at, `A ${NAMES[column.kind]} is compared with ${WRITTEN[column.kind]}`);
  return { column, operator, value: read };
}

const READ: Record<Kind, (value: number | string | boolean, column: Column) => Value> = {
  number: (value) => (typeof value === 'number' ? value : null),
  text: (value) => (typeof value === 'string' ? value : null),
  words: (value) => (typeof value === 'string' ? value : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date: (value) => (typeof value === 'string' && isCalendarDate(value) ? value : null),
  moment: (value) => {
    const moment = typeof value === 'string' ? firstMoment(value) : null;
    const utc = moment === null ? '' : new Date(millisecondsOf(moment)).toISOString();
    // Before the first year and after the last one that four digits write, in UTC.
    return /^(?!0000)\d{4}-/.test(utc) ? utc : null;
  },
  clock: (value, { dayBeginsAt = 0 }) => (typeof value === 'string' ? clockOf(value, dayBeginsAt) : null),
};

const NAMES: Record<Kind, string> = {
  number: 'number',
  text: 'text',
  words: 'list of words',
  boolean: 'truth value',
  date: 'date',
  moment: 'moment',
  clock: 'time of day',
};

const WRITTEN: Record<Kind, string> = {
  number: 'a number',
  text: "a quoted text, as 'watch'",
  words: "one quoted word, as 'food', which is among them",
  boolean: 'TRUE or FALSE',
  date: "a quoted date, as '2026-01-05'",
  moment: "a quoted moment or date, as '2026-01-05T07:00:00Z'",
  clock: "a quoted time of day, as '23:30'",
};
