// https://cloud.ouraring.com/v2/docs#tag/Sleep-Routes
import { offsetWithin } from '../../calendar-date.ts';
import type { Item, Measured } from '../responses/fitting.ts';
import {
  momentAt,
  momentIn,
  nameIn,
  numberOr,
  numbersOr,
  objectOr,
  secondsOf,
  textOr,
  wholeOr,
  type ProviderObject,
} from '../responses/read-response.ts';
import { columnOf, hypnogramOf, type Stage } from '../responses/sleep-stream.ts';
import { ownProperty } from '../../../wire/own-property.ts';

const PHASE_SECONDS = 300;
/** Oura's digits, which are the same as the numbers in our sleep stages: 1 deep, 2 light, 3 REM, 4 awake. */
const STAGES = new Set(['1', '2', '3', '4']);

/** Oura names a nap `late_nap`. `rest` is a time at rest, with or without sleep. `deleted` is no sleep. */
const TYPES: Readonly<Record<string, string>> = {
  long_sleep: 'long_sleep',
  late_nap: 'acknowledged_nap',
  rest: 'unknown',
};

/** Whether the person has deleted the sleep. Oura does not document the other fields of a deleted sleep. */
export const isDeleted = ({ type }: ProviderObject): boolean => type === 'deleted';

/**
 * Returns a sleep from the payload of a night. Under the key `daily_sleep`, the payload also contains the score of the
 * day (null if there is none). Oura has one score for a day, and the long sleep of the day gets it. If the key is
 * missing, returns null, because a sleep without a score would delete the stored score.
 */
export function toSleep(found: ProviderObject): Item {
  if (isDeleted(found)) return null;
  const [bedtime_start, bedtime_stop] = [momentIn(found['bedtime_start']), momentIn(found['bedtime_end'])];
  const total = wholeOr(found['total_sleep_duration']);
  const type = textOr(found['type']) ?? '';
  if (bedtime_start === null || bedtime_stop === null || total === null) return null;
  if (found['daily_sleep'] === undefined) return null;
  const readiness = objectOr(found['readiness']);
  const isLong = type === 'long_sleep';
  return {
    provider: 'oura',
    source_type: 'ring',
    provider_id: nameIn(found['id']),
    calendar_date: textOr(found['day'])?.slice(0, 10),
    timezone_offset: offsetWithin(String(found['bedtime_end'])),
    bedtime_start,
    bedtime_stop,
    type: ownProperty(TYPES, type),
    duration: wholeOr(found['time_in_bed']),
    total,
    awake: wholeOr(found['awake_time']),
    light: wholeOr(found['light_sleep_duration']),
    rem: wholeOr(found['rem_sleep_duration']),
    deep: wholeOr(found['deep_sleep_duration']),
    score: isLong ? wholeOr(objectOr(found['daily_sleep'])['score']) : null,
    recovery_readiness_score: wholeOr(readiness['score']),
    temperature_delta: numberOr(readiness['temperature_deviation']),
    hr_lowest: wholeOr(found['lowest_heart_rate']),
    hr_average: wholeOr(found['average_heart_rate']),
    average_hrv: numberOr(found['average_hrv']),
    efficiency: numberOr(found['efficiency']),
    latency: wholeOr(found['latency']),
    respiratory_rate: numberOr(found['average_breath']),
    state: 'confirmed',
    sleep_stream: {
      heartrate: columnOf(measuredAsleep(found, 'heart_rate')),
      hrv: columnOf(measuredAsleep(found, 'hrv')),
      hypnogram: hypnogramOf(stagesOf(bedtime_start, bedtime_stop, textOr(found['sleep_phase_5_min']))),
    },
  };
}

/** Returns values that were measured at equal intervals from `timestamp` on. Missing values are left out. */
export function measuredAsleep(found: ProviderObject, name: 'heart_rate' | 'hrv'): Measured[] {
  const { interval, items, timestamp } = objectOr(found[name]);
  const [values, every] = [numbersOr(items), numberOr(interval)];
  if (values === null || every === null || every <= 0) return [];
  const at = momentIn(timestamp);
  if (at === null) return [];
  const timezone_offset = offsetWithin(String(timestamp));
  return values.flatMap((value, n) =>
    value === null ? [] : [{ at: momentAt(secondsOf(at) + Math.round(n * every)), value, timezone_offset }],
  );
}

/** Returns the stages. Each digit of `phases` is the stage of five minutes. */
function stagesOf(from: string, to: string, phases: string | null): Stage[] {
  const [begin, last] = [secondsOf(from), secondsOf(to)];
  return [...(phases ?? '')].flatMap((digit, n) => {
    const start = begin + n * PHASE_SECONDS;
    if (!STAGES.has(digit) || start >= last) return [];
    return [{ start, end: Math.min(start + PHASE_SECONDS, last), value: Number(digit) }];
  });
}
