// What the parts of a query must look like beyond the types of their keys, each breach with its place: which words stand
// together, and which alone.
import type { Breach } from '../../wire/rule.ts';
import { seriesNamed } from './columns/series-columns.ts';
import { SUMMARY_TABLES } from './tables.ts';

export type Values = Record<string, unknown>;
export type Place = readonly string[];

export const isThere = (value: unknown): boolean => value !== undefined && value !== null;
export const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null;
export const wrong = (at: Place, msg: string, type = 'value_error'): Breach => ({ at: [...at], type, msg });
export const listOf = (value: unknown): Values[] => (Array.isArray(value) ? value.filter(isObject) : []);
export const given = (item: Values, names: readonly string[]): string[] => names.filter((name) => isThere(item[name]));

/** Words that name a table and a column of it. */
export const TABLE_WORDS = ['timeseries', ...SUMMARY_TABLES.map(({ name }) => name)];
/** Each of them alone names a column. */
const COLUMN_WORDS = [...TABLE_WORDS, 'value_macro', 'index', 'source'];

export const shapeBreaches = (select: Values[], groupBy: Values[]): Breach[] => [
  ...select.flatMap((item, n) => selectBreaches(item, ['select', String(n)], groupBy.length)),
  ...groupBy.flatMap((item, n) => groupBreaches(item, ['group_by', String(n)])),
  ...(select.length > 0 && select.every((item) => isThere(item['group_key']))
    ? [wrong(['select'], 'At least one column, or one func of an arg, is needed')]
    : []),
  ...mixBreaches(select, groupBy.length),
];

function selectBreaches(item: Values, at: Place, groups: number): Breach[] {
  const { group_key: key, func, arg } = item;
  const columns = given(item, COLUMN_WORDS);
  if (isThere(key)) {
    if (isThere(func) || isThere(arg) || columns.length > 0)
      return [wrong([...at, 'group_key'], 'A group_key stands alone')];
    return key === '*' || (key as number) < groups
      ? []
      : [wrong([...at, 'group_key'], 'There is no such place in group_by')];
  }
  if (!isThere(func) && !isThere(arg)) return columnBreaches(item, at, COLUMN_WORDS);
  if (columns.length > 0) return [wrong(at, 'A func of an arg stands alone')];
  if (!isThere(func)) return [wrong([...at, 'func'], 'Field required beside arg', 'missing')];
  if (!isObject(arg)) return [wrong([...at, 'arg'], 'Field required beside func', 'missing')];
  return columnBreaches(arg, [...at, 'arg'], [...TABLE_WORDS, 'value_macro', 'index']);
}

/** Exactly one word names the column, and what stands beside it belongs to that word. */
function columnBreaches(item: Values, at: Place, words: readonly string[]): Breach[] {
  const names = given(item, words);
  if (names.length !== 1) return [wrong(at, 'Exactly one column, value macro or index is needed')];
  const breaches: Breach[] = [];
  if (names[0] !== 'timeseries') {
    breaches.push(...given(item, ['field', 'type']).map((name) => wrong([...at, name], 'Only a series has it')));
  } else if (isThere(item['type'])) {
    const series = typeof item['timeseries'] === 'string' ? seriesNamed(item['timeseries']) : null;
    if (series && !series.keyedByType) breaches.push(wrong([...at, 'type'], `${series.name} takes no type`));
  }
  if (isThere(item['version']) && names[0] !== 'value_macro')
    breaches.push(wrong([...at, 'version'], 'Only a value macro has it'));
  return breaches;
}

const GROUP_WORDS = ['date_trunc', 'date_part', ...TABLE_WORDS, 'value_macro', 'source'];

function groupBreaches(item: Values, at: Place): Breach[] {
  const names = given(item, GROUP_WORDS);
  if (names.length !== 1)
    return [wrong(at, 'Exactly one of date_trunc, date_part, source, a column or a value macro is needed')];
  const isByTime = names[0] === 'date_trunc' || names[0] === 'date_part';
  const { arg } = item;
  if (!isByTime) {
    if (isThere(arg)) return [wrong([...at, 'arg'], 'Only date_trunc and date_part have it')];
    return columnBreaches(item, at, [...TABLE_WORDS, 'value_macro', 'source']);
  }
  const beside = given(item, ['field', 'type', 'version']).map((name) => wrong([...at, name], 'Only a column has it'));
  const ofWhat = isObject(arg) ? given(arg, ['index', 'placeholder']) : ['index'];
  return ofWhat.length === 1
    ? beside
    : [...beside, wrong([...at, 'arg'], 'Exactly one of index, placeholder is needed')];
}

/** Rows as they are, or one of each group: nothing is both. */
function mixBreaches(select: Values[], groups: number): Breach[] {
  const isBare = (item: Values): boolean =>
    given(item, COLUMN_WORDS).length > 0 && given(item, ['group_key', 'arg']).length === 0;
  const makesOne = groups > 0 || select.some((item) => isThere(item['func']));
  if (!makesOne) return [];
  const msg =
    groups > 0
      ? 'With group_by each of select is a group_key or a func of an arg'
      : 'A column lists rows and a func makes one of them: a query does one or the other';
  return select.flatMap((item, n) => (isBare(item) ? [wrong(['select', String(n)], msg)] : []));
}
