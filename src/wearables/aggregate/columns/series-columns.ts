// The fields of samples that queries can name. The column `value` of a sample stores its number. The JSON column
// `extra` stores the fields that only a few series have.
import { sql } from 'kysely';
import { ownProperty } from '../../../wire/own-property.ts';
import { seriesOrNull, SERIES } from '../../series.ts';
import type { Series } from '../../series-type.ts';
import { ofRow, ofSource, sealed, SOURCE_COLUMNS, type Columns } from './column.ts';

/**
 * The fields of all samples. Workout and sport are always null here: samples that belong to a workout are stored with
 * the workout (summaries/summary-streams).
 */
const common = {
  source_provider: SOURCE_COLUMNS.source_provider,
  source_type: SOURCE_COLUMNS.source_type,
  source_app_id: SOURCE_COLUMNS.source_app_id,
  source_workout_id: ofSource('workout_id', sql`null::text`),
  source_sport: ofSource('sport', sql`null::text`),
  timezone_offset: ofRow('number', sql`timezone_offset::float8`),
} satisfies Columns;

const duration = ofRow('number', sql`duration_ms / 1000::float8`);

/** Names that events and older clients use for a series, with the name that Phial uses. */
const OTHER_NAMES: Readonly<Record<string, string>> = { weight: 'body_weight', fat: 'body_fat' };

/** All names that a series can have in queries. */
export const SERIES_NAMES: readonly string[] = [...SERIES.map(({ name }) => name), ...Object.keys(OTHER_NAMES)];

/** Returns the series with this name, which may also be one of OTHER_NAMES; null if there is none. */
export const seriesNamed = (name: string): Series | null => seriesOrNull(ownProperty(OTHER_NAMES, name) ?? name);

const known = new Map<Series, Columns>();

/** Returns the fields of a series, by name. */
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

/**
 * Returns the field that a query means if it names only the series: `value`. Returns null for blood pressure and for
 * texts. Their samples have no `value`, so the query has to name a field.
 */
export const onlyField = ({ value }: Series): string | null => (value === 'number' ? 'value' : null);

/** The names of all fields of all series. */
export const FIELD_NAMES: readonly string[] = [...new Set(SERIES.flatMap((series) => Object.keys(columnsOf(series))))];
