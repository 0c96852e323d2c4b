// Makes summaries from the days, nights and workouts of Garmin's archive. In the workouts of the archive, times are in
// milliseconds, lengths in centimetres, and a speed of 1 is 10 metres a second.
import type { ParsedSummary } from '../parsed-line.ts';
import { sportOf } from '../sport.ts';

export type GarminRecord = Record<string, unknown>;

const source = { provider: 'garmin', source_type: 'unknown' } as const;

const number = (value: unknown, factor = 1): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? Number((value * factor).toPrecision(12))
    : undefined;
const whole = (value: unknown, factor = 1): number | undefined => {
  const parsed = number(value, factor);
  return parsed === undefined ? undefined : Math.round(parsed);
};
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the totals of a day from a `UDSFile`, Garmin's file of days; null if the day has none. */
export function dayOf(record: GarminRecord): ParsedSummary | null {
  const day = text(record['calendarDate']).slice(0, 10);
  const heart_rate = {
    min_bpm: number(record['minHeartRate']) || undefined,
    max_bpm: number(record['maxHeartRate']) || undefined,
    resting_bpm: number(record['restingHeartRate']) || undefined,
  };
  const totals = {
    steps: whole(record['totalSteps']),
    distance: number(record['totalDistanceMeters']),
    calories_total: number(record['totalKilocalories']),
    calories_active: number(record['activeKilocalories']),
    medium: number(record['moderateIntensityMinutes']),
    high: number(record['vigorousIntensityMinutes']),
  };
  const hasHeart = Object.values(heart_rate).some((bpm) => bpm !== undefined);
  if (day === '' || (!hasHeart && Object.values(totals).every((total) => !total))) return null;
  return {
    resource: 'activity',
    item: { ...source, calendar_date: day, ...totals, ...(hasHeart ? { heart_rate } : {}) },
  };
}

/** Returns a night with the lengths of its stages, in seconds; null if Garmin did not measure the night. */
export function nightOfGarmin(record: GarminRecord): ParsedSummary | null {
  const [start, end] = [timeOf(record['sleepStartTimestampGMT']), timeOf(record['sleepEndTimestampGMT'])];
  const [deep, light, rem] = ['deepSleepSeconds', 'lightSleepSeconds', 'remSleepSeconds'].map((name) =>
    whole(record[name]),
  );
  const total = (deep ?? 0) + (light ?? 0) + (rem ?? 0);
  if (start === null || end === null || total === 0) return null;
  const scores = record['sleepScores'] as GarminRecord | null | undefined;
  return {
    resource: 'sleep',
    item: {
      ...source,
      calendar_date: text(record['calendarDate']).slice(0, 10) || undefined,
      bedtime_start: start,
      bedtime_stop: end,
      total,
      deep,
      light,
      rem,
      awake: whole(record['awakeSleepSeconds']),
      score: whole(scores?.['overallScore']),
      respiratory_rate: number(record['averageRespiration']),
    },
  };
}

/** Returns a workout that the archive has only as JSON and not as a file of a device. */
export function activityOf(record: GarminRecord): ParsedSummary | null {
  const begin = number(record['beginTimestamp']) ?? number(record['startTimeGmt']);
  const duration = number(record['elapsedDuration']) ?? number(record['duration']);
  if (begin === undefined || duration === undefined || begin + duration > 8e15) return null;
  const local = number(record['startTimeLocal']);
  const offset = local === undefined ? null : Math.round((local - begin) / 900_000) * 900;
  const type = record['activityType'];
  const id = record['activityId'];
  return {
    resource: 'workouts',
    item: {
      ...source,
      provider_id: typeof id === 'number' ? String(id) : undefined,
      title: text(record['name']).slice(0, 500) || undefined,
      sport: sportOf(text((type as GarminRecord | null)?.['typeKey'] ?? type)),
      timezone_offset: offset === null || Math.abs(offset) > 54_000 ? null : offset,
      time_start: new Date(begin).toISOString(),
      time_end: new Date(begin + duration).toISOString(),
      moving_time: whole(record['movingDuration'], 0.001) ?? whole(record['duration'], 0.001),
      distance: number(record['distance'], 0.01),
      total_elevation_gain: number(record['elevationGain'], 0.01),
      average_speed: number(record['avgSpeed'], 10),
      max_speed: number(record['maxSpeed'], 10),
      average_hr: whole(record['avgHr']) || undefined,
      max_hr: whole(record['maxHr']) || undefined,
      average_watts: number(record['avgPower']) || undefined,
      max_watts: number(record['maxPower']) || undefined,
      steps: whole(record['steps']) || undefined,
    },
  };
}

/** Returns the time for a text like `2026-01-05T05:12:00.0`, which is in UTC, or for milliseconds since 1970. */
function timeOf(value: unknown): string | null {
  const at = typeof value === 'number' ? value : Date.parse(`${text(value).replace(/(\.\d+)?(Z|GMT)?$/, '')}Z`);
  return Number.isFinite(at) && Math.abs(at) < 8e15 ? new Date(at).toISOString() : null;
}
