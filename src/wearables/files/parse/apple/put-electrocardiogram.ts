// An electrocardiogram of an Apple export. It is a CSV file: first lines of the form `name,value`, then one voltage in
// each line. The names are in the language of the phone, so we recognise most fields by their values. We do not read
// the name and birth date of the person.
import type { ParsedSummary, Sink } from '../parsed-line.ts';
import { momentOf } from './time.ts';

/** The largest file of an electrocardiogram in bytes. One of half a minute with 512 voltages a second has 150 kB. */
export const MAX_ECG_BYTES = 4 * 1024 * 1024;
/** The voltages of more than three minutes, at 512 a second. */
const MAX_VOLTAGES = 100_000;
/** The highest sampling rate. Samples have times in milliseconds, so they cannot be nearer to each other. */
const MAX_HERTZ = 1_000;

const VOLTAGE = /^"?(-?\d+(?:[.,]\d+)?)"?$/;
const MOMENT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}$/;
const HERTZ = /^(\d+(?:[.,]\d+)?) ?h[a-z]*z?/i;
const MILLIVOLTS: [RegExp, number][] = [
  [/^[µμu]V$/, 0.001],
  [/^mV$/, 1],
];
const CLASSES: [RegExp, string, string?][] = [
  [/^sinus rhythm$/i, 'sinus_rhythm'],
  [/^atrial fibrillation/i, 'atrial_fibrillation'],
  [/^(inconclusive|unclassified)$/i, 'inconclusive'],
  [/high heart rate$/i, 'inconclusive', 'high_heart_rate'],
  [/low heart rate$/i, 'inconclusive', 'low_heart_rate'],
  [/^poor (recording|reading)$/i, 'inconclusive', 'poor_reading'],
];

const numberOf = (text: string): number => Number(text.replace(',', '.'));

/**
 * Passes the recording on. Returns false if the table is no electrocardiogram, because it has no time, no sampling rate
 * or no voltages.
 */
export function putElectrocardiogram(text: string, sink: Sink): boolean {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const first = lines.findIndex((line) => VOLTAGE.test(line));
  if (first === -1) return false;
  const head = headOf(lines.slice(0, first));
  const values = head.map(([, value]) => value);
  const begin = momentOf(values.find((value) => MOMENT.test(value)));
  const hertz = numberOf(values.map((value) => HERTZ.exec(value)?.[1]).find((rate) => rate !== undefined) ?? '');
  const unit = MILLIVOLTS.find(([words]) => values.some((value) => words.test(value)))?.[1];
  if (!begin || !(hertz > 0 && hertz <= MAX_HERTZ) || unit === undefined) return false;
  const voltages = lines.slice(first).flatMap((line) => {
    const value = VOLTAGE.exec(line)?.[1];
    return value === undefined ? [] : [numberOf(value) * unit];
  });
  if (voltages.length > MAX_VOLTAGES) return false;
  const source = { provider: 'apple_health_kit', source_type: 'watch', timezone_offset: begin.offset } as const;
  const at = (n: number): string => new Date(begin.at + Math.round((n * 1_000) / hertz)).toISOString();
  sink.summary(summaryOf(head, { ...source, count: voltages.length, hertz, start: at(0), end: at(voltages.length) }));
  for (const [n, value] of voltages.entries()) {
    sink.sample({
      ...source,
      resource: 'electrocardiogram_voltage',
      timestamp: at(n),
      type: 'lead_1',
      unit: 'mV',
      value: Number(value.toPrecision(12)),
    });
  }
  return true;
}

type Recording = {
  provider: string;
  source_type: string;
  timezone_offset: number;
  count: number;
  hertz: number;
  start: string;
  end: string;
};

function summaryOf(head: [string, string][], { count, hertz, start, end, ...source }: Recording): ParsedSummary {
  const named = (words: RegExp): string | undefined => head.find(([name]) => words.test(name))?.[1] || undefined;
  const [, classification, inconclusive_cause] =
    CLASSES.find(([words]) => head.some(([, value]) => words.test(value))) ?? [];
  const beats = parseInt(named(/^average heart rate$/i) ?? '', 10);
  return {
    resource: 'electrocardiogram',
    item: {
      ...source,
      session_start: start,
      session_end: end,
      voltage_sample_count: count,
      sampling_frequency_hz: hertz,
      classification,
      inconclusive_cause,
      heart_rate_mean: beats > 0 ? beats : undefined,
      algorithm_version: named(/^software version$/i)?.slice(0, 100),
      source_device_model: named(/^device$/i)?.slice(0, 200),
    },
  };
}

/** Splits each line at its first comma. Further commas belong to the value, which is then in quotes. */
const headOf = (lines: string[]): [string, string][] =>
  lines.flatMap((line) => {
    const comma = line.indexOf(',');
    return comma === -1
      ? []
      : [
          [
            line.slice(0, comma),
            line
              .slice(comma + 1)
              .replaceAll('"', '')
              .trim(),
          ],
        ];
  });
