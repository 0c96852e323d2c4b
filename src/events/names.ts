/** Resources of wearables that events tell of, summaries and timeseries, as events name them. */
const RESOURCES = [
  'activity',
  'afib_burden',
  'basal_body_temperature',
  'blood_oxygen',
  'blood_pressure',
  'body',
  'body_mass_index',
  'body_temperature',
  'body_temperature_delta',
  'caffeine',
  'calories_active',
  'calories_basal',
  'carbohydrates',
  'cholesterol',
  'daylight_exposure',
  'distance',
  'electrocardiogram',
  'electrocardiogram_voltage',
  'fall',
  'fat',
  'floors_climbed',
  'forced_expiratory_volume_1',
  'forced_vital_capacity',
  'glucose',
  'handwashing',
  'heart_rate_alert',
  'heart_rate_recovery_one_minute',
  'heartrate',
  'hrv',
  'hrv_sdnn',
  'ige',
  'igg',
  'inhaler_usage',
  'insulin_injection',
  'lean_body_mass',
  'meal',
  'menstrual_cycle',
  'mindfulness_minutes',
  'note',
  'peak_expiratory_flow_rate',
  'profile',
  'respiratory_rate',
  'sleep',
  'sleep_apnea_alert',
  'sleep_breathing_disturbance',
  'sleep_cycle',
  'stand_duration',
  'stand_hour',
  'steps',
  'stress_level',
  'uv_exposure',
  'vo2_max',
  'waist_circumference',
  'water',
  'weight',
  'wheelchair_push',
  'workout_distance',
  'workout_duration',
  'workout_stream',
  'workout_swimming_stroke',
  'workouts',
];

/** Told to operators of receivers, not about a user: only who names them gets them. */
export const OPERATIONAL_NAMES = ['message.attempt.exhausted', 'endpoint.disabled'];

/**
 * Every type of event that there is or will be: a receiver may subscribe to a type before its first event exists, but
 * a misspelt name is refused.
 */
export const EVENT_NAMES = [
  ...['labtest.order', 'labtest.appointment', 'labtest.match_review'].flatMap(createdAndUpdated),
  'labtest.result.critical',
  'provider.connection.created',
  'provider.connection.error',
  ...createdAndUpdated('provider.device'),
  ...createdAndUpdated('lab_report.parsing_job'),
  'continuous_query.result_table.changed',
  ...OPERATIONAL_NAMES,
  ...RESOURCES.map((resource) => `historical.data.${resource}.created`),
  ...RESOURCES.flatMap((resource) => createdAndUpdated(`daily.data.${resource}`)),
  // The points of a workout go with it.
  ...RESOURCES.filter((resource) => resource !== 'workout_stream').map((resource) => `daily.data.${resource}.deleted`),
];

/** What a filter may be: a name of EVENT_NAMES, or its beginning up to a dot and `*`. */
export const EVENT_FILTER_PATTERN = `^${alternatives(EVENT_NAMES.map((name) => name.split('.')))}$`;

/** Every filter that lets events of this name through: the name itself and its beginnings. */
export function filtersFor(name: string): string[] {
  const parts = name.split('.');
  return [name, ...parts.slice(1).map((_, n) => `${parts.slice(0, n + 1).join('.')}.*`)];
}

/** All that a filter may be. */
export const eventFilters = (): string[] => [...new Set(EVENT_NAMES.flatMap(filtersFor))];

/** Whether one of the filters lets events of this name through. */
export function matches(filters: string[], name: string): boolean {
  return filtersFor(name).some((filter) => filters.includes(filter));
}

/** As `matches`; without filters, every name but the operational ones. */
export function takes(filters: string[] | null, name: string): boolean {
  return filters === null ? !OPERATIONAL_NAMES.includes(name) : matches(filters, name);
}

function createdAndUpdated(what: string): string[] {
  return [`${what}.created`, `${what}.updated`];
}

/** Names by their parts as one pattern, each part written once; `*` stands for whatever may follow a dot. */
function alternatives(names: string[][]): string {
  const behind = new Map<string, string[][]>();
  for (const [first = '', ...rest] of names) behind.set(first, [...(behind.get(first) ?? []), rest]);
  const branches = [...behind].map(([first, rest]) => {
    const further = rest.filter((parts) => parts.length > 0);
    return further.length === 0 ? first : `${first}\\.${alternatives([['\\*'], ...further])}`;
  });
  return branches.length === 1 ? (branches[0] as string) : `(?:${branches.join('|')})`;
}
