// The samples of an invented day. Each series has an entry, by its name in events, with its devices and times.
import { seriesOrNull, SERIES } from '../../series.ts';
import type { Series } from '../../series-type.ts';
import type { SampleExtra } from '../../timeseries/sample.ts';
import type { SampleOfSource } from '../../timeseries/store-samples.ts';
import { chanceOf, type Chance } from './chance.ts';
import { dayOfPeriod } from './demo-calendar.ts';
import {
  glucoseAt,
  heartRateAt,
  HOUR_MS,
  hoursOver,
  MINUTE_MS,
  momentsOf,
  stagesOf,
  stepsOf,
  type DemoDay,
} from './day.ts';
import type { DemoDevice } from './demo-devices.ts';

export const METRES_A_STEP = 0.72;
export const KILOCALORIES_A_STEP = 0.042;
export const BASAL_KILOCALORIES_AN_HOUR = 66;
/** The height of the person, in metres. */
const HEIGHT = 1.7;

type Value = { at: number; value: number; minutes?: number; extra?: SampleExtra; text?: string; kind?: string };
/**
 * Returns the values of a series on a day. Values after now are removed later, so a function need not look at `now`.
 */
type Line = (day: DemoDay, chance: Chance, now: number) => Value[];

const round = (value: number, digits = 1): number => Math.round(value * 10 ** digits) / 10 ** digits;
const hour = (day: DemoDay, hours: number): number => day.start + Math.round(hours * 60) * MINUTE_MS;
const afterWaking = (day: DemoDay, minutes: number): number => day.wake + minutes * MINUTE_MS;
const isAwake = (day: DemoDay, at: number): boolean => at >= day.wake && at < day.end - 2 * HOUR_MS;
/**
 * Whether this is the one day in a period of `days` days, for example for a measurement once a week. Which day it is
 * depends on the person.
 */
const once = (day: DemoDay, days: number, purpose: string): boolean =>
  dayOfPeriod(day.user, day.date, days, purpose) === 0;
const WEEK = 7;
const MONTH = 26;

const ofHours =
  (valueOf: (steps: number) => number): Line =>
  (day, _chance, now) =>
    hoursOver(day, now)
      .map((at) => ({ at, value: valueOf(stepsOf(day, at)), minutes: 60 }))
      .filter(({ value }) => value > 0);

const asleep =
  (minutes: number, valueOf: (day: DemoDay, at: number, chance: Chance) => number): Line =>
  (day, chance, now) =>
    momentsOf(day, minutes, now)
      .filter((at) => at < day.wake)
      .map((at) => ({ at, value: valueOf(day, at, chance) }));

/** Returns one value a day, `minutes` after the person has woken. */
const everyMorning =
  (minutes: number, valueOf: (day: DemoDay, chance: Chance) => number | Omit<Value, 'at'>): Line =>
  (day, chance) => {
    const measured = valueOf(day, chance);
    return [{ at: afterWaking(day, minutes), ...(typeof measured === 'number' ? { value: measured } : measured) }];
  };

const nowAndThen =
  (days: number, purpose: string, line: Line): Line =>
  (day, chance, now) =>
    once(day, days, purpose) ? line(day, chance, now) : [];

const ofWorkout =
  (
    valueOf: (day: DemoDay, workout: NonNullable<DemoDay['workout']>, chance: Chance) => Omit<Value, 'at'> | null,
  ): Line =>
  (day, chance) => {
    const { workout } = day;
    const measured = workout && valueOf(day, workout, chance);
    const minutes = workout ? (workout.end - workout.start) / MINUTE_MS : 0;
    return workout && measured ? [{ at: workout.start, minutes, ...measured }] : [];
  };

const atMeals =
  (valueOf: (meal: DemoDay['meals'][number], chance: Chance) => Omit<Value, 'at'>): Line =>
  (day, chance) =>
    day.meals.map((meal) => ({ at: meal.at, ...valueOf(meal, chance) }));

const bodyFat = (day: DemoDay): number => chanceOf(day.user.id, 'fat').between(19, 29);
const temperature = (day: DemoDay, chance: Chance): number =>
  round(36.5 + chance.between(-0.2, 0.3) + 1.4 * day.illness);
/** Returns how strong the breath is, as a factor of the usual strength. Illness weakens it. */
const breath = (day: DemoDay, chance: Chance): number => 1 - 0.18 * day.illness + chance.between(-0.03, 0.03);
const hrvOf = (day: DemoDay, at: number): number =>
  Math.round((3_600 / heartRateAt(day, at)) * (1 - 0.25 * day.illness));

/** Returns the voltage of a heart that beats once a second, at a moment: a narrow peak between two small waves. */
function voltageAt(second: number): number {
  const hill = (at: number, height: number, width: number): number =>
    height * Math.exp(-(((second % 1) - at) ** 2) / (2 * width ** 2));
  return round(hill(0.2, 0.12, 0.025) + hill(0.36, 1.1, 0.011) - hill(0.4, 0.25, 0.012) + hill(0.62, 0.3, 0.04), 3);
}
export const ECG = { seconds: 10, perSecond: 100 };
/** Returns the time of an electrocardiogram, which is recorded once a week in the evening; null on other days. */
export const ecgOf = (day: DemoDay): number | null =>
  once(day, WEEK, 'ecg') ? Math.min(hour(day, 20), day.end - 3 * HOUR_MS) : null;

const LINES: Readonly<Record<string, Line>> = {
  heartrate: (day, _chance, now) => momentsOf(day, 5, now).map((at) => ({ at, value: heartRateAt(day, at) })),
  hrv: asleep(10, hrvOf),
  hrv_sdnn: asleep(60, (day, at, chance) => round(hrvOf(day, at) * chance.between(1.05, 1.25))),
  respiratory_rate: asleep(30, (day, _at, chance) => round(14.2 + chance.between(-0.6, 0.6) + 2.5 * day.illness)),
  blood_oxygen: asleep(30, (day, _at, chance) => Math.round(97 + chance.between(-1, 1.4) - 2 * day.illness)),
  stress_level: (day, chance, now) =>
    momentsOf(day, 60, now)
      .filter((at) => isAwake(day, at))
      .map((at) => ({ at, value: Math.round((day.weekend ? 22 : 38) + chance.between(-12, 16) + 25 * day.illness) })),
  glucose: (day, _chance, now) => momentsOf(day, 15, now).map((at) => ({ at, value: glucoseAt(day, at) })),

  steps: ofHours((steps) => steps),
  distance: ofHours((steps) => Math.round(steps * METRES_A_STEP)),
  calories_active: ofHours((steps) => Math.round(steps * KILOCALORIES_A_STEP)),
  calories_basal: (day, _chance, now) => hoursOver(day, now).map((at) => ({ at, value: BASAL_KILOCALORIES_AN_HOUR })),
  floors_climbed: (day, _chance, now) =>
    hoursOver(day, now)
      .map((at) => ({ at, value: Math.floor(stepsOf(day, at) / 450) }))
      .filter(({ value }) => value > 0),
  stand_hour: (day, _chance, now) =>
    hoursOver(day, now)
      .filter((at) => isAwake(day, at))
      .map((at) => ({ at, value: 1, minutes: 60, extra: { type: stepsOf(day, at) > 250 ? 'stood' : 'idle' } })),
  stand_duration: (day, _chance, now) =>
    hoursOver(day, now)
      .map((at) => ({ at, value: Math.min(Math.round(stepsOf(day, at) / 40), 50), minutes: 60 }))
      .filter(({ value }) => value > 0),
  daylight_exposure: (day, chance, now) =>
    hoursOver(day, now)
      .filter((at) => at >= hour(day, 9) && at < hour(day, 16))
      .map((at) => ({
        at,
        value: Math.round(chance.between(2, day.weekend ? 35 : 12) * (1 - day.illness)),
        minutes: 60,
      }))
      .filter(({ value }) => value > 0),
  uv_exposure: (day, chance) => [{ at: hour(day, 12), value: round(chance.between(1, 5)), minutes: 60 }],
  wheelchair_push: nowAndThen(WEEK, 'wheelchair', (day, chance) => [
    { at: hour(day, 11), value: chance.whole(120, 400), minutes: 40 },
  ]),

  hypnogram: (day) =>
    stagesOf(day).map(({ start, end, value }) => ({ at: start * 1_000, value, minutes: (end - start) / 60 })),

  weight: everyMorning(15, (day) => day.weight),
  fat: everyMorning(15, (day, chance) => round(bodyFat(day) + chance.between(-0.4, 0.4))),
  body_mass_index: everyMorning(15, (day) => round(day.weight / HEIGHT ** 2)),
  lean_body_mass: everyMorning(15, (day) => round(day.weight * (1 - bodyFat(day) / 100))),
  waist_circumference: nowAndThen(
    WEEK,
    'waist',
    everyMorning(18, (day) => round(52 + day.weight * 0.42)),
  ),
  blood_pressure: (day, chance) =>
    [afterWaking(day, 25), hour(day, 13)].map((at) => {
      const value = Math.round(116 + chance.between(-7, 9) - 6 * day.illness);
      return { at, value, extra: { diastolic: Math.round(value * 0.63 + chance.between(-3, 3)) } };
    }),
  body_temperature: everyMorning(5, (day, chance) => ({
    value: temperature(day, chance),
    extra: { sensor_location: 'ear' },
  })),
  basal_body_temperature: everyMorning(1, (day, chance) => round(temperature(day, chance) - 0.2)),
  body_temperature_delta: everyMorning(1, (day, chance) => ({
    value: round(chance.between(-0.2, 0.2) + 0.9 * day.illness, 2),
    extra: { sensor_location: 'wrist' },
  })),

  water: (day, chance) =>
    [7.5, 10, 13, 16, 19].map((each) => ({ at: hour(day, each), value: chance.whole(15, 40) * 10 })),
  caffeine: (day, chance) => [{ at: afterWaking(day, 40), value: chance.whole(6, 12) / 100, minutes: 10 }],
  carbohydrates: atMeals(({ carbohydrates }) => ({ value: carbohydrates, minutes: 20 })),
  insulin_injection: (day, chance, now) => [
    ...atMeals(({ carbohydrates }) => ({
      value: Math.max(Math.round(carbohydrates / 12), 1),
      extra: { type: 'rapid_acting', delivery_mode: 'bolus', delivery_form: 'standard', bolus_purpose: 'meal' },
    }))(day, chance, now),
    { at: hour(day, 14), value: 14, extra: { type: 'long_acting', delivery_mode: 'basal', delivery_form: 'standard' } },
  ],
  note: (day) => [
    {
      at: afterWaking(day, 30),
      value: 0,
      text: day.illness > 0 ? 'Slept badly, feeling ill' : day.weekend ? 'A slow morning' : 'Feeling fine',
      extra: { tags: ['unspecified'] },
    },
  ],
  cholesterol: nowAndThen(MONTH, 'blood', (day, chance) =>
    (
      [
        ['total', 4.6],
        ['ldl', 2.7],
        ['hdl', 1.4],
        ['triglycerides', 1.1],
      ] as const
    ).map(([kind, usual]) => ({ at: hour(day, 9), value: round(usual + chance.between(-0.3, 0.3), 2), kind })),
  ),
  igg: nowAndThen(MONTH, 'blood', (day, chance) => [
    { at: hour(day, 9), value: round(chance.between(2, 30)), kind: 'milk' },
    { at: hour(day, 9), value: round(chance.between(2, 30)), kind: 'wheat' },
  ]),
  ige: nowAndThen(MONTH, 'blood', (day, chance) => [
    { at: hour(day, 9), value: round(chance.between(0, 12)), kind: 'birch' },
    { at: hour(day, 9), value: round(chance.between(0, 12)), kind: 'cat' },
  ]),

  mindfulness_minutes: (day, chance) =>
    day.weekend || chance.between(0, 1) < 0.5 ? [{ at: afterWaking(day, 55), value: 10, minutes: 10 }] : [],
  handwashing: (day) => [7.8, 12.4, 14].map((each) => ({ at: hour(day, each), value: 1, minutes: 1 })),
  inhaler_usage: (day) =>
    day.illness > 0.5 || once(day, WEEK, 'inhaler') ? [{ at: afterWaking(day, 12), value: 2 }] : [],
  peak_expiratory_flow_rate: everyMorning(10, (day, chance) => Math.round(470 * breath(day, chance))),
  forced_vital_capacity: everyMorning(10, (day, chance) => round(4.1 * breath(day, chance), 2)),
  forced_expiratory_volume_1: everyMorning(10, (day, chance) => round(3.3 * breath(day, chance), 2)),
  vo2_max: nowAndThen(
    WEEK,
    'fitness',
    everyMorning(120, (day) => round(58 - day.resting * 0.25)),
  ),
  fall: nowAndThen(MONTH, 'fall', (day) => [{ at: hour(day, 12.2), value: 1 }]),
  heart_rate_alert: (day) =>
    day.illness === 1 || once(day, MONTH, 'alert')
      ? [{ at: afterWaking(day, 45), value: 1, minutes: 10, extra: { type: 'high_heart_rate' } }]
      : [],
  afib_burden: nowAndThen(
    WEEK,
    'rhythm',
    everyMorning(60, (_day, chance) => round(chance.between(0, 1.5))),
  ),
  sleep_breathing_disturbance: (day, chance) => [
    {
      at: day.bedtime,
      value: round(chance.between(0.5, 4) + 3 * day.illness),
      minutes: (day.wake - day.bedtime) / MINUTE_MS,
      extra: { type: day.illness > 0.5 ? 'elevated' : 'not_elevated' },
    },
  ],
  sleep_apnea_alert: nowAndThen(MONTH, 'apnea', (day) => [
    { at: day.bedtime, value: 1, minutes: (day.wake - day.bedtime) / MINUTE_MS },
  ]),
  electrocardiogram_voltage: (day) => {
    const at = ecgOf(day);
    const { seconds, perSecond } = ECG;
    return at === null
      ? []
      : Array.from({ length: seconds * perSecond }, (_, n) => ({
          at: at + (n * 1_000) / perSecond,
          value: voltageAt(n / perSecond),
          extra: { type: 'lead_1' },
        }));
  },

  workout_duration: ofWorkout((_day, { start, end, sport }) => ({
    value: Math.round((end - start) / MINUTE_MS),
    extra: { intensity: sport === 'walking' ? 'low' : sport === 'running' ? 'high' : 'medium' },
  })),
  workout_distance: ofWorkout((_day, { metres }) => ({ value: metres })),
  workout_swimming_stroke: ofWorkout((_day, { sport, metres }) =>
    sport === 'swimming' ? { value: Math.round(metres * 0.72) } : null,
  ),
  heart_rate_recovery_one_minute: (day, chance) =>
    day.workout ? [{ at: day.workout.end, value: chance.whole(18, 34), minutes: 1 }] : [],
};

/** The series that an invented day has, by the names of events. */
export const DEMO_SERIES: readonly string[] = Object.keys(LINES);

const named = new Map(SERIES.map((series) => [series.event ?? series.name, series]));
const seriesOf = (name: string): Series => named.get(name) ?? (seriesOrNull(name) as Series);

/** Returns the samples of a day up to `now`; an empty list for a series that demos do not have. */
export function samplesOfDay(name: string, day: DemoDay, device: DemoDevice, now: number): SampleOfSource[] {
  const series = seriesOf(name);
  const line = Object.hasOwn(LINES, name) ? LINES[name] : undefined;
  const source = { ...device, app_id: null, device_id: null };
  return (line?.(day, chanceOf(day.user.id, day.date, name), now) ?? [])
    .filter(({ at, minutes = 0 }) => at + minutes * MINUTE_MS <= now && at < day.end)
    .map(({ at, value, minutes = 0, extra, text, kind = '' }) => ({
      series,
      source,
      kind,
      sample: {
        at: new Date(at).toISOString(),
        value,
        duration_ms: series.interval ? Math.round(minutes * MINUTE_MS) : null,
        timezone_offset: day.offsetAt(at),
        extra: extra ?? null,
        text: text ?? null,
      },
    }));
}
