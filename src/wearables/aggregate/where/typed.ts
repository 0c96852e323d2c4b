// Finds the columns of a `where` and checks its values against them.
import { isUuid } from '../../../ids.ts';
import { nearest } from '../../../config/nearest.ts';
import { alternatives } from '../../../wire/alternatives.ts';
import { millisecondsOf, firstMoment } from '../../../wire/moment.ts';
import { isCalendarDate } from '../../../wire/birth-date.ts';
import { clockOf } from '../columns/clock-column.ts';
import type { Column, Kind } from '../columns/column.ts';
import type { Condition, Operand, Operator } from './parse-condition.ts';
import { WhereError } from './tokens.ts';

/** A value of a condition, converted to the kind of the column with which it is compared; null for NULL. */
export type Value = number | string | boolean | null;

export type TypedCondition =
  | { all: TypedCondition[] }
  | { any: TypedCondition[] }
  | { not: TypedCondition }
  | { column: Column; operator: Operator; value: Value }
  | { column: Column; operator: Operator; other: Column }
  | { constant: boolean | null };

/** The columns of a table, by name. `unknownWord` is called for a word that the column can never contain. */
export type Table = {
  find: (name: string) => Column | null;
  names: readonly string[];
  unknownWord: (at: number, msg: string) => void;
};

/**
 * Finds the columns of a condition and checks its values. Throws WhereError for an unknown column and for a comparison
 * that is impossible.
 */
export function typed(condition: Condition, table: Table): TypedCondition {
  if ('all' in condition) return { all: condition.all.map((each) => typed(each, table)) };
  if ('any' in condition) return { any: condition.any.map((each) => typed(each, table)) };
  if ('not' in condition) return { not: typed(condition.not, table) };
  if ('operand' in condition) return truth(condition.operand, table);
  const { left, operator, right } = condition;
  if ('column' in left) {
    if ('column' in right) return between(left, operator, right, table);
    return compared(columnOf(left, table), operator, { given: right, table });
  }
  if ('column' in right) return compared(columnOf(right, table), MIRRORED[operator], { given: left, table });
  throw new WhereError(left.at, 'A comparison needs a column');
}

const MIRRORED: Record<Operator, Operator> = { '>': '<', '>=': '<=', '<': '>', '<=': '>=', '=': '=', '!=': '!=' };

type ColumnOperand = Extract<Operand, { column: string }>;
type ValueOperand = Extract<Operand, { value: unknown }>;

function columnOf({ column: name, at }: ColumnOperand, { find, names }: Table): Column {
  const column = find(name);
  if (column) return column;
  const hasTimes = names.some((each) => TIME_KINDS.has(find(each)?.kind));
  if (!hasTimes && TIMES.has(name.slice(name.lastIndexOf('.') + 1).toLowerCase())) {
    const instead = 'timeframe chooses rows by their time, and date_trunc or date_part group by it';
    throw new WhereError(at, `The table has no column ${name.slice(0, LONGEST_NAME)}: ${instead}`);
  }
  const meant = nearest(name, names) ?? nearest(name.slice(name.lastIndexOf('.') + 1), names);
  const suggestion = meant === null ? '' : `. Did you mean ${meant}?`;
  throw new WhereError(at, `The table has no column ${name.slice(0, LONGEST_NAME)}${suggestion}`);
}

/**
 * Names that people may try for the time of a row. If a table has no such column, the message says what to use instead.
 */
const TIMES = new Set(['at', 'date', 'end', 'start', 'time', 'timestamp']);
const TIME_KINDS = new Set<Kind | undefined>(['date', 'moment', 'clock']);
const LONGEST_NAME = 80;

function truth(operand: Operand, table: Table): TypedCondition {
  if ('column' in operand) {
    const column = columnOf(operand, table);
    if (column.kind === 'boolean') return { column, operator: '=', value: true };
  } else if (typeof operand.value !== 'number' && typeof operand.value !== 'string') {
    return { constant: operand.value };
  }
  throw new WhereError(operand.at, 'Only TRUE, FALSE, NULL and columns of truth values need no comparison');
}

const ORDERS = new Set<Operator>(['>', '>=', '<', '<=']);
const WITHOUT_ORDER = new Set<Kind>(['boolean', 'words']);

// oxlint-disable-next-line eslint/max-params -- three parts of a comparison, and the table of its columns
function between(left: ColumnOperand, operator: Operator, right: ColumnOperand, table: Table): TypedCondition {
  const [column, other] = [columnOf(left, table), columnOf(right, table)];
  if (column.kind !== other.kind || column.dayBeginsAt !== other.dayBeginsAt)
    throw new WhereError(right.at, `A ${NAMES[column.kind]} cannot be compared with a ${NAMES[other.kind]}`);
  if (Boolean(column.sealed) !== Boolean(other.sealed))
    throw new WhereError(right.at, 'A column that is kept sealed can be compared with values only');
  refuseOrder(column, operator, left.at);
  return { column, operator, other };
}

function refuseOrder({ kind }: Column, operator: Operator, at: number): void {
  if (ORDERS.has(operator) && WITHOUT_ORDER.has(kind))
    throw new WhereError(at, `A ${NAMES[kind]} can be compared by = and != only`);
}

function compared(
  column: Column,
  operator: Operator,
  { given: { value, at }, table }: { given: ValueOperand; table: Table },
): TypedCondition {
  if (value === null) {
    if (ORDERS.has(operator)) throw new WhereError(at, 'NULL can be compared by = and != only');
    return { column, operator, value: null };
  }
  refuseOrder(column, operator, at);
  const read = READ[column.kind](value, column);
  if (read === null) throw new WhereError(at, `A ${NAMES[column.kind]} is compared with ${WRITTEN[column.kind]}`);
  const { words } = column;
  if (ORDERS.has(operator)) return { column, operator, value: read };
  if (words && !words.includes(String(read))) table.unknownWord(at, unknownWord(String(read), words));
  if (column.isUuid && !isUuid(String(read))) table.unknownWord(at, 'Value should be a UUID');
  return { column, operator, value: read };
}

/** Returns the message for a word that is not in the list of words. */
export function unknownWord(word: string, words: readonly string[]): string {
  const meant = nearest(word, words);
  return `Value should be ${alternatives(words)}${meant === null ? '' : `. Did you mean ${meant}?`}`;
}

const READ: Record<Kind, (value: number | string | boolean, column: Column) => Value> = {
  number: (value) => (typeof value === 'number' ? value : null),
  text: (value, column) => {
    if (typeof value !== 'string') return null;
    return column.isUuid ? value.toLowerCase() : value;
  },
  words: (value) => (typeof value === 'string' ? value : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date: (value) => (typeof value === 'string' && isCalendarDate(value) ? value : null),
  moment: (value) => {
    const moment = typeof value === 'string' ? firstMoment(value) : null;
    const utc = moment === null ? '' : new Date(millisecondsOf(moment)).toISOString();
    // A moment near the year 0 or 10,000 may leave the years 0001 to 9999 when it is converted to UTC. Such a year does
    // not fit into four digits, so we refuse it.
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
  words: "one quoted word of the list, as 'food'",
  boolean: 'TRUE or FALSE',
  date: "a quoted date, as '2026-01-05'",
  moment: "a quoted moment or date, as '2026-01-05T07:00:00Z'",
  clock: "a quoted time of day, as '23:30'",
};
