// The data that a watch records all day: heart rates and counters. Each kind of activity has its own counters, which
// start at 0 at midnight.
import type { ParsedSample, Sink } from '../parsed-line.ts';
import { at, number, offsetOf, text, type Message, type Messages } from './fit-messages.ts';

type Source = Pick<ParsedSample, 'provider' | 'source_type' | 'timezone_offset'>;

/**
 * The counters, by series. For walking and running, the field `cycles` counts strides. Only walking and running add to
 * the distance, not cycling.
 */
const COUNTERS: { series: string; unit: string; of: (message: Message) => number | undefined }[] = [
  { series: 'steps', unit: 'count', of: stepsOf },
  { series: 'distance', unit: 'm', of: (message) => (isOnFoot(message) ? number(message['distance']) : undefined) },
  { series: 'calories_active', unit: 'kcal', of: (message) => number(message['active_calories']) },
];

const isOnFoot = (message: Message): boolean => ['walking', 'running'].includes(text(message['activity_type']));
/** Returns the steps of a message. The counter counts strides, and a stride is two steps. */
function stepsOf(message: Message): number | undefined {
  const strides = isOnFoot(message) ? (number(message['cycles']) ?? number(message['steps'])) : undefined;
  return strides === undefined ? undefined : strides * 2;
}

export function putMonitoring({ monitoring = [], monitoring_info = [] }: Messages, origin: Source, sink: Sink): void {
  const offset = offsetOf(monitoring_info[0]);
  const source = { ...origin, timezone_offset: offset };
  for (const message of monitoring) {
    const [moment, value] = [at(message['timestamp']), number(message['heart_rate'])];
    if (moment !== undefined && value !== undefined && value > 0)
      sink.sample({ ...source, resource: 'heartrate', timestamp: iso(moment), unit: 'bpm', value });
  }
  const begin = at(monitoring_info[0]?.['timestamp']);
  const midnight = begin !== undefined && offset !== null && (begin / 1_000 + offset) % 86_400 === 0 ? begin : null;
  for (const { series, unit, of } of COUNTERS) {
    for (const { start, end, value } of stepsBetween(monitoring, of, midnight))
      sink.sample({ ...source, resource: series, start: iso(start), end: iso(end), unit, value });
  }
}

/**
 * Returns the increase of the counters from one reading to the next, over all kinds of activity. The first reading in a
 * file only gives the start value of a counter, unless the file begins at midnight, where the start value is 0. If a
 * counter has decreased, the device has reset it to 0.
 */
function stepsBetween(
  messages: Message[],
  of: (message: Message) => number | undefined,
  midnight: number | null,
): { start: number; end: number; value: number }[] {
  const readings = messages.flatMap((message) => {
    const [moment, value] = [at(message['timestamp']), of(message)];
    return moment === undefined || value === undefined ? [] : [{ moment, value, kind: text(message['activity_type']) }];
  });
  readings.sort((a, b) => a.moment - b.moment);
  const counters = new Map<string, number>();
  const rises: { start: number; end: number; value: number }[] = [];
  let before = midnight;
  for (const { moment, value, kind } of readings) {
    const known = counters.get(kind) ?? (midnight === null ? value : 0);
    counters.set(kind, value);
    const rise = value >= known ? value - known : value;
    const last = rises.at(-1);
    if (last?.end === moment) last.value += rise;
    else if (before !== null && before < moment) rises.push({ start: before, end: moment, value: rise });
    before = moment;
  }
  return rises.filter(({ value }) => value > 0);
}

const iso = (moment: number): string => new Date(moment).toISOString();
