// All time series, in one table. A new line here adds the operations, the events and the checks of a series.

import type { Range, Series } from './series-type.ts';
import { celsius, kilocalories, kilograms, metres, milligramsADecilitre, minutes, times } from './unit-conversions.ts';

type Line = Pick<Series, 'name' | 'title' | 'what' | 'unit' | 'range'> & Partial<Series>;

const series = (line: Line): Series => ({
  event: line.name,
  units: {},
  interval: false,
  additive: null,
  value: 'number',
  isNeverFraction: false,
  only: null,
  type: null,
  typeOptional: false,
  keyedByType: false,
  extras: {},
  ungrouped: false,
  deprecated: false,
  ...line,
});
// oxlint-disable-next-line eslint/max-params -- a line of the table reads as one
const point = (
  name: string,
  title: string,
  what: string,
  unit: string,
  range: Range,
  more: Partial<Series> = {},
): Series => series({ name, title, what, unit, range, ...more });
// oxlint-disable-next-line eslint/max-params -- a line of the table reads as one
const interval = (
  name: string,
  title: string,
  what: string,
  unit: string,
  range: Range,
  more: Partial<Series> = {},
): Series => series({ name, title, what, unit, range, interval: true, ...more });

const SENSOR_LOCATIONS = [
  'armpit',
  'body',
  'ear',
  'finger',
  'gastrointestinal',
  'mouth',
  'rectum',
  'toe',
  'eardrum',
  'temporal_artery',
  'forehead',
  'wrist',
] as const;
const sensor = { sensor_location: { words: SENSOR_LOCATIONS, answered: 'always' as const } };

/** The range of a count in an interval. The longest interval of a sample is a week. */
const COUNT: Range = [0, 1_000_000];
const DISTANCE: Range = [0, 10_000_000];
const ENERGY: Range = [0, 100_000];
const WEEK_IN_MINUTES: Range = [0, 10_080];
const PERCENT: Range = [0, 100];
/** The range in beats a minute. A newborn can have 250 and more. */
export const HEART_RATE: Range = [0, 350];
const BODY_TEMPERATURE: Range = [0, 60];
const ANTIBODIES: Range = [0, 1_000_000];

export const SERIES: readonly Series[] = [
  interval('workout_swimming_stroke', 'WorkoutSwimmingStroke', 'swimming strokes of workouts', 'count', COUNT, {
    additive: 'as measured',
  }),
  interval('workout_distance', 'WorkoutDistance', 'distances of workouts', 'm', DISTANCE, {
    additive: 'as measured',
    units: metres,
  }),
  interval(
    'heart_rate_recovery_one_minute',
    'HeartRateRecoveryOneMinute',
    'heart rate recovery in one minute',
    'count',
    HEART_RATE,
  ),
  interval('waist_circumference', 'WaistCircumference', 'waist circumference', 'cm', [0, 500], {
    units: { m: times(100), in: times(2.54) },
  }),
  interval('lean_body_mass', 'LeanBodyMass', 'lean body mass', 'kg', [0, 1_000], { units: kilograms }),
  interval('body_mass_index', 'BodyMassIndex', 'body mass index', 'index', [0, 500]),
  interval('basal_body_temperature', 'BasalBodyTemperature', 'basal body temperature', '°C', BODY_TEMPERATURE, {
    units: celsius,
  }),
  interval('handwashing', 'Handwashing', 'handwashing', 'count', COUNT, { additive: 'as measured' }),
  interval('daylight_exposure', 'DaylightExposure', 'time in daylight', 'min', WEEK_IN_MINUTES, {
    additive: 'as measured',
    units: minutes,
  }),
  interval('uv_exposure', 'UVExposure', 'exposure to ultraviolet light', 'index', [0, 100]),
  interval('fall', 'Fall', 'falls', 'count', COUNT, { additive: 'as measured' }),
  interval('inhaler_usage', 'InhalerUsage', 'uses of an inhaler', 'count', COUNT, { additive: 'as measured' }),
  interval('peak_expiratory_flow_rate', 'PeakExpiratoryFlowRate', 'peak expiratory flow', 'L/min', [0, 2_000]),
  interval('forced_vital_capacity', 'ForcedVitalCapacity', 'forced vital capacity', 'L', [0, 30]),
  interval(
    'forced_expiratory_volume_1',
    'ForcedExpiratoryVolume1',
    'forced expiratory volume of one second',
    'L',
    [0, 30],
  ),
  interval('wheelchair_push', 'WheelchairPush', 'pushes of a wheelchair', 'count', COUNT, { additive: 'as measured' }),
  interval(
    'sleep_breathing_disturbance',
    'SleepBreathingDisturbance',
    'breathing disturbances in sleep',
    'count',
    COUNT,
    {
      type: ['elevated', 'not_elevated'],
      typeOptional: true,
    },
  ),
  interval('sleep_apnea_alert', 'SleepApneaAlert', 'sleep apnea alerts', 'count', COUNT, { additive: 'as measured' }),
  interval('stand_duration', 'StandDuration', 'time spent standing', 'min', WEEK_IN_MINUTES, {
    additive: 'as measured',
    units: minutes,
  }),
  interval('stand_hour', 'StandHour', 'hours with standing', 'count', COUNT, {
    additive: 'as measured',
    type: ['stood', 'idle'],
  }),
  interval('heart_rate_alert', 'HeartRateAlert', 'heart rate alerts', 'count', [1, 1], {
    additive: 'as measured',
    only: 1,
    type: ['low_heart_rate', 'high_heart_rate', 'irregular_rhythm'],
  }),
  interval('afib_burden', 'AFibBurden', 'time in atrial fibrillation', '%', PERCENT),
  interval('workout_duration', 'WorkoutDuration', 'durations of workouts', 'min', WEEK_IN_MINUTES, {
    additive: 'as measured',
    units: minutes,
    extras: { intensity: { words: ['low', 'medium', 'high'], answered: 'always' } },
  }),
  interval('vo2_max', 'VO2Max', 'maximal oxygen uptake', 'mL/kg/min', [0, 150], { ungrouped: true }),
  point('stress_level', 'StressLevel', 'stress levels', '%', PERCENT, { ungrouped: true }),
  interval('mindfulness_minutes', 'MindfulnessMinutes', 'minutes of mindfulness', 'min', WEEK_IN_MINUTES, {
    additive: 'as measured',
    units: minutes,
    ungrouped: true,
  }),
  interval('caffeine', 'Caffeine', 'caffeine intake', 'g', [0, 1_000], {
    additive: 'as measured',
    units: { mg: times(0.001) },
    ungrouped: true,
  }),
  point('water', 'Water', 'water intake', 'ml', [0, 100_000], {
    additive: 'as measured',
    units: { mL: times(1), L: times(1000), fl_oz: times(29.5735295625) },
    ungrouped: true,
  }),
  interval('steps', 'Steps', 'steps', 'count', COUNT, { additive: 'as measured', ungrouped: true }),
  point('floors_climbed', 'FloorsClimbed', 'floors climbed', 'count', COUNT, {
    additive: 'by the hour',
    ungrouped: true,
  }),
  interval('distance', 'Distance', 'distances', 'm', DISTANCE, {
    additive: 'as measured',
    units: metres,
    ungrouped: true,
  }),
  point('calories_basal', 'CaloriesBasal', 'energy burnt at rest', 'kcal', ENERGY, {
    additive: 'by the hour',
    units: kilocalories,
    ungrouped: true,
  }),
  interval('calories_active', 'CaloriesActive', 'energy burnt by activity', 'kcal', ENERGY, {
    additive: 'as measured',
    units: kilocalories,
    ungrouped: true,
  }),
  point('respiratory_rate', 'RespiratoryRate', 'breaths a minute', 'bpm', [0, 200], { ungrouped: true }),
  interval('note', 'Note', 'notes', 'text', [0, 0], {
    value: 'text',
    extras: {
      tags: { words: ['food', 'exercise', 'insulin_injection', 'unspecified'], list: true, answered: 'optional' },
    },
  }),
  interval('insulin_injection', 'InsulinInjection', 'insulin injections', 'unit', [0, 10_000], {
    additive: 'as measured',
    type: ['rapid_acting', 'long_acting'],
    extras: {
      delivery_mode: { words: ['basal', 'bolus'], answered: 'optional' },
      delivery_form: { words: ['standard', 'extended'], answered: 'optional' },
      bolus_purpose: { words: ['meal', 'correction', 'mixed', 'unknown'], answered: 'optional' },
    },
  }),
  point('ige', 'Ige', 'immunoglobulin E', 'FSU', ANTIBODIES, { type: 'any', keyedByType: true, ungrouped: true }),
  point('igg', 'Igg', 'immunoglobulin G', 'FSU', ANTIBODIES, { type: 'any', keyedByType: true, ungrouped: true }),
  interval('hypnogram', 'Hypnogram', 'sleep stages', 'stage', [-1, 5], {
    event: null,
    ungrouped: true,
    deprecated: true,
  }),
  point('hrv', 'HRV', 'heart rate variability (RMSSD, in milliseconds)', 'rmssd', [0, 1_000], {
    units: { ms: times(1) },
    ungrouped: true,
  }),
  point('hrv_sdnn', 'HRVSDNN', 'heart rate variability (SDNN)', 'ms', [0, 1_000]),
  point('heartrate', 'HeartRate', 'heart rate', 'bpm', HEART_RATE, { ungrouped: true }),
  point('glucose', 'Glucose', 'blood glucose', 'mmol/L', [0, 200], {
    units: milligramsADecilitre.glucose,
    ungrouped: true,
  }),
  point('cholesterol', 'Cholesterol', 'cholesterol', 'mmol/L', [0, 500], {
    type: ['triglycerides', 'total', 'ldl', 'hdl'],
    keyedByType: true,
    units: milligramsADecilitre.lipids,
    ungrouped: true,
  }),
  interval('carbohydrates', 'Carbohydrates', 'carbohydrate intake', 'g', [0, 100_000], { additive: 'as measured' }),
  interval('body_temperature_delta', 'BodyTemperatureDelta', 'differences of body temperature', '°C', [-20, 20], {
    extras: sensor,
  }),
  interval('body_temperature', 'BodyTemperature', 'body temperature', '°C', BODY_TEMPERATURE, {
    units: celsius,
    extras: sensor,
  }),
  point('body_weight', 'BodyWeight', 'body weight', 'kg', [0, 1_000], {
    event: 'weight',
    units: kilograms,
    ungrouped: true,
  }),
  point('body_fat', 'BodyFat', 'body fat', '%', PERCENT, { event: 'fat', isNeverFraction: true, ungrouped: true }),
  point('blood_oxygen', 'BloodOxygen', 'oxygen saturation', '%', PERCENT, { isNeverFraction: true, ungrouped: true }),
  point('electrocardiogram_voltage', 'ElectrocardiogramVoltage', 'electrocardiogram voltages', 'mV', [-1_000, 1_000], {
    type: 'any',
    units: { V: times(1000), uV: times(0.001) },
    ungrouped: true,
  }),
  point('blood_pressure', 'BloodPressure', 'blood pressure', 'mmHg', [0, 500], {
    value: 'blood_pressure',
    ungrouped: true,
  }),
];

const byName = new Map(SERIES.map((each) => [each.name, each]));

/** Returns the series with this name; null if there is none. */
export const seriesOrNull = (name: string): Series | null => byName.get(name) ?? null;

/** Whether a measurement can have this value, in the unit of the series. */
export const isPlausible = (series: Series, value: number): boolean => {
  const [least, most] = series.range;
  return value >= least && value <= most && !isFraction(series, value);
};

export const isFraction = ({ isNeverFraction }: Series, value: number): boolean =>
  isNeverFraction && value > 0 && value <= 1;
