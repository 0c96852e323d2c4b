// https://www.polar.com/accesslink-api/#sleep and #nightly-recharge
import { offsetWithin } from '../../calendar-date.ts';
import type { Item, Measured } from '../responses/fitting.ts';
import {
  momentAt,
  momentIn,
  nameIn,
  numberOr,
  objectOr,
  secondsOf,
  wholeOr,
  type ProviderObject,
} from '../responses/read-response.ts';
import { columnOf, hypnogramOf, type Stage } from '../responses/sleep-stream.ts';
import { WATCH } from './map-summaries.ts';

const DAY_SECONDS = 86_400;
const MINUTE_SECONDS = 60;
/** Our numbers of sleep stages, by Polar's numbers: 0 awake, 1 REM, 2 and 3 light, 4 deep, 5 unknown. */
const STAGES: Readonly<Record<number, number>> = { 0: 4, 1: 3, 2: 2, 3: 2, 4: 1, 5: -1 };

/** Returns the values of a map like `{"23:55": 58, "00:00": 57}`, sorted by time. The keys are local times. */
function byClock(night: ProviderObject, values: unknown): { at: number; value: number }[] {
  const began = String(night['sleep_start_time']);
  const start = secondsOf(momentIn(began) ?? began);
  const midnight = secondsOf(`${began.slice(0, 10)}T00:00:00Z`) - (offsetWithin(began) ?? 0);
  const found = Object.entries(objectOr(values)).flatMap(([clock, reported]) => {
    const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)/.exec(clock) ?? [];
    const value = numberOr(reported);
    if (hours === undefined || value === null) return [];
    const at = midnight + (Number(hours) * 60 + Number(minutes)) * MINUTE_SECONDS;
    // The first minute may begin some seconds before the night. It then counts from the start of the night.
    return [{ at: Math.max(at > start - MINUTE_SECONDS ? at : at + DAY_SECONDS, start), value }];
  });
  return found.toSorted((a, b) => a.at - b.at);
}

export const measuredAsleep = (night: ProviderObject, values: unknown): Measured[] =>
  byClock(night, values).map(({ at, value }) => ({
    at: momentAt(at),
    value,
    timezone_offset: offsetWithin(String(night['sleep_start_time'])),
  }));

/** Returns the stages. A stage lasts until the next one begins, and the last one lasts until the end of the night. */
function stagesOf(night: ProviderObject, end: number): Stage[] {
  const found = byClock(night, night['hypnogram']).filter(({ at }) => at < end);
  return found.map(({ at, value }, n) => ({ start: at, end: found[n + 1]?.at ?? end, value: STAGES[value] ?? -1 }));
}

/**
 * Returns the sleep of a day with its `recharge` (Polar's measure of recovery). Polar may correct the times of a sleep
 * later, so the id of the sleep is its date.
 */
export function toSleep(night: ProviderObject): Item {
  const recharge = objectOr(night['recharge']);
  const [bedtime_start, bedtime_stop] = [momentIn(night['sleep_start_time']), momentIn(night['sleep_end_time'])];
  if (bedtime_start === null || bedtime_stop === null) return null;
  const date = nameIn(night['date']);
  const [light, deep, rem, unknown] = ['light_sleep', 'deep_sleep', 'rem_sleep', 'unrecognized_sleep_stage'].map(
    (stage) => wholeOr(night[stage]),
  );
  const awake = wholeOr(night['total_interruption_duration']);
  const lasted = secondsOf(bedtime_stop) - secondsOf(bedtime_start);
  const asleep = (light ?? 0) + (deep ?? 0) + (rem ?? 0) + (unknown ?? 0);
  return {
    ...WATCH,
    provider_id: date,
    calendar_date: date,
    timezone_offset: offsetWithin(String(night['sleep_end_time'])),
    bedtime_start,
    bedtime_stop,
    // Some devices report no stages. Then the time asleep is the time in bed without the time awake.
    total: asleep > 0 ? asleep : Math.max(lasted - (awake ?? 0), 0),
    awake,
    light,
    deep,
    rem,
    score: wholeOr(night['sleep_score']),
    hr_average: wholeOr(recharge['heart_rate_avg']),
    average_hrv: numberOr(recharge['heart_rate_variability_avg']),
    respiratory_rate: numberOr(recharge['breathing_rate_avg']),
    state: 'confirmed',
    sleep_stream: {
      heartrate: columnOf(measuredAsleep(night, night['heart_rate_samples'])),
      hrv: columnOf(measuredAsleep(night, recharge['hrv_samples'])),
      respiratory_rate: columnOf(measuredAsleep(night, recharge['breathing_samples'])),
      hypnogram: hypnogramOf(stagesOf(night, secondsOf(bedtime_stop))),
    },
  };
}
