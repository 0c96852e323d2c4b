// The fields that samples have in queries. A sample has `value` where it is a number, and what few series have in `extra`.
import { sql } from 'kysely';
import { ownOf } from '../../../wire/own.ts';
import { seriesOrNull, SERIES, type Series } from '../../resources.ts';
import { ofRow, ofSource, sealed, SOURCE_COLUMNS, type Columns } from './column.ts';

/** Where a sample was taken, as far as anybody tells: samples of workouts are kept beside the workout, not as series. */
const common = {
  source_provider: SOURCE_COLUMNS.source_provider,
  source_type: SOURCE_COLUMNS.source_type,
  source_app_id: SOURCE_COLUMNS.source_app_id,
  source_workout_id: ofSource('workout_id', sql`null::text`),
  source_sport: ofSource('sport', sql`null::text`),
  timezone_offset: ofRow('number', sql`timezone_offset::float8`),
} satisfies Columns;

const duration = ofRow('number', sql`duration_ms / 1000::float8`);

/** Names of series by which events and older clients know them. */
const OTHER_NAMES: Readonly<Record<string, string>> = { weight: 'body_weight', fat: 'body_fat' };

/** Series as queries name them. */
export const SERIES_NAMES: readonly string[] = [...SERIES.map(({ name }) => name), ...Object.keys(OTHER_NAMES)];

/** A series by any of its names; null where there is none. */
export const seriesNamed = (name: string): Series | null => seriesOrNull(ownOf(OTHER_NAMES, name) ?? name);

const known = new Map<Series, Columns>();

/** The fields of a series, by name. */
export function seriesColumns(series: Series): Columns {
  let columns = known.get(series);
  if (!columns) known.set(series, (columns = columnsOf(series)));
  return columns;
}

function columnsOf({ value, interval, keyedByType, type, extras }: Series): Columns {
  return {
    ...common,
    type: ofRow('text', keyedByType ? sql`kind` : sql`(extra ->> 'type')`, type === 'any' ? null : type),
    ...(value === 'number' && { value: ofRow('number', sql`value`) }),
    ...(value === 'blood_pressure' && {
      systolic: ofRow('number', sql`value`),
      diastolic: ofRow('number', sql`(extra ->> 'diastolic')::float8`),
    }),
    ...(value === 'text' && { content: sealed('content') }),
    ...(value === 'number' && interval && { duration }),
    ...Object.fromEntries(
      Object.entries(extras).map(([name, { list, words }]) => [
        name,
        list
          ? ofRow('words', sql`(extra -> ${name}::text)`, words)
          : ofRow('text', sql`(extra ->> ${name}::text)`, words),
      ]),
    ),
  };
}

/** The field that is meant where none is named; null where there are several. */
export const onlyField = ({ value }: Series): string | null => (value === 'number' ? 'value' : null);

/** Every field that any series has. */
export const FIELD_NAMES: readonly string[] = [...new Set(SERIES.flatMap((series) => Object.keys(columnsOf(series))))];
