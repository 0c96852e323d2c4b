// Reads a query and makes a plan: the table, the columns and the groups. Three parts use this plan: the check of a
// request, the SQL statement, and the names and types of the columns in the response.
import { nearest } from '../../config/nearest.ts';
import type { Breach } from '../../wire/rule.ts';
import type { Column, Kind } from './columns/column.ts';
import { onlyField, seriesNamed } from './columns/series-columns.ts';
import { FUNCTIONS, type Func } from './functions.ts';
import {
  given,
  isObject,
  isThere,
  listOf,
  shapeBreaches,
  TABLE_WORDS,
  wrong,
  type Path,
  type Values,
} from './query-shape.ts';
import { seriesTable, SUMMARY_TABLES, type Table } from './query-tables.ts';
import { parseWhere } from './where/parse-condition.ts';
import { messageAt, WhereError } from './where/tokens.ts';
import { typed, unknownWord, type TypedCondition } from './where/typed.ts';

export type Unit = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';
export type DatePart = Unit | 'weekday' | 'week_of_year' | 'day_of_year';

export type Group = { trunc: { unit: Unit; value: number } } | { part: DatePart } | { column: Column };

/** A column of the response: the key of a group, a column of the rows, or a function of such a column. */
export type ResultColumn = { name: string } & ({ group: number } | { column: Column; func: Func | null });

export type QueryPlan = {
  table: Table;
  columns: ResultColumn[];
  groups: Group[];
  where: TypedCondition | null;
  /** True if the response lists rows. False if it has one row for each group. */
  isListing: boolean;
};

/** A part of a query that names a column, with the path of this part in the query. */
type NamedColumn = { item: Values; at: Path };

const ONE_TABLE = 'All columns and indexes should be of one series, and of one type of it, or of one kind of summary';

/** Returns the plan of a query that was checked before. Throws if the query has no plan. */
export function planOf(query: unknown): QueryPlan {
  const { plan, breaches } = readQuery(query as Values);
  if (!plan) throw new Error(`a checked query has no plan: ${breaches[0]?.msg ?? 'it has an unknown word'}`);
  return plan;
}

/**
 * Returns the plan of a query, or its breaches. The schema of the request reports words that are not in its lists. For
 * a query with such a word, this function returns no plan and no breaches, so that nothing is reported twice.
 */
export function readQuery(query: Values): { plan: QueryPlan | null; breaches: Breach[] } {
  const select = listOf(query['select']);
  const groupBy = listOf(query['group_by']);
  const breaches = shapeBreaches(select, groupBy);
  if (breaches.length > 0) return { plan: null, breaches };
  const named: NamedColumn[] = [
    ...select.flatMap((item, n) => namedIn(item, ['select', String(n)])),
    ...groupBy.flatMap((item, n) => namedIn(item, ['group_by', String(n)])),
  ];
  const table = named.map(({ item }) => tableNamed(item)).find((each) => each !== null);
  if (!table) {
    const isUnknown = named.some(({ item }) => namesTable(item) && item['index'] !== 'timeseries');
    return { plan: null, breaches: isUnknown ? [] : [wrong(['select'], NO_TABLE)] };
  }
  return readFor(table, { query, select, groupBy, named });
}

const NO_TABLE = 'The query names no table: a column, a value macro or the index of a kind of summary is needed';

function readFor(
  table: Table,
  { query, select, groupBy, named }: { query: Values; select: Values[]; groupBy: Values[]; named: NamedColumn[] },
): { plan: QueryPlan | null; breaches: Breach[] } {
  const breaches: Breach[] = [];
  const columnOf = (item: Values, at: Path): { column: Column; name: string } | null => {
    const found = resolve(table, item);
    if (found && 'msg' in found) breaches.push(wrong([...at, ...found.at], found.msg));
    return found && 'column' in found ? found : null;
  };
  for (const { item, at } of named) {
    if (namesTable(item) && !isOf(table, item)) breaches.push(wrong(at, ONE_TABLE));
  }
  if (breaches.length > 0) return { plan: null, breaches };

  const groups = groupBy.map((item, n): Group | null => {
    const { date_trunc: trunc, date_part: part } = item;
    if (isObject(trunc)) return { trunc: { unit: trunc['unit'] as Unit, value: (trunc['value'] as number) ?? 1 } };
    if (isThere(part)) return { part: part as DatePart };
    return columnOf(item, ['group_by', String(n)]);
  });
  const columns = select.flatMap((item, n): (ResultColumn | null)[] => {
    const at = ['select', String(n)];
    const { group_key: key, func, arg } = item;
    if (key === '*') return groups.map((_, group) => ({ name: `group_key.${group}`, group }));
    if (typeof key === 'number') return [{ name: `group_key.${key}`, group: key }];
    if (!isObject(arg)) {
      const found = columnOf(item, at);
      return [found && { ...found, func: null }];
    }
    const found = columnOf(arg, [...at, 'arg']);
    if (!found) return [null];
    const refusal = FUNCTIONS.includes(func as Func) ? refusalOf(func as Func, found.column.kind) : null;
    if (refusal) breaches.push(wrong([...at, 'func'], refusal));
    return [{ name: `${String(func)}.${found.name}`, column: found.column, func: func as Func }];
  });
  const unknownWords = unknownTypes(table, named);
  const where = whereOf(table, query['where'], { breaches, unknownWords });
  const isWhole = breaches.length === 0 && !groups.includes(null) && !columns.includes(null);
  return {
    plan: isWhole
      ? {
          table,
          columns: columns as ResultColumn[],
          groups: groups as Group[],
          where,
          isListing:
            groups.length === 0 && columns.every((column) => column && 'func' in column && column.func === null),
        }
      : null,
    // The checks `repeatedGroups` and `unknownWords` are newer than some stored continuous queries. These queries must
    // still run, so we return the plan although these two checks may find breaches.
    breaches: [...breaches, ...repeatedGroups(groups), ...unknownWords],
  };
}

/** Refuses a group that is equal to an earlier one, because it would only repeat the keys in the response. */
const repeatedGroups = (groups: (Group | null)[]): Breach[] =>
  groups.flatMap((group, n) => {
    const before = group ? groups.findIndex((other) => other && isSameGroup(other, group)) : n;
    return before < n ? [wrong(['group_by', String(n)], `This group is the same as group_by ${before}`)] : [];
  });

function isSameGroup(one: Group, other: Group): boolean {
  if ('trunc' in one)
    return 'trunc' in other && one.trunc.unit === other.trunc.unit && one.trunc.value === other.trunc.value;
  if ('part' in one) return 'part' in other && one.part === other.part;
  return 'column' in other && one.column === other.column;
}

/**
 * Returns why a function cannot be used for a kind of column; null if it can. `sum` needs numbers, and `min` needs
 * values with an order.
 */
function refusalOf(func: Func, kind: Kind): string | null {
  if (kind === 'number' || func === 'count' || func === 'oldest' || func === 'newest') return null;
  if (kind === 'clock') return func === 'sum' ? 'Times of day cannot be added' : null;
  const hasOrder = kind !== 'boolean' && kind !== 'words';
  if (hasOrder && (func === 'min' || func === 'max')) return null;
  return `A column that is not a number has only count, oldest${hasOrder ? ', newest, min and max' : ' and newest'}`;
}

/** Returns a breach for each named type that samples of the series never have. */
function unknownTypes({ series }: Table, named: NamedColumn[]): Breach[] {
  const types = series?.of.type;
  if (!types || types === 'any') return [];
  return named.flatMap(({ item, at }) => {
    const type = typeOf(item);
    return type === null || types.includes(type) ? [] : [wrong([...at, 'type'], unknownWord(type, types))];
  });
}

function whereOf(
  table: Table,
  where: unknown,
  { breaches, unknownWords }: { breaches: Breach[]; unknownWords: Breach[] },
): TypedCondition | null {
  if (typeof where !== 'string') return null;
  const { columns, macros, sources } = table;
  const about = {
    find: (name: string) => columnNamed(table, name),
    names: Object.keys({ ...columns, ...macros, ...sources }),
    // A response reports one breach for each path. All conditions of a `where` have the same path, so we keep only the
    // first breach of them.
    unknownWord: (at: number, msg: string) => {
      if (!unknownWords.some(({ at: [first] }) => first === 'where'))
        unknownWords.push(wrong(['where'], messageAt(at, msg)));
    },
  };
  try {
    return typed(parseWhere(where), about);
  } catch (error) {
    if (!(error instanceof WhereError)) throw error;
    breaches.push(wrong(['where'], error.message));
    return null;
  }
}

/** Returns the column that a `where` names. Both `duration` and `sleep.duration` name a column of the table `sleep`. */
function columnNamed({ name: table, columns, macros, sources }: Table, name: string): Column | null {
  const own = name.startsWith(`${table}.`) ? name.slice(table.length + 1) : name;
  for (const among of [columns, macros, sources]) if (Object.hasOwn(among, own)) return among[own] as Column;
  return null;
}

type FoundColumn = { column: Column; name: string };

/**
 * Returns the column that an item names. Returns null if there is no such column and the schema has already reported
 * it.
 */
function resolve(table: Table, item: Values): FoundColumn | { at: string[]; msg: string } | null {
  const found = (
    name: unknown,
    among: Readonly<Record<string, Column>>,
    type: string | null = null,
  ): FoundColumn | null =>
    typeof name === 'string' && Object.hasOwn(among, name)
      ? { column: among[name] as Column, name: [table.name, name, ...(type === null ? [] : [type])].join('.') }
      : null;
  if (isThere(item['value_macro'])) return found(item['value_macro'], table.macros);
  if (isThere(item['source'])) return found(OLDER_SOURCES.get(item['source']) ?? item['source'], table.sources);
  if (isThere(item['index'])) return { column: table.index, name: `${table.name}.index` };
  if (!table.series) return found(item[table.name], table.columns);
  const { of: series, type } = table.series;
  const field = item['field'] ?? onlyField(series);
  const fields = Object.keys(table.columns);
  if (field === null) {
    const measured = fields.filter((name) => !Object.hasOwn(MEANS_NO_VALUE, name));
    return { at: ['field'], msg: `Field of ${series.name} should be ${measured.join(' or ')}` };
  }
  const column = found(field, table.columns, type);
  if (column) return column;
  const meant = typeof field === 'string' ? nearest(field, fields) : null;
  const suggestion = meant === null ? '' : `. Did you mean ${meant}?`;
  return { at: ['field'], msg: `Field of ${series.name} should be ${fields.join(', ')}${suggestion}` };
}

/** Older names of columns that describe the source. */
const OLDER_SOURCES = new Map<unknown, string>([
  ['provider', 'source_provider'],
  ['type', 'source_type'],
]);

/** Fields of a sample that are no measured values. The error message about a missing `field` does not propose them. */
const MEANS_NO_VALUE = {
  source_provider: true,
  source_type: true,
  source_app_id: true,
  source_workout_id: true,
  source_sport: true,
  timezone_offset: true,
  type: true,
};

const namesTable = (item: Values): boolean =>
  given(item, TABLE_WORDS).length > 0 || isThere(item['value_macro']) || isThere(item['index']);

/** Returns the table that an item names; null if the item names none, or one that does not exist. */
function tableNamed(item: Values): Table | null {
  const { timeseries, value_macro: macro, index } = item;
  if (isThere(timeseries)) {
    const series = typeof timeseries === 'string' ? seriesNamed(timeseries) : null;
    return series && seriesTable(timeseries as string, series, typeOf(item));
  }
  const name = isThere(macro) ? 'sleep' : isThere(index) ? index : given(item, TABLE_WORDS)[0];
  return SUMMARY_TABLES.find((table) => table.name === name) ?? null;
}

const typeOf = ({ type }: Values): string | null => (typeof type === 'string' ? type : null);

function isOf(table: Table, item: Values): boolean {
  if (isThere(item['index'])) return item['index'] === (table.series ? 'timeseries' : table.name);
  if (isThere(item['timeseries'])) {
    const series = typeof item['timeseries'] === 'string' ? seriesNamed(item['timeseries']) : null;
    return table.series !== null && table.series.of === series && table.series.type === typeOf(item);
  }
  return tableNamed(item)?.name === table.name;
}

/** Returns the parts of an item that name columns or tables: the item itself, or its `arg`. */
function namedIn(item: Values, at: Path): NamedColumn[] {
  if (isThere(item['group_key'])) return [];
  if (isObject(item['arg']))
    return isThere(item['arg']['placeholder']) ? [] : [{ item: item['arg'], at: [...at, 'arg'] }];
  return isThere(item['date_trunc']) || isThere(item['date_part']) ? [] : [{ item, at }];
}
