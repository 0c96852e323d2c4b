// Turns a checked `where` into SQL. Columns come from the lists of this module, and every value is a parameter.
import { sql } from 'kysely';
import type { Column, Expression, Kind } from '../columns/column.ts';
import type { OpenedTexts } from '../opened-texts.ts';
import type { QueryScope } from '../query-scope.ts';
import type { Operator } from './parse-condition.ts';
import type { TypedCondition, Value } from './typed.ts';

type Around = { scope: Pick<QueryScope, 'timeZone'>; opened: OpenedTexts | null };

export function conditionSql(condition: TypedCondition, around: Around): Expression {
  if ('all' in condition) return joined(condition.all, sql` and `, around);
  if ('any' in condition) return joined(condition.any, sql` or `, around);
  if ('not' in condition) return sql`(not ${conditionSql(condition.not, around)})`;
  if ('constant' in condition) return sql`${condition.constant}::boolean`;
  const { column, operator } = condition;
  const left = sql`(${column.sql(around.scope)})`;
  if ('other' in condition)
    return compared(left, operator, { right: sql`(${condition.other.sql(around.scope)})`, of: column });
  const { value } = condition;
  if (value === null) return operator === '=' ? sql`(${left} is null)` : sql`(${left} is not null)`;
  if (column.sealed)
    return comparePositions(left, operator, around.opened?.positionsOf(String(value)) ?? { from: 0, to: 0 });
  if (column.kind === 'words') {
    const has = sql`(${left} @> to_jsonb(${value}::text))`;
    return operator === '=' ? has : sql`(not ${has})`;
  }
  return compared(left, operator, { right: bound(column.kind, value), of: column });
}

const joined = (conditions: TypedCondition[], by: Expression, around: Around): Expression =>
  sql`(${sql.join(
    conditions.map((each) => conditionSql(each, around)),
    by,
  )})`;

const OPERATORS: Record<Operator, Expression> = {
  '>': sql`>`,
  '>=': sql`>=`,
  '<': sql`<`,
  '<=': sql`<=`,
  '=': sql`=`,
  '!=': sql`<>`,
};

/**
 * Returns SQL for a comparison. With collation C, PostgreSQL compares texts by code points, whatever collation the
 * database has.
 */
const compared = (
  left: Expression,
  operator: Operator,
  { right, of }: { right: Expression; of: Column },
): Expression =>
  of.kind === 'text' && !of.sealed
    ? sql`(${left} ${OPERATORS[operator]} ${right} collate "C")`
    : sql`(${left} ${OPERATORS[operator]} ${right})`;

const TYPES: Record<Exclude<Kind, 'words'>, Expression> = {
  number: sql`float8`,
  clock: sql`float8`,
  text: sql`text`,
  boolean: sql`boolean`,
  date: sql`date`,
  moment: sql`timestamptz`,
};

const bound = (kind: Exclude<Kind, 'words'>, value: Exclude<Value, null>): Expression => sql`${value}::${TYPES[kind]}`;

/**
 * Compares the position of an encrypted text with a value. `from` is the first position of texts that are equal to the
 * value, and `to` is the position after the last one. If no row has the value, both are the position at which the value
 * would stand.
 */
function comparePositions(
  position: Expression,
  operator: Operator,
  { from, to }: { from: number; to: number },
): Expression {
  const below = (most: number): Expression => sql`(${position} < ${most}::integer)`;
  const fromOn = (least: number): Expression => sql`(${position} >= ${least}::integer)`;
  switch (operator) {
    case '<':
      return below(from);
    case '<=':
      return below(to);
    case '>':
      return fromOn(to);
    case '>=':
      return fromOn(from);
    case '=':
      return sql`(${fromOn(from)} and ${below(to)})`;
    default:
      return sql`(${below(from)} or ${fromOn(to)})`;
  }
}

/**
 * Splits a condition into two. It may consist of several parts that AND joins. The parts that are only about sources
 * become `sources`. Phial applies `sources` before it chooses between sources: with `source_provider = 'oura'`, data of
 * Oura counts even if another source is better. All other parts become `rows`, which filters the chosen rows.
 */
export function splitBySource(condition: TypedCondition | null): {
  sources: TypedCondition | null;
  rows: TypedCondition | null;
} {
  const parts = condition === null ? [] : 'all' in condition ? condition.all : [condition];
  const all = (of: TypedCondition[]): TypedCondition | null => (of.length === 0 ? null : { all: of });
  return {
    sources: all(parts.filter(isOfSources)),
    rows: all(parts.filter((part) => !isOfSources(part))),
  };
}

function isOfSources(condition: TypedCondition): boolean {
  if ('all' in condition) return condition.all.every(isOfSources);
  if ('any' in condition) return condition.any.every(isOfSources);
  if ('not' in condition) return isOfSources(condition.not);
  if ('constant' in condition) return false;
  const { column } = condition;
  return column.ofSource !== undefined && (!('other' in condition) || condition.other.ofSource !== undefined);
}

/** Returns the columns that a condition reads. */
export function columnsIn(condition: TypedCondition | null): Column[] {
  if (condition === null || 'constant' in condition) return [];
  if ('all' in condition) return condition.all.flatMap(columnsIn);
  if ('any' in condition) return condition.any.flatMap(columnsIn);
  if ('not' in condition) return columnsIn(condition.not);
  return 'other' in condition ? [condition.column, condition.other] : [condition.column];
}
