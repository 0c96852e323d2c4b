// What queries read: every time series, and every kind of summary with its columns.
import { sql } from 'kysely';
import type { TSchema } from 'typebox';
import { ownOf } from '../../wire/own.ts';
import type { Series } from '../resources.ts';
import type { SummaryResource } from '../summaries/resource.ts';
import { SUMMARIES } from '../summaries/resources.ts';
import { number, ofRow, ofSource, SOURCE_COLUMNS, uuid, type Column, type Columns } from './columns/column.ts';
import { seriesColumns } from './columns/series-columns.ts';
import { SLEEP_MACROS } from './columns/sleep-macros.ts';
import { SUMMARY_COLUMNS } from './columns/summary-columns.ts';

/** What one query reads. */
export type Table = {
  /** As queries name it; of a series as it was named. */
  name: string;
  /** As rows keep it. */
  resource: string;
  /** Null of summaries. */
  series: { of: Series; type: string | null } | null;
  columns: Columns;
  macros: Columns;
  /** What `source` has of it. */
  sources: Columns;
  /** The moment or day by which its rows are placed in time. */
  index: Column;
  /** A state, as a profile: it is in every timeframe that ends after it came in. */
  isOfNoDay: boolean;
};

type Field = {
  type?: string | string[];
  properties?: Record<string, Field>;
  /** Of a map of numbers: by which names. */
  propertyNames?: { enum?: readonly string[] };
  additionalProperties?: Field | boolean;
};

/** Not measured: it tells of the clock. */
const NO_MEASURE = new Set(['timezone_offset']);

/** Kinds of summaries that queries name otherwise than their rows. */
const WORDS: Readonly<Record<string, string>> = { workouts: 'workout' };

/** The numbers of a kind of summary by their own paths, as `heart_rate.avg_bpm`. */
export const ownNumbers = ({ input, sealed }: SummaryResource): string[] =>
  Object.entries(input.properties as Record<string, TSchema & Field>)
    .filter(([name]) => !sealed.includes(name) && !NO_MEASURE.has(name))
    .flatMap(([name, field]) => numbersOf(name, field));

/** The field itself, or the numbers within it. */
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
const made = ofRow('moment', sql`date_trunc('milliseconds', created_at)`);
/** A day has no hour, and a night belongs to the day on which the person woke. */
const INDEXES: Readonly<Record<string, Column>> = { activity: day, sleep: day, profile: made };

const nowhere = {
  source_workout_id: ofSource('workout_id', sql`null::text`),
  source_sport: ofSource('sport', sql`null::text`),
};
const ofWorkout = {
  source_workout_id: uuid(sql`id`, 'workout_id'),
  source_sport: ofSource('sport', sql`("values" ->> 'sport')`),
};

/** Kinds of summaries that have columns, as queries name them. */
export const SUMMARY_TABLES: readonly Table[] = SUMMARIES.flatMap((summary): Table[] => {
  const name = ownOf(WORDS, summary.name) ?? summary.name;
  const known = ownOf(SUMMARY_COLUMNS, name);
  const paths = summary.list ? ownNumbers(summary) : [];
  if (!known && paths.length === 0) return [];
  return [
    {
      name,
      resource: summary.name,
      series: null,
      columns: { ...Object.fromEntries(paths.map((path) => [path, number(path)])), ...(known ?? SOURCE_COLUMNS) },
      macros: name === 'sleep' ? SLEEP_MACROS : {},
      sources: { ...SOURCE_COLUMNS, ...(name === 'workout' ? ofWorkout : nowhere) },
      index: ownOf(INDEXES, name) ?? begin,
      isOfNoDay: !summary.list,
    },
  ];
});

/** A series as a query reads it: of one type, or of all. */
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
