// https://developers.google.com/health/reference/rest/v4/users.dataTypes.dataPoints#Sleep, #Exercise, #DataSource
import type { SourceType } from '../../source.ts';
import type { Mapped } from './asking/fitting.ts';
import {
  momentIn,
  numberOr,
  objectOr,
  objectsOr,
  secondsOf,
  textOr,
  wholeOr,
  wordOf,
  type Found,
} from './asking/read-answer.ts';
import { hypnogramOf } from './asking/sleep-stream.ts';

/** {year: 2026, month: 7, day: 3} as 2026-07-03; null where it is no date. */
export function dateOf(value: unknown): string | null {
  const [year, month, day] = ['year', 'month', 'day'].map((part) => numberOr(objectOr(value)[part]) ?? NaN);
  const date = new Date(Date.UTC(year as number, (month as number) - 1, day));
  return Number.isNaN(date.getTime()) || date.getUTCDate() !== day ? null : date.toISOString().slice(0, 10);
}

/** Seconds of a duration, as 7200s; null where there is none. */
const secondsIn = (value: unknown): number | null =>
  typeof value === 'string' && /^-?\d{1,9}(\.\d+)?s$/.test(value) ? Number(value.slice(0, -1)) : null;

/** Seconds east of UTC. It tells 0 where that is so, so 0 is not unknown. */
export const offsetOf = (value: unknown): number | null => wholeOr(secondsIn(value));

const FORMS: Readonly<Record<string, SourceType>> = {
  FITNESS_BAND: 'watch',
  WATCH: 'watch',
  PHONE: 'phone',
  RING: 'ring',
  SCALE: 'scale',
  CHEST_STRAP: 'chest_strap',
};

function originOf(point: Found): { provider: 'google_health'; source_type: SourceType; provider_id: string | null } {
  const { formFactor } = objectOr(objectOr(point['dataSource'])['device']);
  return {
    provider: 'google_health',
    source_type: FORMS[String(formFactor)] ?? 'unknown',
    // users/me/dataTypes/sleep/dataPoints/{id}
    provider_id: textOr(point['name'])?.split('/').at(-1) || null,
  };
}

const thousandth = (value: unknown): number | null => {
  const number = numberOr(value);
  return number === null ? null : number / 1_000;
};

export const toActivity = (calendar_date: string, total: Readonly<Record<string, number>>): Mapped => ({
  raw: total,
  item: {
    provider: 'google_health',
    source_type: 'multiple_sources',
    calendar_date,
    steps: wholeOr(total['steps']),
    distance: thousandth(total['distance']),
    calories_active: numberOr(total['calories_active']),
    calories_total: numberOr(total['calories_total']),
    floors_climbed: wholeOr(total['floors_climbed']),
  },
});

export const toBody = (
  timestamp: string,
  { weight = {}, bodyFat = {} }: { weight?: Found; bodyFat?: Found },
): Mapped => ({
  raw: { weight, bodyFat },
  item: {
    provider: 'google_health',
    source_type: 'multiple_sources',
    timestamp,
    timezone_offset: offsetOf(objectOr((weight['sampleTime'] ?? bodyFat['sampleTime']) as unknown)['utcOffset']),
    weight: thousandth(weight['weightGrams']),
    fat: numberOr(bodyFat['percentage']),
  },
});

/** What our hypnogram has for its stages; ASLEEP and RESTLESS tell no stage. */
const STAGES: Readonly<Record<string, number>> = { DEEP: 1, LIGHT: 2, REM: 3, AWAKE: 4 };

export function toSleep(point: Found): Mapped {
  const night = objectOr(point['sleep']);
  const interval = objectOr(night['interval']);
  const [bedtime_start, bedtime_stop] = [momentIn(interval['startTime']), momentIn(interval['endTime'])];
  const summary = objectOr(night['summary']);
  const { nap, processed } = objectOr(night['metadata']);
  const asleep = numberOr(summary['minutesAsleep']);
  const inBed = numberOr(summary['minutesInSleepPeriod']);
  // One that is still being worked out has no summary yet: it comes again.
  if (bedtime_start === null || bedtime_stop === null || asleep === null) return null;
  const secondsOfStage = (type: string): number | null => {
    const stage = objectsOr(summary['stagesSummary']).find((each) => each['type'] === type);
    const minutes = numberOr(stage?.['minutes']);
    return minutes === null ? null : minutes * 60;
  };
  const stages = objectsOr(night['stages']).flatMap(({ startTime, endTime, type }) => {
    const [start, end] = [momentIn(startTime), momentIn(endTime)];
    return start === null || end === null
      ? []
      : [{ start: secondsOf(start), end: secondsOf(end), value: STAGES[String(type)] ?? -1 }];
  });
  const minutesAwake = numberOr(summary['minutesAwake']);
  return {
    raw: point,
    item: {
      ...originOf(point),
      timezone_offset: offsetOf(interval['endUtcOffset'] ?? interval['startUtcOffset']),
      bedtime_start,
      bedtime_stop,
      type: nap === true ? 'acknowledged_nap' : null,
      duration: inBed === null ? null : inBed * 60,
      total: asleep * 60,
      awake: secondsOfStage('AWAKE') ?? (minutesAwake === null ? null : minutesAwake * 60),
      light: secondsOfStage('LIGHT'),
      deep: secondsOfStage('DEEP'),
      rem: secondsOfStage('REM'),
      efficiency: inBed ? Math.round((asleep / inBed) * 1_000) / 10 : null,
      state: processed === false ? 'tentative' : 'confirmed',
      sleep_stream: stages.length === 0 ? null : { hypnogram: hypnogramOf(stages) },
    },
  };
}

export function toWorkout(point: Found): Mapped {
  const exercise = objectOr(point['exercise']);
  const interval = objectOr(exercise['interval']);
  const [time_start, time_end] = [momentIn(interval['startTime']), momentIn(interval['endTime'])];
  if (time_start === null || time_end === null) return null;
  const metrics = objectOr(exercise['metricsSummary']);
  return {
    raw: point,
    item: {
      ...originOf(point),
      title: textOr(exercise['displayName']),
      sport: wordOf(exercise['exerciseType']) ?? 'other',
      time_start,
      time_end,
      timezone_offset: offsetOf(interval['startUtcOffset']),
      moving_time: wholeOr(secondsIn(exercise['activeDuration'])),
      calories: numberOr(metrics['caloriesKcal']),
      distance: thousandth(metrics['distanceMillimeters']),
      steps: wholeOr(metrics['steps']),
      average_hr: wholeOr(metrics['averageHeartRateBeatsPerMinute']),
      average_speed: thousandth(metrics['averageSpeedMillimetersPerSecond']),
      total_elevation_gain: thousandth(metrics['elevationGainMillimeters']),
    },
  };
}
