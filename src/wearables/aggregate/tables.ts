// What queries compute with: every time series, and every kind of summary with the numbers that it has.
import type { TSchema } from 'typebox';
import { SERIES, type Series } from '../resources.ts';
import { SUMMARIES } from '../summaries/resources.ts';

/** The word by which queries name summaries of a kind, and the fields that are numbers. */
export type SummaryTable = { name: string; resource: string; columns: readonly string[] };

type Field = {
  type?: string | string[];
  properties?: Record<string, Field>;
  /** Of a map of numbers: by which names. */
  propertyNames?: { enum?: readonly string[] };
  additionalProperties?: Field | boolean;
};

/** Not measured: it tells of the clock. */
const NO_MEASURE = new Set(['timezone_offset']);

/** Queries are about days: what belongs to none, as a profile, is no part of them. */
export const SUMMARY_TABLES: readonly SummaryTable[] = SUMMARIES.filter(({ list }) => list)
  .map((summary) => ({
    name: summary.name === 'workouts' ? 'workout' : summary.name,
    resource: summary.name,
    columns: Object.entries(summary.input.properties as Record<string, TSchema & Field>)
      .filter(([name]) => !summary.sealed.includes(name) && !NO_MEASURE.has(name))
      .flatMap(([name, field]) => numbersOf(name, field)),
  }))
  .filter(({ columns }) => columns.length > 0);

/** The field itself, or the numbers within it as `heart_rate.avg_bpm`. */
function numbersOf(name: string, { type, properties, propertyNames, additionalProperties }: Field): string[] {
  if ([type].flat().some((kind) => kind === 'number' || kind === 'integer')) return [name];
  const named = typeof additionalProperties === 'object' ? (propertyNames?.enum ?? []) : [];
  const inMap = named.map((inner): [string, Field] => [inner, additionalProperties as Field]);
  return [...Object.entries(properties ?? {}), ...inMap].flatMap(([inner, field]) =>
    numbersOf(inner, field).map((path) => `${name}.${path}`),
  );
}

/** Series that have numbers. */
export const SERIES_TABLES: readonly Series[] = SERIES.filter(({ value }) => value !== 'text');

export const seriesFields = ({ value }: Series): readonly string[] =>
  value === 'blood_pressure' ? ['systolic', 'diastolic'] : ['value'];
