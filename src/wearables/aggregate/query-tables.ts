// The tables that queries can read: every time series, and every kind of summary, with their columns.
import { sql } from 'kysely';
import type { TSchema } from 'typebox';
import { ownProperty } from '../../wire/own-property.ts';
import type { Series } from '../series-type.ts';
import type { SummaryResource } from '../summaries/resource.ts';
import { SUMMARIES } from '../summaries/summary-resources.ts';
import { number, ofRow, ofSource, SOURCE_COLUMNS, uuid, type Column, type Columns } from './columns/column.ts';
import { seriesColumns } from './columns/series-columns.ts';
import { SLEEP_MACROS } from './columns/sleep-macros.ts';
import { SUMMARY_COLUMNS } from './columns/summary-columns.ts';

/** The table that a query reads. A query reads one table. */
export type Table = {
  /** The name in queries. A series can have several names; this is the one that the query used. */
  name: string;
  /** The value of `resource` in stored rows. */
  resource: string;
  /** The series; null if the table has summaries. */
  series: { of: Series; type: string | null } | null;
  columns: Columns;
  macros: Columns;
  /** The columns that a `source` item of a query can name. */
  sources: Columns;
  /** The column for the time of a row: a moment or a day. */
  index: Column;
  /**
   * True if a row describes a state and no day, for example a profile. Such a row is in every timeframe that ends after
   * Phial stored the row.
   */
  isOfNoDay: boolean;
};

type Field = {
  type?: string | string[];
  properties?: Record<string, Field>;
  /** The possible keys of an object that maps names to numbers, for example nutrients to their amounts. */
  propertyNames?: { enum?: readonly string[] };
  additionalProperties?: Field | boolean;
};

/** Numbers of summaries that nobody measured. Queries cannot name them as columns. */
const NO_MEASURE = new Set(['timezone_offset']);

/** The names of those tables that have another name in queries than their resource, by resource. */
const WORDS: Readonly<Record<string, string>> = { workouts: 'workout' };

/** Returns the paths of all numbers in a kind of summary, for example `heart_rate.avg_bpm`. */
export const ownNumbers = ({ input, sealed }: SummaryResource): string[] =>
  Object.entries(input.properties as Record<string, TSchema & Field>)
    .filter(([name]) => !sealed.includes(name) && !NO_MEASURE.has(name))
    .flatMap(([name, field]) => numbersOf(name, field));

/** Returns the path of the field if the field is a number, or the paths of all numbers within the field. */
function numbersOf(name: string, { type, properties, propertyNames, additionalProperties }: Field): string[] {
  if ([type].flat().some((kind) => kind === 'number' || kind === 'integer')) return [name];
  const named = typeof additionalProperties === 'object' ? (propertyNames?.enum ?? []) : [];
  const inMap = named.map((inner): [string, Field] => [inner, additionalProperties as Field]);
  return [...Object.entries(properties ?? {}), ...inMap].flatMap(([inner, field]) =>
    numbersOf(inner, field).map((path) => `${name}.${path}`),
  );
}

const day = ofRow('date', sql`calendar_date`);
const begin = ofRow('moment', sql`start_at`);
const storedAt = ofRow('moment', sql`date_trunc('milliseconds', created_at)`);
/**
 * The kinds of summaries whose index (the time of a row) is not their start. An activity has only a day. A night
 * belongs to the day on which the person woke. A profile has only the time at which Phial stored it.
 */
const INDEXES: Readonly<Record<string, Column>> = { activity: day, sleep: day, profile: storedAt };

const withoutWorkout = {
  source_workout_id: ofSource('workout_id', sql`null::text`),
  source_sport: ofSource('sport', sql`null::text`),
};
const ofWorkout = {
  source_workout_id: uuid(sql`id`, 'workout_id'),
  source_sport: ofSource('sport', sql`("values" ->> 'sport')`),
};

/** The tables for those kinds of summaries that have columns. */
export const SUMMARY_TABLES: readonly Table[] = SUMMARIES.flatMap((summary): Table[] => {
  const name = ownProperty(WORDS, summary.name) ?? summary.name;
  const known = ownProperty(SUMMARY_COLUMNS, name);
  const paths = summary.list ? ownNumbers(summary) : [];
  if (!known && paths.length === 0) return [];
  return [
    {
      name,
      resource: summary.name,
      series: null,
      columns: { ...Object.fromEntries(paths.map((path) => [path, number(path)])), ...(known ?? SOURCE_COLUMNS) },
      macros: name === 'sleep' ? SLEEP_MACROS : {},
      sources: { ...SOURCE_COLUMNS, ...(name === 'workout' ? ofWorkout : withoutWorkout) },
      index: ownProperty(INDEXES, name) ?? begin,
      isOfNoDay: !summary.list,
    },
  ];
});

/** Returns the table of a series, for one type or for all types. */
export function seriesTable(name: string, series: Series, type: string | null): Table {
  const columns = seriesColumns(series);
  return {
    name,
    resource: series.name,
    series: { of: series, type },
    columns,
    macros: {},
    sources: columns,
    index: ofRow('moment', sql`at`),
    isOfNoDay: false,
  };
}
