// Every time series that there is, as one table: whoever adds a line here adds its operations, its events and its checks.

import { celsius, kilocalories, kilograms, metres, milligramsADecilitre, minutes, times } from './unit-conversions.ts';

/** A time series of a user: what its samples are called, measured in and made of. */
export type Series = {
  /** As paths name it. */
  name: string;
  /** As schemas name it: `Grouped<title>Response`. */
  title: string;
  /** As events name it; null where no event tells of it. */
  event: string | null;
  /** What is measured, as the end of "Read …". */
  what: string;
  unit: string;
  /** Further units that are taken, each with what makes the canonical value of it. */
  units: Readonly<Record<string, (value: number, type: string | null) => number>>;
  /** Samples have a start and an end; those of others are of one moment. */
  interval: boolean;
  /**
   * Values of a day add up, as steps do: several sources complement each other. `as measured`: two sources report the same
   * where their intervals overlap, or their moments are equal. `by the hour`: where both report within an hour, since such
   * samples stand for a stretch of time whose length nobody tells. null: values do not add up.
   */
  additive: 'as measured' | 'by the hour' | null;
  /** What `value` is: a number, a text, or two numbers, systolic and diastolic. */
  value: 'number' | 'text' | 'blood_pressure';
  /** The least and the most that `value` can be, in the unit of the series: what lies beyond has not been measured. */
  range: Range;
  /** Percents of which 1 or less, but not 0, is a fraction that was sent as it is: nobody has so little. */
  isNeverFraction: boolean;
  /** The one number that `value` may be, where a sample says no more than that something happened; null: any. */
  only: number | null;
  /** The words that `type` may be; `any` asks for one of the sender's own; null: it may be left out. */
  type: readonly string[] | 'any' | null;
  /** Whether a sample may go without its type although there are words for it. */
  typeOptional: boolean;
  /** Several types of one moment are different samples, as the parts of a lipid panel. */
  keyedByType: boolean;
  /** Further keys of a sample, each with its words; a list where several words may stand. */
  extras: Readonly<Record<string, { words: readonly string[]; list?: true; answered: 'always' | 'optional' }>>;
  /** Has the older form of its reads, which answers with one list. */
  ungrouped: boolean;
  deprecated: boolean;
};

type Range = readonly [least: number, most: number];
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

/** Of an interval of a week, the longest that a sample has. */
const COUNT: Range = [0, 1_000_000];
const DISTANCE: Range = [0, 10_000_000];
const ENERGY: Range = [0, 100_000];
const WEEK_IN_MINUTES: Range = [0, 10_080];
const PERCENT: Range = [0, 100];
/** Beats a minute; of somebody newly born they can be 250 and more. */
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

/** The series of that name; null where there is none. */
export const seriesOrNull = (name: string): Series | null => byName.get(name) ?? null;

/** Whether a value, in the unit of the series, can have been measured. */
export const isPlausible = (series: Series, value: number): boolean => {
  const [least, most] = series.range;
  return value >= least && value <= most && !isFraction(series, value);
};

export const isFraction = ({ isNeverFraction }: Series, value: number): boolean =>
  isNeverFraction && value > 0 && value <= 1;
