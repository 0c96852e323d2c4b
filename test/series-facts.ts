/**
 * The 51 series of the interface, and hrv_sdnn, which it lacks, written by hand. The service's own table must match it.
 * Each has its unit, whether a sample has a start and an end, and, where they differ, its name in events, the words of
 * its type and its further keys.
 */
export type SeriesFact = {
  name: string;
  unit: string;
  interval: boolean;
  /** null: no event publishes it. */
  event: string | null;
  types: readonly string[];
  keys: readonly string[];
  value: 'number' | 'text' | 'pressure';
};

type More = Partial<Omit<SeriesFact, 'name' | 'unit' | 'interval'>>;

const line = (name: string, unit: string, time: 'interval' | 'point', more: More = {}): SeriesFact => ({
  name,
  unit,
  interval: time === 'interval',
  event: name,
  types: [],
  keys: [],
  value: 'number',
  ...more,
});

export const SERIES_FACTS: readonly SeriesFact[] = [
  line('afib_burden', '%', 'interval'),
  line('basal_body_temperature', '°C', 'interval'),
  line('blood_oxygen', '%', 'point'),
  line('blood_pressure', 'mmHg', 'point', { value: 'pressure', keys: ['grouping', 'systolic', 'diastolic'] }),
  line('body_fat', '%', 'point', { event: 'fat' }),
  line('body_mass_index', 'index', 'interval'),
  line('body_temperature', '°C', 'interval', { keys: ['sensor_location'] }),
  line('body_temperature_delta', '°C', 'interval', { keys: ['sensor_location'] }),
  line('body_weight', 'kg', 'point', { event: 'weight' }),
  line('caffeine', 'g', 'interval'),
  line('calories_active', 'kcal', 'interval'),
  line('calories_basal', 'kcal', 'point'),
  line('carbohydrates', 'g', 'interval'),
  line('cholesterol', 'mmol/L', 'point', { types: ['total', 'ldl', 'hdl', 'triglycerides'] }),
  line('daylight_exposure', 'min', 'interval'),
  line('distance', 'm', 'interval'),
  line('electrocardiogram_voltage', 'mV', 'point', { types: ['lead_1'] }),
  line('fall', 'count', 'interval'),
  line('floors_climbed', 'count', 'point'),
  line('forced_expiratory_volume_1', 'L', 'interval'),
  line('forced_vital_capacity', 'L', 'interval'),
  line('glucose', 'mmol/L', 'point'),
  line('handwashing', 'count', 'interval'),
  line('heart_rate_alert', 'count', 'interval', { types: ['low_heart_rate', 'high_heart_rate', 'irregular_rhythm'] }),
  line('heart_rate_recovery_one_minute', 'count', 'interval'),
  line('heartrate', 'bpm', 'point'),
  line('hrv', 'rmssd', 'point'),
  line('hrv_sdnn', 'ms', 'point'),
  line('hypnogram', 'stage', 'interval', { event: null }),
  line('ige', 'FSU', 'point', { types: ['peanut'] }),
  line('igg', 'FSU', 'point', { types: ['peanut'] }),
  line('inhaler_usage', 'count', 'interval'),
  line('insulin_injection', 'unit', 'interval', {
    types: ['rapid_acting', 'long_acting'],
    keys: ['delivery_mode', 'delivery_form', 'bolus_purpose'],
  }),
  line('lean_body_mass', 'kg', 'interval'),
  line('mindfulness_minutes', 'min', 'interval'),
  line('note', 'text', 'interval', { value: 'text', keys: ['tags'] }),
  line('peak_expiratory_flow_rate', 'L/min', 'interval'),
  line('respiratory_rate', 'bpm', 'point'),
  line('sleep_apnea_alert', 'count', 'interval'),
  line('sleep_breathing_disturbance', 'count', 'interval', { types: ['elevated', 'not_elevated'] }),
  line('stand_duration', 'min', 'interval'),
  line('stand_hour', 'count', 'interval', { types: ['stood', 'idle'] }),
  line('steps', 'count', 'interval'),
  line('stress_level', '%', 'point'),
  line('uv_exposure', 'index', 'interval'),
  line('vo2_max', 'mL/kg/min', 'interval'),
  line('waist_circumference', 'cm', 'interval'),
  line('water', 'ml', 'point'),
  line('wheelchair_push', 'count', 'interval'),
  line('workout_distance', 'm', 'interval'),
  line('workout_duration', 'min', 'interval', { keys: ['intensity'] }),
  line('workout_swimming_stroke', 'count', 'interval'),
];

/**
 * Series whose samples can also be read as one list, in the deprecated form; for cholesterol also each type by itself.
 */
export const UNGROUPED: readonly (readonly [path: string, series: string, type?: string])[] = [
  ...[
    'vo2_max',
    'stress_level',
    'mindfulness_minutes',
    'caffeine',
    'water',
    'steps',
    'floors_climbed',
    'distance',
    'calories_basal',
    'calories_active',
    'respiratory_rate',
    'ige',
    'igg',
    'hypnogram',
    'hrv',
    'heartrate',
    'glucose',
    'cholesterol',
    'body_weight',
    'body_fat',
    'blood_oxygen',
    'electrocardiogram_voltage',
    'blood_pressure',
  ].map((name) => [name, name] as const),
  ...['triglycerides', 'total', 'ldl', 'hdl'].map((type) => [`cholesterol/${type}`, 'cholesterol', type] as const),
];

export const FACT_BEGIN = '2026-01-05T07:00:00.000Z';
export const FACT_END = '2026-01-05T07:30:00.000Z';

/**
 * The number of a series' sample. It differs from those of others and is within every range. For each type of a series
 * it is 10 more than for the one before.
 */
export const factValue = (name: string, type = 0): number =>
  name === 'heart_rate_alert' ? 1 : 1.5 + SERIES_FACTS.findIndex((fact) => fact.name === name) / 128 + 10 * type;

/** A sample of each series, and of each of its types, at the same moments, from one watch. */
export const sampleOfEach = (): Record<string, unknown>[] =>
  SERIES_FACTS.flatMap((fact) => {
    const types = fact.name === 'cholesterol' ? fact.types : [fact.types[0]];
    return types.map((type, n) => ({
      resource: fact.name,
      provider: 'manual',
      source_type: 'watch',
      unit: fact.unit,
      ...(type === undefined ? {} : { type }),
      ...(fact.interval ? { start: FACT_BEGIN, end: FACT_END } : { timestamp: FACT_BEGIN }),
      ...(fact.value === 'pressure'
        ? { systolic: factValue(fact.name), diastolic: factValue(fact.name) / 2 }
        : { value: fact.value === 'text' ? 'Two eggs' : factValue(fact.name, n) }),
    }));
  });
