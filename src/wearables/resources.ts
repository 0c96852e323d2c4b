// Every time series that there is, as one table: whoever adds a line here adds its operations, its events and its checks.

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
  /** What `value` is: a number, a text, or two numbers, systolic and diastolic. */
  value: 'number' | 'text' | 'blood_pressure';
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

type Line = Pick<Series, 'name' | 'title' | 'what' | 'unit'> & Partial<Series>;

const series = (line: Line): Series => ({
  event: line.name,
  units: {},
  interval: false,
  value: 'number',
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
const point = (name: string, title: string, what: string, unit: string, more: Partial<Series> = {}): Series =>
  series({ name, title, what, unit, ...more });
// oxlint-disable-next-line eslint/max-params -- a line of the table reads as one
const interval = (name: string, title: string, what: string, unit: string, more: Partial<Series> = {}): Series =>
  series({ name, title, what, unit, interval: true, ...more });

const times =
  (factor: number) =>
  (value: number): number =>
    value * factor;

/** Milligrams per decilitre in a millimole per litre; glucose by its molar mass of 180.156 g/mol (NIST WebBook). */
const GLUCOSE_MG_DL = 18.0156;
/** By the molar mass of cholesterol, 386.65 g/mol, and of triglycerides as triolein, 885.4 g/mol (NIST WebBook). */
const CHOLESTEROL_MG_DL = 38.665;
const TRIGLYCERIDES_MG_DL = 88.54;
const KILOGRAMS_A_POUND = 0.45359237;
const KILOCALORIES_A_KILOJOULE = 1 / 4.184;

const kilograms = { g: times(0.001), lb: times(KILOGRAMS_A_POUND) };
const kilocalories = { kJ: times(KILOCALORIES_A_KILOJOULE) };
const metres = { km: times(1000), mi: times(1609.344) };
const celsius = { '°F': (value: number) => ((value - 32) * 5) / 9 };
const minutes = { s: times(1 / 60), h: times(60) };

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

export const SERIES: readonly Series[] = [
  interval('workout_swimming_stroke', 'WorkoutSwimmingStroke', 'swimming strokes of workouts', 'count'),
  interval('workout_distance', 'WorkoutDistance', 'distances of workouts', 'm', { units: metres }),
  interval(
    'heart_rate_recovery_one_minute',
    'HeartRateRecoveryOneMinute',
    'heart rate recovery in one minute',
    'count',
  ),
  interval('waist_circumference', 'WaistCircumference', 'waist circumference', 'cm', {
    units: { m: times(100), in: times(2.54) },
  }),
  interval('lean_body_mass', 'LeanBodyMass', 'lean body mass', 'kg', { units: kilograms }),
  interval('body_mass_index', 'BodyMassIndex', 'body mass index', 'index'),
  interval('basal_body_temperature', 'BasalBodyTemperature', 'basal body temperature', '°C', { units: celsius }),
  interval('handwashing', 'Handwashing', 'handwashing', 'count'),
  interval('daylight_exposure', 'DaylightExposure', 'time in daylight', 'min', { units: minutes }),
  interval('uv_exposure', 'UVExposure', 'exposure to ultraviolet light', 'index'),
  interval('fall', 'Fall', 'falls', 'count'),
  interval('inhaler_usage', 'InhalerUsage', 'uses of an inhaler', 'count'),
  interval('peak_expiratory_flow_rate', 'PeakExpiratoryFlowRate', 'peak expiratory flow', 'L/min'),
  interval('forced_vital_capacity', 'ForcedVitalCapacity', 'forced vital capacity', 'L'),
  interval('forced_expiratory_volume_1', 'ForcedExpiratoryVolume1', 'forced expiratory volume of one second', 'L'),
  interval('wheelchair_push', 'WheelchairPush', 'pushes of a wheelchair', 'count'),
  interval('sleep_breathing_disturbance', 'SleepBreathingDisturbance', 'breathing disturbances in sleep', 'count', {
    type: ['elevated', 'not_elevated'],
    typeOptional: true,
  }),
  interval('sleep_apnea_alert', 'SleepApneaAlert', 'sleep apnea alerts', 'count'),
  interval('stand_duration', 'StandDuration', 'time spent standing', 'min', { units: minutes }),
  interval('stand_hour', 'StandHour', 'hours with standing', 'count', { type: ['stood', 'idle'] }),
  interval('heart_rate_alert', 'HeartRateAlert', 'heart rate alerts', 'count', {
    only: 1,
    type: ['low_heart_rate', 'high_heart_rate', 'irregular_rhythm'],
  }),
  interval('afib_burden', 'AFibBurden', 'time in atrial fibrillation', '%'),
  interval('workout_duration', 'WorkoutDuration', 'durations of workouts', 'min', {
    units: minutes,
    extras: { intensity: { words: ['low', 'medium', 'high'], answered: 'always' } },
  }),
  interval('vo2_max', 'VO2Max', 'maximal oxygen uptake', 'mL/kg/min', { ungrouped: true }),
  point('stress_level', 'StressLevel', 'stress levels', '%', { ungrouped: true }),
  interval('mindfulness_minutes', 'MindfulnessMinutes', 'minutes of mindfulness', 'min', {
    units: minutes,
    ungrouped: true,
  }),
  interval('caffeine', 'Caffeine', 'caffeine intake', 'g', { units: { mg: times(0.001) }, ungrouped: true }),
  point('water', 'Water', 'water intake', 'ml', {
    units: { mL: times(1), L: times(1000), fl_oz: times(29.5735295625) },
    ungrouped: true,
  }),
  interval('steps', 'Steps', 'steps', 'count', { ungrouped: true }),
  point('floors_climbed', 'FloorsClimbed', 'floors climbed', 'count', { ungrouped: true }),
  interval('distance', 'Distance', 'distances', 'm', { units: metres, ungrouped: true }),
  point('calories_basal', 'CaloriesBasal', 'energy burnt at rest', 'kcal', { units: kilocalories, ungrouped: true }),
  interval('calories_active', 'CaloriesActive', 'energy burnt by activity', 'kcal', {
    units: kilocalories,
    ungrouped: true,
  }),
  point('respiratory_rate', 'RespiratoryRate', 'breaths a minute', 'bpm', { ungrouped: true }),
  interval('note', 'Note', 'notes', 'text', {
    value: 'text',
    extras: {
      tags: { words: ['food', 'exercise', 'insulin_injection', 'unspecified'], list: true, answered: 'optional' },
    },
  }),
  interval('insulin_injection', 'InsulinInjection', 'insulin injections', 'unit', {
    type: ['rapid_acting', 'long_acting'],
    extras: {
      delivery_mode: { words: ['basal', 'bolus'], answered: 'optional' },
      delivery_form: { words: ['standard', 'extended'], answered: 'optional' },
      bolus_purpose: { words: ['meal', 'correction', 'mixed', 'unknown'], answered: 'optional' },
    },
  }),
  point('ige', 'Ige', 'immunoglobulin E', 'FSU', { type: 'any', keyedByType: true, ungrouped: true }),
  point('igg', 'Igg', 'immunoglobulin G', 'FSU', { type: 'any', keyedByType: true, ungrouped: true }),
  interval('hypnogram', 'Hypnogram', 'sleep stages', 'stage', { event: null, ungrouped: true, deprecated: true }),
  point('hrv', 'HRV', 'heart rate variability (RMSSD, in milliseconds)', 'rmssd', { ungrouped: true }),
  point('heartrate', 'HeartRate', 'heart rate', 'bpm', { ungrouped: true }),
  point('glucose', 'Glucose', 'blood glucose', 'mmol/L', {
    units: { 'mg/dL': times(1 / GLUCOSE_MG_DL) },
    ungrouped: true,
  }),
  point('cholesterol', 'Cholesterol', 'cholesterol', 'mmol/L', {
    type: ['triglycerides', 'total', 'ldl', 'hdl'],
    keyedByType: true,
    units: {
      'mg/dL': (value, type) => value / (type === 'triglycerides' ? TRIGLYCERIDES_MG_DL : CHOLESTEROL_MG_DL),
    },
    ungrouped: true,
  }),
  interval('carbohydrates', 'Carbohydrates', 'carbohydrate intake', 'g'),
  interval('body_temperature_delta', 'BodyTemperatureDelta', 'differences of body temperature', '°C', {
    extras: sensor,
  }),
  interval('body_temperature', 'BodyTemperature', 'body temperature', '°C', { units: celsius, extras: sensor }),
  point('body_weight', 'BodyWeight', 'body weight', 'kg', { event: 'weight', units: kilograms, ungrouped: true }),
  point('body_fat', 'BodyFat', 'body fat', '%', { event: 'fat', ungrouped: true }),
  point('blood_oxygen', 'BloodOxygen', 'oxygen saturation', '%', { ungrouped: true }),
  point('electrocardiogram_voltage', 'ElectrocardiogramVoltage', 'electrocardiogram voltages', 'mV', {
    type: 'any',
    units: { V: times(1000), uV: times(0.001) },
    ungrouped: true,
  }),
  point('blood_pressure', 'BloodPressure', 'blood pressure', 'mmHg', { value: 'blood_pressure', ungrouped: true }),
];

const byName = new Map(SERIES.map((each) => [each.name, each]));

/** The series of that name; null where there is none. */
export const seriesOrNull = (name: string): Series | null => byName.get(name) ?? null;
