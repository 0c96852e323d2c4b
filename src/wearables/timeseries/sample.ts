// A sample, in the form that we store and in the form that the API returns.
import { offsetWithin } from '../calendar-date.ts';
import type { Series } from '../series-type.ts';
import { momentOf, type SampleInputValue } from './sample-input.ts';

/** A stored sample. Its value is in the unit of its series. */
export type Sample = {
  /** The moment, or the start of the interval, as text: in UTC, with three fractional digits and Z. */
  at: string;
  /** The value. For a blood pressure this is the systolic value, for a note it is 0. */
  value: number;
  duration_ms: number | null;
  timezone_offset: number | null;
  extra: SampleExtra | null;
  /** The text of a note. */
  text: string | null;
};

/** Values that few samples have, under the names that the API uses. */
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
  // If the series is keyed by type, the stream stores the type.
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
    // If the sender states no offset, the text of the time may contain one.
    timezone_offset: input.timezone_offset ?? offsetWithin(from as string),
    extra: Object.keys(extra).length > 0 ? extra : null,
    text: series.value === 'text' ? (input.value as string) : null,
  };
}

/** Returns a moment in the stored form. Most senders write this form already, so we do not have to parse it. */
const canonical = (moment: string): string =>
  moment.length === 24 && moment.endsWith('Z') && moment[10] === 'T'
    ? moment
    : new Date(momentOf(moment)).toISOString();

function valueOf(series: Series, input: SampleInputValue, inUnit: (value: number) => number): number {
  if (series.value === 'text') return 0;
  return inUnit((series.value === 'blood_pressure' ? input.systolic : input.value) as number);
}

/** The part of a stream that renderSample needs. */
export type SampleOrigin = { source_type: string; kind: string };

/** Returns a sample in the form that the API returns, with the keys of its series. */
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
