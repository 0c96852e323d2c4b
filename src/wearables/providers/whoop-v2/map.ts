// https://developer.whoop.com/api: a record that is not SCORED has no values yet. A later response has them.
import { offsetWithin } from '../../calendar-date.ts';
import type { Item } from '../responses/fitting.ts';
import {
  momentIn,
  nameIn,
  numberOr,
  objectOr,
  textOr,
  wholeOr,
  wordOf,
  type ProviderObject,
} from '../responses/read-response.ts';

export const WRISTBAND = { provider: 'whoop_v2', source_type: 'watch' } as const;

const KILOJOULES_A_KILOCALORIE = 4.184;
const HALF_A_DAY_MS = 43_200_000;

/** Returns an offset from UTC in seconds. WHOOP sends Z for UTC, so here Z means 0 and not unknown. */
export function offsetOf({ start, timezone_offset }: ProviderObject): number | null {
  const offset = textOr(timezone_offset);
  if (offset === 'Z' || offset === '+00:00') return 0;
  return offset === null ? null : offsetWithin(`${String(start).slice(0, 10)}T00:00${offset}`);
}

const kilocalories = (kilojoules: unknown): number | null => {
  const number = numberOr(kilojoules);
  return number === null ? null : Math.round((number / KILOJOULES_A_KILOCALORIE) * 10) / 10;
};

const seconds = (milliseconds: unknown): number | null => {
  const number = numberOr(milliseconds);
  return number === null ? null : Math.round(number / 1_000);
};

/**
 * Returns the activity of a cycle, which lasts from one night to the next. The activity belongs to the local day 12
 * hours after the start of the cycle.
 */
export function toActivity(cycle: ProviderObject): Item {
  const start = momentIn(cycle['start']);
  if (start === null) return null;
  const timezone_offset = offsetOf(cycle);
  const score = objectOr(cycle['score']);
  const middle = Date.parse(start) + (timezone_offset ?? 0) * 1_000 + HALF_A_DAY_MS;
  return {
    ...WRISTBAND,
    provider_id: nameIn(cycle['id']),
    calendar_date: new Date(middle).toISOString().slice(0, 10),
    timezone_offset,
    calories_total: kilocalories(score['kilojoule']),
    heart_rate: { avg_bpm: numberOr(score['average_heart_rate']), max_bpm: numberOr(score['max_heart_rate']) },
  };
}

/** Returns a sleep from a night with its `recovery`. */
export function toSleep(night: ProviderObject): Item {
  const recovery = objectOr(night['recovery']);
  const [bedtime_start, bedtime_stop] = [momentIn(night['start']), momentIn(night['end'])];
  const score = objectOr(night['score']);
  const stages = objectOr(score['stage_summary']);
  const [light, deep, rem] = ['light_sleep', 'slow_wave_sleep', 'rem_sleep'].map((stage) =>
    seconds(stages[`total_${stage}_time_milli`]),
  );
  if (bedtime_start === null || bedtime_stop === null) return null;
  if (typeof light !== 'number' || typeof deep !== 'number' || typeof rem !== 'number') return null;
  return {
    ...WRISTBAND,
    provider_id: nameIn(night['id']),
    timezone_offset: offsetOf(night),
    bedtime_start,
    bedtime_stop,
    type: night['nap'] === true ? 'acknowledged_nap' : null,
    duration: seconds(stages['total_in_bed_time_milli']),
    total: light + deep + rem,
    awake: seconds(stages['total_awake_time_milli']),
    light,
    deep,
    rem,
    score: wholeOr(score['sleep_performance_percentage']),
    efficiency: numberOr(score['sleep_efficiency_percentage']),
    respiratory_rate: numberOr(score['respiratory_rate']),
    recovery_readiness_score: wholeOr(recovery['recovery_score']),
    hr_resting: wholeOr(recovery['resting_heart_rate']),
    average_hrv: numberOr(recovery['hrv_rmssd_milli']),
    skin_temperature: numberOr(recovery['skin_temp_celsius']),
    state: 'confirmed',
  };
}

const centimetres = (metres: unknown): number | null => {
  const number = numberOr(metres);
  return number === null ? null : Math.round(number * 100);
};

export const toProfile = (person: ProviderObject): Item => ({
  ...WRISTBAND,
  height: centimetres(person['height_meter']),
});

/** Returns the weight of the person, as of `read_at`, when we read it. */
export function toBody(person: ProviderObject): Item {
  const weight = numberOr(person['weight_kilogram']);
  const timestamp = textOr(person['read_at']);
  return weight === null || timestamp === null ? null : { ...WRISTBAND, timestamp, weight };
}

/**
 * WHOOP's heart-rate zones, which are the same as ours: zone zero is below half of the highest heart rate, and each
 * further zone is a tenth of it.
 */
const ZONES = ['zero', 'one', 'two', 'three', 'four', 'five'] as const;

/** Returns the seconds in each zone; null if one of them is missing. */
function zonesOf(score: ProviderObject): number[] | null {
  const durations = objectOr(score['zone_durations']);
  const zoneSeconds = ZONES.map((zone) => seconds(durations[`zone_${zone}_milli`]));
  return zoneSeconds.every((each) => each !== null) ? zoneSeconds : null;
}

export function toWorkout(found: ProviderObject): Item {
  const [time_start, time_end] = [momentIn(found['start']), momentIn(found['end'])];
  if (time_start === null || time_end === null) return null;
  const score = objectOr(found['score']);
  return {
    ...WRISTBAND,
    provider_id: nameIn(found['id']),
    sport: wordOf(found['sport_name']) ?? 'other',
    time_start,
    time_end,
    timezone_offset: offsetOf(found),
    average_hr: wholeOr(score['average_heart_rate']),
    max_hr: wholeOr(score['max_heart_rate']),
    hr_zones: zonesOf(score),
    calories: kilocalories(score['kilojoule']),
    distance: numberOr(score['distance_meter']),
    total_elevation_gain: numberOr(score['altitude_gain_meter']),
  };
}
