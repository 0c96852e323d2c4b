// Days, nights and workouts of Garmin's archive as summaries. Workouts tell milliseconds, centimetres and tens of metres a second.
import type { ParsedSummary } from '../record.ts';
import { sportOf } from '../sport.ts';

export type Told = Record<string, unknown>;

const source = { provider: 'garmin', source_type: 'unknown' } as const;

const number = (value: unknown, factor = 1): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? Number((value * factor).toPrecision(12))
    : undefined;
const whole = (value: unknown, factor = 1): number | undefined => {
  const told = number(value, factor);
  return told === undefined ? undefined : Math.round(told);
};
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** `UDSFile`: the totals of a day; null where it has none. */
export function dayOf(told: Told): ParsedSummary | null {
  const day = text(told['calendarDate']).slice(0, 10);
  const heart_rate = {
    min_bpm: number(told['minHeartRate']) || undefined,
    max_bpm: number(told['maxHeartRate']) || undefined,
    resting_bpm: number(told['restingHeartRate']) || undefined,
  };
  const totals = {
    steps: whole(told['totalSteps']),
    distance: number(told['totalDistanceMeters']),
    calories_total: number(told['totalKilocalories']),
    calories_active: number(told['activeKilocalories']),
    medium: number(told['moderateIntensityMinutes']),
    high: number(told['vigorousIntensityMinutes']),
  };
  const hasHeart = Object.values(heart_rate).some((bpm) => bpm !== undefined);
  if (day === '' || (!hasHeart && Object.values(totals).every((total) => !total))) return null;
  return {
    resource: 'activity',
    item: { ...source, calendar_date: day, ...totals, ...(hasHeart ? { heart_rate } : {}) },
  };
}

/** A night by the lengths of its stages, in seconds; null where it was not measured. */
export function nightOfGarmin(told: Told): ParsedSummary | null {
  const [start, end] = [timeOf(told['sleepStartTimestampGMT']), timeOf(told['sleepEndTimestampGMT'])];
  const [deep, light, rem] = ['deepSleepSeconds', 'lightSleepSeconds', 'remSleepSeconds'].map((name) =>
    whole(told[name]),
  );
  const total = (deep ?? 0) + (light ?? 0) + (rem ?? 0);
  if (start === null || end === null || total === 0) return null;
  const scores = told['sleepScores'] as Told | null | undefined;
  return {
    resource: 'sleep',
    item: {
      ...source,
      calendar_date: text(told['calendarDate']).slice(0, 10) || undefined,
      bedtime_start: start,
      bedtime_stop: end,
      total,
      deep,
      light,
      rem,
      awake: whole(told['awakeSleepSeconds']),
      score: whole(scores?.['overallScore']),
      respiratory_rate: number(told['averageRespiration']),
    },
  };
}

/** A workout of which the archive has no file of a device. */
export function activityOf(told: Told): ParsedSummary | null {
  const begin = number(told['beginTimestamp']) ?? number(told['startTimeGmt']);
  const duration = number(told['elapsedDuration']) ?? number(told['duration']);
  if (begin === undefined || duration === undefined || begin + duration > 8e15) return null;
  const local = number(told['startTimeLocal']);
  const offset = local === undefined ? null : Math.round((local - begin) / 900_000) * 900;
  const type = told['activityType'];
  const id = told['activityId'];
  return {
    resource: 'workouts',
    item: {
      ...source,
      provider_id: typeof id === 'number' ? String(id) : undefined,
      title: text(told['name']).slice(0, 500) || undefined,
      sport: sportOf(text((type as Told | null)?.['typeKey'] ?? type)),
      timezone_offset: offset === null || Math.abs(offset) > 54_000 ? null : offset,
      time_start: new Date(begin).toISOString(),
      time_end: new Date(begin + duration).toISOString(),
      moving_time: whole(told['movingDuration'], 0.001) ?? whole(told['duration'], 0.001),
      distance: number(told['distance'], 0.01),
      total_elevation_gain: number(told['elevationGain'], 0.01),
      average_speed: number(told['avgSpeed'], 10),
      max_speed: number(told['maxSpeed'], 10),
      average_hr: whole(told['avgHr']) || undefined,
      max_hr: whole(told['maxHr']) || undefined,
      average_watts: number(told['avgPower']) || undefined,
      max_watts: number(told['maxPower']) || undefined,
      steps: whole(told['steps']) || undefined,
    },
  };
}

/** `2026-01-05T05:12:00.0`, of UTC, or milliseconds since 1970. */
function timeOf(value: unknown): string | null {
  const at = typeof value === 'number' ? value : Date.parse(`${text(value).replace(/(\.\d+)?(Z|GMT)?$/, '')}Z`);
  return Number.isFinite(at) && Math.abs(at) < 8e15 ? new Date(at).toISOString() : null;
}
