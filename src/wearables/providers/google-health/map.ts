// https://developers.google.com/health/reference/rest/v4/users.dataTypes.dataPoints#Sleep, #Exercise, #DataSource
import { BY_HAND } from '../../by-hand.ts';
import type { SourceType } from '../../source.ts';
import type { Item } from '../responses/fitting.ts';
import {
  momentIn,
  numberOr,
  objectOr,
  objectsOr,
  secondsOf,
  textOr,
  wholeOr,
  wordOf,
  type ProviderObject,
} from '../responses/read-response.ts';
import { hypnogramOf } from '../responses/sleep-stream.ts';
import { ownProperty } from '../../../wire/own-property.ts';

/** Returns a date like {year: 2026, month: 7, day: 3} as 2026-07-03; null if the value is not a date. */
export function dateOf(value: unknown): string | null {
  const [year, month, day] = ['year', 'month', 'day'].map((part) => numberOr(objectOr(value)[part]) ?? NaN);
  const date = new Date(Date.UTC(year as number, (month as number) - 1, day));
  return Number.isNaN(date.getTime()) || date.getUTCDate() !== day ? null : date.toISOString().slice(0, 10);
}

/** Returns 7200 for the duration `7200s`; null if the value is no duration. */
const secondsIn = (value: unknown): number | null =>
  typeof value === 'string' && /^-?\d{1,9}(\.\d+)?s$/.test(value) ? Number(value.slice(0, -1)) : null;

/** Returns an offset from UTC in seconds. Google sends 0 for UTC, so 0 is a known offset. */
export const offsetOf = (value: unknown): number | null => wholeOr(secondsIn(value));

const FORMS: Readonly<Record<string, SourceType>> = {
  FITNESS_BAND: 'watch',
  WATCH: 'watch',
  PHONE: 'phone',
  RING: 'ring',
  SCALE: 'scale',
  CHEST_STRAP: 'chest_strap',
};

type Origin = { provider: 'google_health'; source_type: SourceType; app_id?: string; provider_id: string | null };

function originOf(point: ProviderObject): Origin {
  const { device, recordingMethod } = objectOr(point['dataSource']);
  return {
    provider: 'google_health',
    source_type: ownProperty(FORMS, String(objectOr(device)['formFactor'])) ?? 'unknown',
    ...(recordingMethod === 'MANUAL' ? BY_HAND : {}),
    // `name` has the form users/me/dataTypes/sleep/dataPoints/{id}.
    provider_id: textOr(point['name'])?.split('/').at(-1) || null,
  };
}

/** Returns the device of a point. The name identifies a device, so a device without a name becomes null. */
export function toDevice(point: ProviderObject): Item {
  const { displayName, manufacturer, formFactor } = objectOr(objectOr(point['dataSource'])['device']);
  const device_model = textOr(displayName);
  if (device_model === null) return null;
  const source_type = ownProperty(FORMS, String(formFactor)) ?? 'unknown';
  return { provider: 'google_health', source_type, device_manufacturer: textOr(manufacturer), device_model };
}

const thousandth = (value: unknown): number | null => {
  const number = numberOr(value);
  return number === null ? null : number / 1_000;
};

/** Returns the key under which a point has the value of a data type, as `heartRate` for `heart-rate`. */
export const keyOf = (type: string): string => type.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/**
 * The data types whose totals we request for each day. Each has the field that contains the total in Google's
 * response.
 */
export const TOTALS = {
  steps: 'countSum',
  distance: 'millimetersSum',
  'active-energy-burned': 'kcalSum',
  'total-calories': 'kcalSum',
  floors: 'countSum',
} as const;

/** Returns the activity of a day from the totals of all data types. */
export function toActivity(day: ProviderObject): Item {
  const calendar_date = dayOf(day);
  const totalOf = (type: keyof typeof TOTALS): number | null => numberOr(objectOr(day[keyOf(type)])[TOTALS[type]]);
  const totals = {
    steps: wholeOr(totalOf('steps')),
    distance: thousandth(totalOf('distance')),
    calories_active: totalOf('active-energy-burned'),
    calories_total: totalOf('total-calories'),
    floors_climbed: wholeOr(totalOf('floors')),
  };
  if (calendar_date === null || Object.values(totals).every((total) => total === null)) return null;
  return { provider: 'google_health', source_type: 'multiple_sources', calendar_date, ...totals };
}

export const dayOf = (rolledUp: ProviderObject): string | null => dateOf(objectOr(rolledUp['civilStartTime'])['date']);

/** Returns the values that a scale measured at one moment. */
export function toBody(found: ProviderObject): Item {
  const [weight, bodyFat] = [objectOr(found['weight']), objectOr(found['bodyFat'])];
  const { physicalTime, utcOffset } = objectOr(weight['sampleTime'] ?? bodyFat['sampleTime']);
  const timestamp = momentIn(physicalTime);
  if (timestamp === null) return null;
  return {
    provider: 'google_health',
    source_type: 'multiple_sources',
    timestamp,
    timezone_offset: offsetOf(utcOffset),
    weight: thousandth(weight['weightGrams']),
    fat: numberOr(bodyFat['percentage']),
  };
}

/** The stages of the night (hypnogram), from Google's names to our numbers. ASLEEP and RESTLESS are not stages. */
const STAGES: Readonly<Record<string, number>> = { DEEP: 1, LIGHT: 2, REM: 3, AWAKE: 4 };

export function toSleep(point: ProviderObject): Item {
  const night = objectOr(point['sleep']);
  const interval = objectOr(night['interval']);
  const [bedtime_start, bedtime_stop] = [momentIn(interval['startTime']), momentIn(interval['endTime'])];
  const summary = objectOr(night['summary']);
  const { nap, processed } = objectOr(night['metadata']);
  const asleep = numberOr(summary['minutesAsleep']);
  const inBed = numberOr(summary['minutesInSleepPeriod']);
  // If there is no summary, Google is still computing this night. A later response has the summary.
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
      : [{ start: secondsOf(start), end: secondsOf(end), value: ownProperty(STAGES, String(type)) ?? -1 }];
  });
  const minutesAwake = numberOr(summary['minutesAwake']);
  return {
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
  };
}

export function toWorkout(point: ProviderObject): Item {
  const exercise = objectOr(point['exercise']);
  const interval = objectOr(exercise['interval']);
  const [time_start, time_end] = [momentIn(interval['startTime']), momentIn(interval['endTime'])];
  if (time_start === null || time_end === null) return null;
  const metrics = objectOr(exercise['metricsSummary']);
  return {
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
  };
}
