// A query as it came in, read into what is computed: which table, which columns, by what it is grouped. One reading serves
// the check of a request, the statement, the names of the answer's columns and their types.
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
  type Place,
  type Values,
} from './query-shape.ts';
import { seriesTable, SUMMARY_TABLES, type Table } from './tables.ts';
import { parseWhere } from './where/condition.ts';
import { toldAt, WhereError } from './where/tokens.ts';
import { typed, unknownWord, type TypedCondition } from './where/typed.ts';

export type Unit = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';
export type DatePart = Unit | 'weekday' | 'week_of_year' | 'day_of_year';

export type Group = { trunc: { unit: Unit; value: number } } | { part: DatePart } | { column: Column };

/** A column of the answer: of a group, or of a value of the rows, as it is or made one by a function. */
export type AnswerColumn = { name: string } & ({ group: number } | { column: Column; func: Func | null });

export type QueryPlan = {
  table: Table;
  columns: AnswerColumn[];
  groups: Group[];
  where: TypedCondition | null;
  /** Rows as they are, and not one a group. */
  isListing: boolean;
};

/** A part of a query that names a column, and where it stands. */
type Named = { item: Values; at: Place };

const ONE_TABLE =
  'All columns should be of one series, and of one type of it, or of one kind of summary, and so should every index';

/** The plan of a query that a check has let through. */
export function planOf(query: unknown): QueryPlan {
  const { plan, breaches } = readQuery(query as Values);
  if (!plan) throw new Error(`a query that was let through is none: ${breaches[0]?.msg ?? 'it has an unknown word'}`);
  return plan;
}

/**
 * What a query asks for, or what is wrong with it. A word that its own list does not have is told by the schema and not here;
 * there is no plan then.
 */
export function readQuery(query: Values): { plan: QueryPlan | null; breaches: Breach[] } {
  const select = listOf(query['select']);
  const groupBy = listOf(query['group_by']);
  const breaches = shapeBreaches(select, groupBy);
  if (breaches.length > 0) return { plan: null, breaches };
  const named: Named[] = [
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

const NO_TABLE = 'Nothing says what is read: a column, a value macro or the index of a kind of summary is needed';

function readFor(
  table: Table,
  { query, select, groupBy, named }: { query: Values; select: Values[]; groupBy: Values[]; named: Named[] },
): { plan: QueryPlan | null; breaches: Breach[] } {
  const breaches: Breach[] = [];
  const columnOf = (item: Values, at: Place): { column: Column; name: string } | null => {
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
  const columns = select.flatMap((item, n): (AnswerColumn | null)[] => {
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
          columns: columns as AnswerColumn[],
          groups: groups as Group[],
          where,
          isListing:
            groups.length === 0 && columns.every((column) => column && 'func' in column && column.func === null),
        }
      : null,
    // A plan all the same: a continuous query may have been stored with one.
    breaches: [...breaches, ...repeatedGroups(groups), ...unknownWords],
  };
}

/** Groups that are the same as one before them: they set nothing apart, and each tells its keys once more. */
const repeatedGroups = (groups: (Group | null)[]): Breach[] =>
  groups.flatMap((group, n) => {
    const before = group ? groups.findIndex((other) => other && isSameGroup(other, group)) : n;
    return before < n ? [wrong(['group_by', String(n)], `It is the same as group_by ${before}`)] : [];
  });

function isSameGroup(one: Group, other: Group): boolean {
  if ('trunc' in one)
    return 'trunc' in other && one.trunc.unit === other.trunc.unit && one.trunc.value === other.trunc.value;
  if ('part' in one) return 'part' in other && one.part === other.part;
  return 'column' in other && one.column === other.column;
}

/** Functions that only numbers have, and those that need an order. */
function refusalOf(func: Func, kind: Kind): string | null {
  if (kind === 'number' || func === 'count' || func === 'oldest' || func === 'newest') return null;
  if (kind === 'clock') return func === 'sum' ? 'Times of day cannot be added' : null;
  const hasOrder = kind !== 'boolean' && kind !== 'words';
  if (hasOrder && (func === 'min' || func === 'max')) return null;
  return `What is no number has only count, oldest, newest${hasOrder ? ', min and max' : ''}`;
}

/** Types that samples of the series never have. */
function unknownTypes({ series }: Table, named: Named[]): Breach[] {
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
    // The first: each place is told once.
    unknownWord: (at: number, msg: string) => {
      if (!unknownWords.some(({ at: [first] }) => first === 'where'))
        unknownWords.push(wrong(['where'], toldAt(at, msg)));
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

/** A column as a `where` names it: by itself, or after the table's name and a dot. */
function columnNamed({ name: table, columns, macros, sources }: Table, name: string): Column | null {
  const own = name.startsWith(`${table}.`) ? name.slice(table.length + 1) : name;
  for (const among of [columns, macros, sources]) if (Object.hasOwn(among, own)) return among[own] as Column;
  return null;
}

type Found = { column: Column; name: string };

/** The column that an item names; null where the schema has told already that there is none. */
function resolve(table: Table, item: Values): Found | { at: string[]; msg: string } | null {
  const found = (name: unknown, among: Readonly<Record<string, Column>>, type: string | null = null): Found | null =>
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

/** Words that `source` had before. */
const OLDER_SOURCES = new Map<unknown, string>([
  ['provider', 'source_provider'],
  ['type', 'source_type'],
]);

/** Fields that say of a sample where it is from, and not what was measured. */
const MEANS_NO_VALUE = {
  source_provider: true,
  source_type: true,
  source_app_id: true,
  source_workout_id: true,
  source_sport: true,
  timezone_offset: true,
  type: true,
};

/** Whether an item says by itself which table it is of. */
const namesTable = (item: Values): boolean =>
  given(item, TABLE_WORDS).length > 0 || isThere(item['value_macro']) || isThere(item['index']);

/** The table that an item names by itself; null where it names none, or one that does not exist. */
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

/** The parts of an item that name columns or tables: itself, or what stands in `arg`. */
function namedIn(item: Values, at: Place): Named[] {
  if (isThere(item['group_key'])) return [];
  if (isObject(item['arg']))
    return isThere(item['arg']['placeholder']) ? [] : [{ item: item['arg'], at: [...at, 'arg'] }];
  return isThere(item['date_trunc']) || isThere(item['date_part']) ? [] : [{ item, at }];
}
