// What a query must fulfil beyond the types of its parts, each breach with its place.
import type { Breach } from '../../wire/rule.ts';
import { seriesOrNull } from '../resources.ts';
import { seriesFields, SUMMARY_TABLES } from './tables.ts';

type Values = Record<string, unknown>;

const isThere = (value: unknown): boolean => value !== undefined && value !== null;
const wrong = (at: string[], msg: string): Breach => ({ at, type: 'value_error', msg });
const listOf = (value: unknown): Values[] => (Array.isArray(value) ? (value as Values[]) : []);
const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null;

export function queryBreaches(query: Values): Breach[] {
  const select = listOf(query['select']).filter(isObject);
  const groups = listOf(query['group_by']).filter(isObject);
  return [
    ...select.flatMap((selected, index) => selectBreaches(selected, ['select', String(index)], groups.length)),
    ...groups.flatMap((group, index) => groupBreaches(group, ['group_by', String(index)])),
    ...tableBreaches(select),
  ];
}

function selectBreaches(selected: Values, at: string[], groups: number): Breach[] {
  const { group_key: key, func, arg } = selected;
  if (isThere(key)) {
    if (isThere(func) || isThere(arg)) return [wrong([...at, 'group_key'], 'A group_key stands alone')];
    if (key === '*') return [];
    return (key as number) < groups ? [] : [wrong([...at, 'group_key'], 'There is no such place in group_by')];
  }
  if (!isThere(func)) return [{ at: [...at, 'func'], type: 'missing', msg: 'Field required beside arg' }];
  if (!isObject(arg)) return [{ at: [...at, 'arg'], type: 'missing', msg: 'Field required beside func' }];
  return columnBreaches(arg, [...at, 'arg']);
}

function columnBreaches(column: Values, at: string[]): Breach[] {
  const tables = tablesOf(column);
  if (tables.length !== 1) {
    return [wrong(at, 'Exactly one series or kind of summary is needed')];
  }
  const series = typeof column['timeseries'] === 'string' ? seriesOrNull(column['timeseries']) : null;
  if (!series)
    return ['field', 'type']
      .filter((name) => isThere(column[name]))
      .map((name) => wrong([...at, name], 'Only a series has it'));
  const fields = seriesFields(series);
  const breaches: Breach[] = [];
  if (isThere(column['field']) ? !fields.includes(column['field'] as string) : fields.length > 1)
    breaches.push(wrong([...at, 'field'], `Field of ${series.name} should be ${fields.join(' or ')}`));
  if (series.keyedByType !== isThere(column['type']))
    breaches.push(
      wrong([...at, 'type'], series.keyedByType ? `${series.name} needs a type` : `${series.name} takes no type`),
    );
  return breaches;
}

function groupBreaches(group: Values, at: string[]): Breach[] {
  const given = ['date_trunc', 'source'].filter((name) => isThere(group[name]));
  if (given.length !== 1) return [wrong(at, 'Exactly one of date_trunc, source is needed')];
  const trunc = group['date_trunc'] as Values | undefined;
  if (trunc?.['unit'] === 'month' && isThere(trunc['value']) && trunc['value'] !== 1)
    return [wrong([...at, 'date_trunc', 'value'], 'Groups of months are one month long')];
  return [];
}

/** One query, one table: rows of two kinds have nothing that would join them. */
function tableBreaches(select: Values[]): Breach[] {
  const columns = select.flatMap((selected, index) =>
    isObject(selected['arg']) ? [{ column: selected['arg'], index }] : [],
  );
  const nameOf = (column: Values): string =>
    `${tablesOf(column).join()} ${String(column['timeseries'] ?? '')} ${String(column['type'] ?? '')}`;
  const [first] = columns;
  if (!first) {
    const keysOnly = select.length > 0 && select.every((selected) => isThere(selected['group_key']));
    return keysOnly ? [wrong(['select'], 'At least one func of an arg is needed')] : [];
  }
  return columns
    .filter(({ column }) => nameOf(column) !== nameOf(first.column))
    .map(({ index }) =>
      wrong(
        ['select', String(index), 'arg'],
        'All columns should be of one series, and of one type of it, or of one kind of summary',
      ),
    );
}

const tablesOf = (column: Values): string[] =>
  ['timeseries', ...SUMMARY_TABLES.map(({ name }) => name)].filter((name) => isThere(column[name]));
