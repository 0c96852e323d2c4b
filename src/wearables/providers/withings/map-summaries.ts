// https://developer.withings.com/api-reference/#tag/measure and #tag/sleep
import type { Item, Measured } from '../responses/fitting.ts';
import {
  momentAt,
  nameIn,
  numberIn,
  numberOr,
  objectOr,
  objectsOr,
  textOr,
  wholeOr,
  zoneOr,
  type ProviderObject,
} from '../responses/read-response.ts';
import { columnOf, hypnogramOf, type Stage } from '../responses/sleep-stream.ts';

/** The number of the model that people wear. All others are mats below the mattress. */
const TRACKER = 16;

export function toActivity(day: ProviderObject): Item {
  const minutes = (seconds: unknown): number | null => {
    const number = numberOr(seconds);
    return number === null ? null : Math.round(number / 6) / 10;
  };
  return {
    provider: 'withings',
    // The brand 18 means that the data comes from another app.
    source_type: numberOr(day['brand']) === 18 ? 'app' : 'watch',
    calendar_date: nameIn(day['date']).slice(0, 10),
    time_zone: zoneOr(day['timezone']),
    steps: wholeOr(day['steps']),
    distance: numberOr(day['distance']),
    floors_climbed: wholeOr(day['elevation']),
    calories_active: numberOr(day['calories']),
    calories_total: numberOr(day['totalcalories']),
    low: minutes(day['soft']),
    medium: minutes(day['moderate']),
    high: minutes(day['intense']),
    heart_rate: {
      avg_bpm: numberOr(day['hr_average']),
      min_bpm: numberOr(day['hr_min']),
      max_bpm: numberOr(day['hr_max']),
    },
  };
}

/**
 * The numbers of our sleep stages, in the order of Withings' numbers from 0: awake, light, deep, REM. All others are
 * unknown.
 */
const STAGES: readonly number[] = [4, 2, 1, 3];

/** Returns the values that were measured during the stages. The keys of the values are seconds since 1970. */
function measuredAsleep(stages: readonly ProviderObject[], name: 'hr' | 'rr'): Measured[] {
  const found = stages.flatMap((stage) =>
    Object.entries(objectOr(stage[name])).map(([second, value]) => [numberOr(second), numberOr(value)] as const),
  );
  return found
    .flatMap(([second, value]) => (second === null || value === null ? [] : [{ second, value }]))
    .toSorted((a, b) => a.second - b.second)
    .map(({ second, value }) => ({ at: momentAt(second), value }));
}

function streamOf(stages: readonly ProviderObject[]): object | null {
  if (stages.length === 0) return null;
  const states = stages.flatMap(({ startdate, enddate, state }): Stage[] => {
    const [start, end] = [numberOr(startdate), numberOr(enddate)];
    return start === null || end === null || end <= start
      ? []
      : [{ start, end, value: STAGES[numberOr(state) ?? -1] ?? -1 }];
  });
  return {
    heartrate: columnOf(measuredAsleep(stages, 'hr')),
    respiratory_rate: columnOf(measuredAsleep(stages, 'rr')),
    hypnogram: hypnogramOf(states),
  };
}

/**
 * Returns a sleep, from the payload of a night to which its `stages` were added. They come in a response of their own.
 */
export function toSleep(night: ProviderObject): Item {
  const data = objectOr(night['data']);
  const [deep, light, rem, awake] = ['deep', 'light', 'rem', 'wakeup'].map((stage) =>
    wholeOr(data[stage === 'wakeup' ? 'wakeupduration' : `${stage}sleepduration`]),
  );
  const stages = [deep, light, rem].filter((seconds) => typeof seconds === 'number');
  const total =
    wholeOr(data['total_sleep_time']) ?? (stages.length > 0 ? stages.reduce((sum, each) => sum + each, 0) : null);
  if (total === null) return null;
  const efficiency = numberOr(data['sleep_efficiency']);
  return {
    provider: 'withings',
    source_type: night['model'] === TRACKER ? 'watch' : 'unknown',
    provider_id: nameIn(night['id']),
    calendar_date: textOr(night['date'])?.slice(0, 10),
    time_zone: zoneOr(night['timezone']),
    bedtime_start: momentAt(numberIn(night['startdate'])),
    bedtime_stop: momentAt(numberIn(night['enddate'])),
    duration: wholeOr(data['total_timeinbed']),
    total,
    deep,
    light,
    rem,
    awake,
    score: wholeOr(data['sleep_score']),
    // Withings sends 0.93 for an efficiency of 93 percent.
    efficiency: efficiency === null ? null : Math.round(efficiency * 1_000) / 10,
    latency: wholeOr(data['sleep_latency']),
    hr_average: wholeOr(data['hr_average']),
    hr_lowest: wholeOr(data['hr_min']),
    respiratory_rate: numberOr(data['rr_average']),
    state: night['completed'] === false ? 'tentative' : 'confirmed',
    sleep_stream: streamOf(objectsOr(night['stages'])),
  };
}

export function toWorkout(found: ProviderObject): Item {
  const data = objectOr(found['data']);
  const [start, end] = [numberIn(found['startdate']), numberIn(found['enddate'])];
  const pause = wholeOr(data['pause_duration']);
  return {
    provider: 'withings',
    source_type: 'watch',
    provider_id: nameIn(found['id']),
    calendar_date: textOr(found['date'])?.slice(0, 10),
    time_zone: zoneOr(found['timezone']),
    sport: SPORTS[numberOr(found['category']) ?? 0] ?? 'other',
    time_start: momentAt(start),
    time_end: momentAt(end),
    moving_time: pause === null ? null : Math.max(Math.round(end - start) - pause, 0),
    distance: numberOr(data['distance']),
    calories: numberOr(data['calories']),
    steps: wholeOr(data['steps']),
    average_hr: wholeOr(data['hr_average']),
    max_hr: wholeOr(data['hr_max']),
  };
}

/** The most common categories of workouts, by their numbers. */
const SPORTS: Readonly<Record<number, string>> = {
  1: 'walking',
  2: 'running',
  3: 'hiking',
  4: 'skating',
  5: 'bmx',
  6: 'cycling',
  7: 'swimming',
  8: 'surfing',
  12: 'tennis',
  13: 'table_tennis',
  14: 'squash',
  15: 'badminton',
  16: 'weight_lifting',
  17: 'fitness',
  18: 'elliptical',
  19: 'pilates',
  20: 'basketball',
  21: 'soccer',
  22: 'football',
  23: 'rugby',
  24: 'volleyball',
  26: 'horse_riding',
  27: 'golf',
  28: 'yoga',
  29: 'dancing',
  30: 'boxing',
  34: 'skiing',
  35: 'snowboarding',
  187: 'rowing',
  192: 'handball',
  194: 'ice_hockey',
  195: 'climbing',
  306: 'indoor_walking',
  307: 'indoor_running',
  308: 'indoor_cycling',
};
