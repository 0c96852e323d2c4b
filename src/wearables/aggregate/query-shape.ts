// Rules of a query that JSON schemas of its keys cannot express: which keys may be used together. Each breach has the
// path of the part of the query that breaks the rule.
import type { Breach } from '../../wire/rule.ts';
import { seriesNamed } from './columns/series-columns.ts';
import { SUMMARY_TABLES } from './query-tables.ts';

export type Values = Record<string, unknown>;
export type Path = readonly string[];

export const isThere = (value: unknown): boolean => value !== undefined && value !== null;
export const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null;
export const wrong = (at: Path, msg: string, type = 'value_error'): Breach => ({ at: [...at], type, msg });
export const listOf = (value: unknown): Values[] => (Array.isArray(value) ? value.filter(isObject) : []);
export const given = (item: Values, names: readonly string[]): string[] => names.filter((name) => isThere(item[name]));

/** The keys that name a table. The value of such a key is a column, as in `{ "sleep": "duration" }`. */
export const TABLE_WORDS = ['timeseries', ...SUMMARY_TABLES.map(({ name }) => name)];
/** The keys that name a column. An item must have exactly one of them. */
const COLUMN_WORDS = [...TABLE_WORDS, 'value_macro', 'index', 'source'];

export const shapeBreaches = (select: Values[], groupBy: Values[]): Breach[] => [
  ...select.flatMap((item, n) => selectBreaches(item, ['select', String(n)], groupBy.length)),
  ...groupBy.flatMap((item, n) => groupBreaches(item, ['group_by', String(n)])),
  ...(select.length > 0 && select.every((item) => isThere(item['group_key']))
    ? [wrong(['select'], 'At least one column, or one func with an arg, is needed')]
    : []),
  ...mixBreaches(select, groupBy.length),
];

function selectBreaches(item: Values, at: Path, groups: number): Breach[] {
  const { group_key: key, func, arg } = item;
  const columns = given(item, COLUMN_WORDS);
  if (isThere(key)) {
    if (isThere(func) || isThere(arg) || columns.length > 0)
      return [wrong([...at, 'group_key'], 'A group_key cannot be combined with other keys')];
    return key === '*' || (key as number) < groups
      ? []
      : [wrong([...at, 'group_key'], 'group_by has no entry at this index')];
  }
  if (!isThere(func) && !isThere(arg)) return columnBreaches(item, at, COLUMN_WORDS);
  if (columns.length > 0) return [wrong(at, 'A func with an arg cannot be combined with a column')];
  if (!isThere(func)) return [wrong([...at, 'func'], 'Field required beside arg', 'missing')];
  if (!isObject(arg)) return [wrong([...at, 'arg'], 'Field required beside func', 'missing')];
  return columnBreaches(arg, [...at, 'arg'], [...TABLE_WORDS, 'value_macro', 'index']);
}

/** Checks that exactly one key names the column, and that the other keys of the item may stand beside this key. */
function columnBreaches(item: Values, at: Path, words: readonly string[]): Breach[] {
  const names = given(item, words);
  if (names.length !== 1) return [wrong(at, 'Exactly one column, value macro or index is needed')];
  const breaches: Breach[] = [];
  if (names[0] !== 'timeseries') {
    breaches.push(...given(item, ['field', 'type']).map((name) => wrong([...at, name], 'Only a series has this key')));
  } else if (isThere(item['type'])) {
    const series = typeof item['timeseries'] === 'string' ? seriesNamed(item['timeseries']) : null;
    if (series && !series.keyedByType)
      breaches.push(wrong([...at, 'type'], `Samples of ${series.name} cannot be selected by type`));
  }
  if (isThere(item['version']) && names[0] !== 'value_macro')
    breaches.push(wrong([...at, 'version'], 'Only a value macro has this key'));
  return breaches;
}

const GROUP_WORDS = ['date_trunc', 'date_part', ...TABLE_WORDS, 'value_macro', 'source'];

function groupBreaches(item: Values, at: Path): Breach[] {
  const names = given(item, GROUP_WORDS);
  if (names.length !== 1)
    return [wrong(at, 'Exactly one of date_trunc, date_part, source, a column or a value macro is needed')];
  const isByTime = names[0] === 'date_trunc' || names[0] === 'date_part';
  const { arg } = item;
  if (!isByTime) {
    if (isThere(arg)) return [wrong([...at, 'arg'], 'Only date_trunc and date_part have this key')];
    return columnBreaches(item, at, [...TABLE_WORDS, 'value_macro', 'source']);
  }
  const beside = given(item, ['field', 'type', 'version']).map((name) =>
    wrong([...at, name], 'Only a column has this key'),
  );
  const ofWhat = isObject(arg) ? given(arg, ['index', 'placeholder']) : ['index'];
  return ofWhat.length === 1
    ? beside
    : [...beside, wrong([...at, 'arg'], 'Exactly one of index and placeholder is needed')];
}

/** A query either lists rows or makes one row of each group. Refuses a query that asks for both. */
function mixBreaches(select: Values[], groups: number): Breach[] {
  const isBare = (item: Values): boolean =>
    given(item, COLUMN_WORDS).length > 0 && given(item, ['group_key', 'arg']).length === 0;
  const makesOne = groups > 0 || select.some((item) => isThere(item['func']));
  if (!makesOne) return [];
  const msg =
    groups > 0
      ? 'With group_by, each entry of select is a group_key or a func with an arg'
      : 'A column lists rows, and a func makes one value of them. A query can do one or the other';
  return select.flatMap((item, n) => (isBare(item) ? [wrong(['select', String(n)], msg)] : []));
}
