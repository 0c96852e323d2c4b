// A sample as it is kept and as it is shown.
import { offsetWithin } from '../calendar-date.ts';
import type { Series } from '../resources.ts';
import { momentOf, type SampleInputValue } from './sample-input.ts';

/** As it is kept, in the unit of its series. */
export type Sample = {
  /** Its moment, or the start of its interval: UTC, three fractional digits, Z. */
  at: string;
  /** Of a blood pressure the systolic value; of a note 0. */
  value: number;
  duration_ms: number | null;
  timezone_offset: number | null;
  extra: SampleExtra | null;
  /** The text of a note. */
  text: string | null;
};

/** What few samples have, under the names of the wire. */
export type SampleExtra = {
  type?: string;
  diastolic?: number;
  tags?: string[];
  /** Keyed hash of a note's text. */
  text_hash?: string;
  [word: string]: unknown;
};

/** What was sent, in the units of its series; it has been checked. */
export function toSample(series: Series, input: SampleInputValue): Sample {
  const [from, to] = series.interval ? [input.start, input.end] : [input.timestamp, null];
  const at = canonical(from as string);
  const type = input.type ?? null;
  const convert = series.units[input.unit];
  const inUnit = (value: number): number => (convert ? convert(value, type) : value);
  const extra: SampleExtra = {};
  // Of a series that is keyed by it, the type stands with the stream.
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
    // Where the sender says no offset, the time itself may.
    timezone_offset: input.timezone_offset ?? offsetWithin(from as string),
    extra: Object.keys(extra).length > 0 ? extra : null,
    text: series.value === 'text' ? (input.value as string) : null,
  };
}

/** Most senders write moments as they are kept. */
const canonical = (moment: string): string =>
  moment.length === 24 && moment.endsWith('Z') && moment[10] === 'T'
    ? moment
    : new Date(momentOf(moment)).toISOString();

function valueOf(series: Series, input: SampleInputValue, inUnit: (value: number) => number): number {
  if (series.value === 'text') return 0;
  return inUnit((series.value === 'blood_pressure' ? input.systolic : input.value) as number);
}

/** What a reader needs of where samples came from. */
export type SampleOrigin = { source_type: string; kind: string };

/** A sample as its series shows it. */
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
