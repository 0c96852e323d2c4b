// A sample as it is stored, and as responses and events have it.
import { offsetWithin } from '../calendar-date.ts';
import type { Series } from '../series-type.ts';
import { momentOf, type SampleInputValue } from './sample-input.ts';

/** A stored sample. Its value is in the unit of its series. */
export type Sample = {
  /** The moment, or the start of the interval, as `2026-03-01T09:00:00.000Z`. */
  at: string;
  /** The value. A blood pressure has its systolic value here, a note 0. */
  value: number;
  duration_ms: number | null;
  timezone_offset: number | null;
  extra: SampleExtra | null;
  /** The text of a note. */
  text: string | null;
};

/** The fields that only few samples have, under the names of the API. */
export type SampleExtra = {
  type?: string;
  diastolic?: number;
  tags?: string[];
  /** A keyed hash of the text of a note. */
  text_hash?: string;
  [word: string]: unknown;
};

/** Makes a sample from a checked input, and converts its value into the unit of the series. */
export function toSample(series: Series, input: SampleInputValue): Sample {
  const [from, to] = series.interval ? [input.start, input.end] : [input.timestamp, null];
  const at = canonical(from as string);
  const type = input.type ?? null;
  const convert = series.units[input.unit];
  const inUnit = (value: number): number => (convert ? convert(value, type) : value);
  const extra: SampleExtra = {};
  // In a series that is keyed by type, the stream has the type. So the sample need not have it.
  if (type !== null && !series.keyedByType) extra.type = type;
  if (series.value === 'blood_pressure') extra.diastolic = inUnit(input.diastolic as number);
  for (const name of Object.keys(series.extras)) {
    const given = input[name as 'intensity'];
    if (given !== undefined && given !== null) extra[name] = given;
  }
  return {
    at,
    value: valueOf(series, input, inUnit),
    duration_ms: series.interval ? momentOf(to) - momentOf(from) : null,
    // Without a stated offset, the text of the time may have one: `2026-03-01T09:00:00+01:00`.
    timezone_offset: input.timezone_offset ?? offsetWithin(from as string),
    extra: Object.keys(extra).length > 0 ? extra : null,
    text: series.value === 'text' ? (input.value as string) : null,
  };
}

/** Returns a moment as it is stored. Most senders write this form already, so it is not parsed. */
const canonical = (moment: string): string =>
  moment.length === 24 && moment.endsWith('Z') && moment[10] === 'T'
    ? moment
    : new Date(momentOf(moment)).toISOString();

function valueOf(series: Series, input: SampleInputValue, inUnit: (value: number) => number): number {
  if (series.value === 'text') return 0;
  return inUnit((series.value === 'blood_pressure' ? input.systolic : input.value) as number);
}

/** What renderSample needs to know of a stream. */
export type SampleOrigin = { source_type: string; kind: string };

/** Returns a sample as responses and events have it, with the members of its series. */
export function renderSample(
  series: Series,
  origin: SampleOrigin,
  { at: timestamp, value, duration_ms, timezone_offset, extra, text }: Sample,
): Record<string, unknown> {
  const type = series.keyedByType ? origin.kind : (extra?.type ?? null);
  const shown: Record<string, unknown> = { id: null, timezone_offset, type, unit: series.unit, timestamp };
  if (series.interval) {
    shown['start'] = timestamp;
    shown['end'] = new Date(Date.parse(timestamp) + (duration_ms ?? 0)).toISOString();
  }
  if (series.value === 'blood_pressure') {
    shown['grouping'] = [origin.source_type, null, null, null];
    shown['systolic'] = value;
    shown['diastolic'] = extra?.diastolic;
  } else shown['value'] = series.value === 'text' ? (text ?? '') : value;
  for (const name in series.extras) shown[name] = extra?.[name] ?? null;
  return shown;
}
