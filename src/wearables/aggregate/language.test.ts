// The whole query language: every column of every table, written out by hand with the value that pushed data must give,
// and every function, group, macro and period.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { pushSummaries } from '../../../test/factories.ts';
import { factValue, SERIES_FACTS, sampleOfEach } from '../../../test/series-facts.ts';

let app: TestApp;
let userId: string;
/** Values that only the service knows before it answers: ids, and times at which it stored something. */
const known: Record<string, string | null> = {};

type Value = number | string | boolean | string[] | null;
type Table = Record<string, Value[]>;
type Problem = { loc: (string | number)[]; msg: string; type: string };

const week = { type: 'relative', anchor: '2026-01-11', past: { unit: 'week', value: 1 } };
const ask = async (queries: object[], { timeframe = week, config }: { timeframe?: object; config?: object } = {}) =>
  app.api<{ results: { table: Table }[]; detail: Problem[] }>('POST', `/aggregate/v1/user/${userId}/query`, {
    timeframe,
    queries,
    config,
  });
const tablesOf = async (queries: object[], more: { timeframe?: object; config?: object } = {}): Promise<Table[]> => {
  const { status, body } = await ask(queries, more);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.results.map(({ table }) => table);
};
const tableOf = async (query: object, more: { timeframe?: object; config?: object } = {}): Promise<Table> =>
  (await tablesOf([query], more))[0] as Table;

/** A Friday night in Phoenix that ends on a Saturday. */
const night = {
  provider: 'oura',
  source_type: 'ring',
  app_id: 'com.example.ring',
  timezone_offset: -25_200,
  bedtime_start: '2026-01-10T06:30:00Z',
  bedtime_stop: '2026-01-10T14:30:00Z',
  type: 'long_sleep',
  state: 'confirmed',
  duration: 28_800,
  total: 25_200,
  awake: 1_680,
  light: 13_000,
  rem: 6_000,
  deep: 6_200,
  latency: 900,
  hr_lowest: 48,
  hr_average: 59,
  hr_resting: 51,
  hr_dip: 15.5,
  efficiency: 87.5,
  average_hrv: 66.5,
  skin_temperature: 34.25,
  temperature_delta: -0.5,
  respiratory_rate: 14.5,
  score: 86,
};
const day = {
  provider: 'fitbit',
  source_type: 'watch',
  app_id: 'com.example.watch',
  calendar_date: '2026-01-06',
  time_zone: 'America/Phoenix',
  timezone_offset: -25_200,
  calories_total: 2_101.5,
  calories_active: 502.5,
  steps: 10_003,
  distance: 7_005.5,
  floors_climbed: 9,
  low: 106,
  medium: 47,
  high: 18,
  heart_rate: { avg_bpm: 71, min_bpm: 42, max_bpm: 163, resting_bpm: 54, avg_walking_bpm: 95 },
  wheelchair_use: true,
  wheelchair_push: 110,
};
const run = {
  provider: 'garmin',
  source_type: 'watch',
  app_id: 'com.example.run',
  provider_id: 'w-1',
  sport: 'trail_running',
  title: 'Round the hill',
  timezone_offset: -25_200,
  time_start: '2026-01-07T15:00:00Z',
  time_end: '2026-01-07T16:00:00Z',
  average_hr: 141,
  max_hr: 172,
  hr_zones: [60, 120, 600, 1_200, 900, 30],
  distance: 9_003.5,
  calories: 604.5,
  moving_time: 3_405,
  total_elevation_gain: 206.5,
  elev_high: 407.5,
  elev_low: 308.5,
  average_speed: 2.75,
  max_speed: 4.25,
  average_watts: 211.5,
  max_watts: 413.5,
  weighted_average_watts: 224.5,
  steps: 8_015,
  map: { polyline: '_p~iF~ps|U_ulLnnqC', summary_polyline: '_p~iF~ps|U' },
};
const weighing = {
  provider: 'withings',
  source_type: 'scale',
  app_id: 'com.example.scale',
  timestamp: '2026-01-08T14:00:00Z',
  time_zone: 'America/Phoenix',
  weight: 71.5,
  fat: 18.25,
  water_percentage: 58.5,
  muscle_mass_percentage: 44.5,
  visceral_fat_index: 5.5,
  bone_mass_percentage: 4.5,
  body_mass_index: 22.5,
  lean_body_mass_kilogram: 58.25,
  waist_circumference_centimeter: 81.5,
};
const named = (from: number, names: string): Record<string, number> =>
  Object.fromEntries(names.split(' ').map((name, n) => [name, from + n + 0.5]));
const lunch = {
  provider: 'cronometer',
  source_type: 'app',
  app_id: 'com.example.food',
  timestamp: '2026-01-09T19:00:00Z',
  timezone_offset: -25_200,
  name: 'Lunch',
  energy: { value: 621.5 },
  macros: {
    carbs: 72.5,
    protein: 33.5,
    fats: { saturated: 4.25, monounsaturated: 5.25, polyunsaturated: 6.25, omega3: 1.25, omega6: 2.25, total: 16.25 },
    alcohol: 0.75,
    water: 251.5,
    fibre: 8.75,
    sugar: 9.75,
    cholesterol: 0.125,
  },
  micros: {
    minerals: named(500, 'sodium potassium calcium phosphorus magnesium iron zinc fluoride chloride'),
    trace_elements: named(600, 'chromium copper iodine manganese molybdenum selenium'),
    vitamins: named(
      700,
      'vitamin_a vitamin_b1 riboflavin niacin pantothenic_acid vitamin_b6 biotin vitamin_b12 vitamin_c vitamin_d ' +
        'vitamin_e vitamin_k folic_acid',
    ),
  },
};
const person = {
  provider: 'oura',
  source_type: 'ring',
  app_id: 'com.example.ring',
  height: 171,
  birth_date: '1988-04-12',
  wheelchair_use: true,
  gender: 'female',
  sex: 'female',
};

/**
 * The value of each column in the response, by table. A function reads a value that the service made, such as an id,
 * from `known`.
 */
const TABLES: Record<string, Record<string, Value | (() => string | null)>> = {
  sleep: {
    id: () => known['sleep'] as string,
    session_start: '2026-01-10T06:30:00.000Z',
    session_end: '2026-01-10T14:30:00.000Z',
    state: 'confirmed',
    type: 'long_sleep',
    duration_second: 28_800,
    stage_asleep_second: 25_200,
    stage_awake_second: 1_680,
    stage_light_second: 13_000,
    stage_rem_second: 6_000,
    stage_deep_second: 6_200,
    stage_unknown_second: null,
    latency_second: 900,
    heart_rate_minimum: 48,
    heart_rate_mean: 59,
    heart_rate_maximum: null,
    heart_rate_dip: 15.5,
    heart_rate_resting: 51,
    efficiency: 87.5,
    hrv_mean_rmssd: 66.5,
    hrv_mean_sdnn: null,
    skin_temperature: 34.25,
    skin_temperature_delta: -0.5,
    respiratory_rate: 14.5,
    score: 86,
    source_type: 'ring',
    source_provider: 'oura',
    source_app_id: 'com.example.ring',
    source_device_id: () => known['device'] as string,
    time_zone: '-07:00',
  },
  activity: {
    date: '2026-01-06',
    calories_total: 2_101.5,
    calories_active: 502.5,
    steps: 10_003,
    distance_meter: 7_005.5,
    floors_climbed: 9,
    duration_active_second: (106 + 47 + 18) * 60,
    intensity_sedentary_second: null,
    intensity_low_second: 106 * 60,
    intensity_medium_second: 47 * 60,
    intensity_high_second: 18 * 60,
    heart_rate_mean: 71,
    heart_rate_minimum: 42,
    heart_rate_maximum: 163,
    heart_rate_resting: 54,
    heart_rate_mean_walking: 95,
    wheelchair_use: true,
    wheelchair_push: 110,
    source_type: 'watch',
    source_provider: 'fitbit',
    source_app_id: 'com.example.watch',
    source_device_id: null,
    time_zone: 'America/Phoenix',
    time_zone_offset: -25_200,
  },
  workout: {
    session_start: '2026-01-07T15:00:00.000Z',
    session_end: '2026-01-07T16:00:00.000Z',
    title: 'Round the hill',
    sport_name: 'Trail running',
    sport_slug: 'trail_running',
    duration_active_second: 3_405,
    heart_rate_mean: 141,
    heart_rate_minimum: null,
    heart_rate_maximum: 172,
    heart_rate_zone_1: 60,
    heart_rate_zone_2: 120,
    heart_rate_zone_3: 600,
    heart_rate_zone_4: 1_200,
    heart_rate_zone_5: 900,
    heart_rate_zone_6: 30,
    distance_meter: 9_003.5,
    calories: 604.5,
    elevation_gain_meter: 206.5,
    elevation_maximum_meter: 407.5,
    elevation_minimum_meter: 308.5,
    speed_mean: 2.75,
    speed_maximum: 4.25,
    power_source: null,
    power_mean: 211.5,
    power_maximum: 413.5,
    power_weighted_mean: 224.5,
    steps: 8_015,
    map_polyline: '_p~iF~ps|U_ulLnnqC',
    map_summary_polyline: '_p~iF~ps|U',
    source_type: 'watch',
    source_provider: 'garmin',
    source_app_id: 'com.example.run',
    source_device_id: null,
    external_id: 'w-1',
    time_zone: '-07:00',
  },
  body: {
    measured_at: '2026-01-08T14:00:00.000Z',
    weight_kilogram: 71.5,
    fat_mass_percentage: 18.25,
    water_percentage: 58.5,
    muscle_mass_percentage: 44.5,
    visceral_fat_index: 5.5,
    bone_mass_percentage: 4.5,
    body_mass_index: 22.5,
    lean_body_mass_kilogram: 58.25,
    waist_circumference_centimeter: 81.5,
    source_type: 'scale',
    source_provider: 'withings',
    source_app_id: 'com.example.scale',
    source_device_id: null,
    time_zone: 'America/Phoenix',
  },
  meal: {
    calories: 621.5,
    carbohydrate_gram: 72.5,
    protein_gram: 33.5,
    alcohol_gram: 0.75,
    water_gram: 251.5,
    fibre_gram: 8.75,
    sugar_gram: 9.75,
    cholesterol_gram: 0.125,
    saturated_fat_gram: 4.25,
    monounsaturated_fat_gram: 5.25,
    polyunsaturated_fat_gram: 6.25,
    omega3_fat_gram: 1.25,
    omega6_fat_gram: 2.25,
    total_fat_gram: 16.25,
    sodium_milligram: 500.5,
    potassium_milligram: 501.5,
    calcium_milligram: 502.5,
    phosphorus_milligram: 503.5,
    magnesium_milligram: 504.5,
    iron_milligram: 505.5,
    zinc_milligram: 506.5,
    fluoride_milligram: 507.5,
    chloride_milligram: 508.5,
    vitamin_a_milligram: 700.5,
    vitamin_b1_milligram: 701.5,
    riboflavin_milligram: 702.5,
    niacin_milligram: 703.5,
    pantothenic_acid_milligram: 704.5,
    vitamin_b6_milligram: 705.5,
    vitamin_c_milligram: 708.5,
    vitamin_e_milligram: 710.5,
    manganese_milligram: 603.5,
    biotin_microgram: 706_500,
    vitamin_b12_microgram: 707_500,
    vitamin_d_microgram: 709_500,
    vitamin_k_microgram: 711_500,
    folic_acid_microgram: 712_500,
    chromium_microgram: 600_500,
    copper_microgram: 601_500,
    copper_milligram: 601.5,
    iodine_microgram: 602_500,
    molybdenum_microgram: 604_500,
    selenium_microgram: 605_500,
    date: '2026-01-09',
    name: 'Lunch',
    source_type: 'app',
    source_provider: 'cronometer',
    source_app_id: 'com.example.food',
    source_device_id: null,
  },
  profile: {
    height_centimeter: 171,
    birth_date: '1988-04-12',
    wheelchair_use: true,
    gender: 'female',
    sex: 'female',
    source_type: 'ring',
    source_provider: 'oura',
    source_app_id: 'com.example.ring',
    source_device_id: null,
    created_at: () => known['profile_created_at'] as string,
    updated_at: () => known['profile_updated_at'] as string,
  },
};

beforeAll(async () => {
  app = await startTestApp();
  const { body } = await app.api<{ user_id: string }>('POST', '/v2/user', {
    client_user_id: 'of Phoenix',
    fallback_time_zone: 'America/Phoenix',
  });
  userId = body.user_id;
  const push = async (path: string, item: object): Promise<string> => {
    const response = await pushSummaries<{ items: { id: string }[]; detail: unknown }>(app.team, userId, path, [item]);
    expect([response.status, response.body.detail]).toEqual([200, undefined]);
    return response.body.items[0]?.id as string;
  };
  known['device'] = await push('devices', { provider: 'oura', source_type: 'ring', device_model: 'Ring 4' });
  known['sleep'] = await push('sleep', { ...night, device_id: known['device'] });
  await push('activity', day);
  known['workout'] = await push('workouts', run);
  await push('body', weighing);
  await push('meal', lunch);
  await push('profile', person);
  const profile = await app.api<{ created_at: string; updated_at: string }>('GET', `/v2/summary/profile/${userId}`);
  known['profile_created_at'] = profile.body.created_at;
  known['profile_updated_at'] = profile.body.updated_at;
});
afterAll(() => app.close());

const valueOf = (value: Value | (() => string | null)): Value => (typeof value === 'function' ? value() : value);
const lastDay = {
  type: 'relative',
  anchor: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10),
  past: { unit: 'year' },
};
const timeframeOf = (table: string): object => (table === 'profile' ? lastDay : week);
const AT_ONCE = 20;
/** Splits the columns of a table into groups that one query can select. */
const inTwenties = <T>(all: T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, n) => all.slice(n * AT_ONCE, (n + 1) * AT_ONCE));

describe.each(Object.entries(TABLES))('the table %s', (table, words) => {
  const columns = Object.keys(words);

  test('lists each of its columns', async () => {
    const queries = inTwenties(columns).map((some) => ({ select: some.map((column) => ({ [table]: column })) }));
    const tables = await tablesOf(queries, { timeframe: timeframeOf(table) });
    const expected = Object.fromEntries(
      columns.map((column) => [`${table}.${column}`, [valueOf(words[column] ?? null)]]),
    );
    expect(Object.assign({}, ...tables)).toEqual(expected);
  });

  test('counts each of its columns, and answers its oldest value', async () => {
    const queries = inTwenties(columns).flatMap((some) =>
      ['count', 'oldest'].map((func) => ({ select: some.map((column) => ({ func, arg: { [table]: column } })) })),
    );
    const tables = await tablesOf(queries, { timeframe: timeframeOf(table) });
    const expected = columns.flatMap((column) => {
      const value = valueOf(words[column] ?? null);
      return [
        [`count.${table}.${column}`, [value === null ? 0 : 1]],
        [`oldest.${table}.${column}`, [value]],
      ];
    });
    expect(Object.assign({}, ...tables)).toEqual(Object.fromEntries(expected));
  });

  test('can be grouped by each of its columns', async () => {
    const queries = columns.map((column) => ({
      select: [{ group_key: 0 }, { func: 'count', arg: { index: table } }],
      group_by: [{ [table]: column }],
    }));
    const tables: Table[] = [];
    for (let n = 0; n < queries.length; n += 10)
      tables.push(...(await tablesOf(queries.slice(n, n + 10), { timeframe: timeframeOf(table) })));
    expect(tables).toEqual(
      columns.map((column) => ({
        'group_key.0': [valueOf(words[column] ?? null)],
        [`count.${table}.index`]: [1],
      })),
    );
  });

  test('can be filtered by each of its columns', async () => {
    const literal = (value: Value): string => (typeof value === 'string' ? `'${value}'` : String(value).toUpperCase());
    const cases = columns.map((column): [where: string, rows: number] => [
      `${column} = ${literal(valueOf(words[column] ?? null))}`,
      1,
    ]);
    const others = columns.map((column): [where: string, rows: number] => {
      const value = valueOf(words[column] ?? null);
      return value === null ? [`${table}.${column} != NULL`, 0] : [`${table}.${column} != ${literal(value)}`, 0];
    });
    for (let n = 0; n < columns.length; n += 5) {
      const some = [...cases.slice(n, n + 5), ...others.slice(n, n + 5)];
      const queries = some.map(([where]) => ({ select: [{ func: 'count', arg: { index: table } }], where }));
      const tables = await tablesOf(queries, { timeframe: timeframeOf(table) });
      expect(some.map(([where], query) => [where, tables[query]?.[`count.${table}.index`]?.[0]])).toEqual(some);
    }
  });

  test('has its time as its index', async () => {
    const index = {
      sleep: '2026-01-10',
      activity: '2026-01-06',
      workout: '2026-01-07T15:00:00.000Z',
      body: '2026-01-08T14:00:00.000Z',
      meal: '2026-01-09T19:00:00.000Z',
      profile: known['profile_created_at'],
    }[table];
    const [bare, newest] = await tablesOf(
      [{ select: [{ index: table }] }, { select: [{ func: 'newest', arg: { index: table } }] }],
      { timeframe: timeframeOf(table) },
    );
    expect([bare, newest]).toEqual([{ [`${table}.index`]: [index] }, { [`newest.${table}.index`]: [index] }]);
  });

  test('has sources, and can be grouped by them', async () => {
    const sources = ['source_provider', 'source_type', 'source_app_id', 'source_workout_id', 'source_sport'];
    const isWorkout = table === 'workout';
    const expected = sources.map((source) =>
      source === 'source_workout_id' || source === 'source_sport'
        ? isWorkout
          ? { source_workout_id: known['workout'], source_sport: 'trail_running' }[source]
          : null
        : valueOf(words[source] ?? null),
    );
    const timeframe = timeframeOf(table);
    const [bare, grouped] = await tablesOf(
      [
        { select: [{ index: table }, ...sources.map((source) => ({ source }))] },
        {
          select: [{ group_key: '*' }, { func: 'count', arg: { index: table } }],
          group_by: sources.map((source) => ({ source })),
        },
      ],
      { timeframe },
    );
    expect(sources.map((source) => bare?.[`${table}.${source}`])).toEqual(expected.map((value) => [value]));
    expect(sources.map((_, n) => grouped?.[`group_key.${n}`])).toEqual(expected.map((value) => [value]));
  });
});

describe('value macros', () => {
  const macros = { sleep_score: 98, chronotype: 'slight_early', asleep_at: '23:45:00', awake_at: '07:30:00' };
  const names = Object.keys(macros);

  test('can be listed, with a version or without', async () => {
    const [plain, versioned] = await tablesOf([
      { select: names.map((value_macro) => ({ value_macro })) },
      { select: names.map((value_macro) => ({ value_macro, version: 'automatic' })) },
    ]);
    const expected = Object.fromEntries(Object.entries(macros).map(([name, value]) => [`sleep.${name}`, [value]]));
    expect([plain, versioned]).toEqual([expected, expected]);
  });

  test('can be computed with, grouped by and filtered by', async () => {
    for (const [value_macro, value] of Object.entries(macros)) {
      const literal = typeof value === 'string' ? `'${value}'` : value;
      const [newest, grouped, filtered] = await tablesOf([
        { select: [{ func: 'newest', arg: { value_macro } }] },
        { select: [{ group_key: 0 }, { func: 'count', arg: { sleep: 'id' } }], group_by: [{ value_macro }] },
        { select: [{ sleep: 'score' }], where: `${value_macro} = ${literal}` },
      ]);
      expect([newest, grouped, filtered]).toEqual([
        { [`newest.sleep.${value_macro}`]: [value] },
        { 'group_key.0': [value], 'count.sleep.id': [1] },
        { 'sleep.score': [86] },
      ]);
    }
  });
});

describe('series', () => {
  const at = { type: 'relative', anchor: '2026-01-05', past: { unit: 'day' } };
  const common = [
    'source_provider',
    'source_type',
    'source_app_id',
    'source_workout_id',
    'source_sport',
    'timezone_offset',
    'type',
  ];
  beforeAll(async () => {
    const more: Record<string, object> = {
      note: { tags: ['food', 'exercise'], app_id: 'com.example.notes', timezone_offset: -25_200 },
      body_temperature: { sensor_location: 'ear' },
      body_temperature_delta: { sensor_location: 'finger' },
      workout_duration: { intensity: 'high' },
    };
    const samples = sampleOfEach().map((sample) => ({ ...sample, ...more[String(sample['resource'])] }));
    await app.api('POST', `/v2/timeseries/${userId}/samples`, samples);
  });

  test.each(SERIES_FACTS.filter(({ name }) => name !== 'cholesterol'))('$name has its fields', async (fact) => {
    const { name, value, interval, types } = fact;
    const fields: Record<string, Value> = {
      source_provider: 'manual',
      source_type: 'watch',
      source_app_id: name === 'note' ? 'com.example.notes' : null,
      source_workout_id: null,
      source_sport: null,
      timezone_offset: name === 'note' ? -25_200 : null,
      type: types[0] ?? null,
      ...(value === 'number' && { value: factValue(name) }),
      ...(value === 'number' && interval && { duration: 1_800 }),
      ...(value === 'pressure' && { systolic: factValue(name), diastolic: factValue(name) / 2 }),
      ...(name === 'note' && { tags: ['food', 'exercise'], content: 'Two eggs' }),
      ...(name === 'body_temperature' && { sensor_location: 'ear' }),
      ...(name === 'body_temperature_delta' && { sensor_location: 'finger' }),
      ...(name === 'workout_duration' && { intensity: 'high' }),
    };
    const select = Object.keys(fields).map((field) => ({ timeseries: name, field }));
    const table = await tableOf({ select: [...select, { index: 'timeseries' }] }, { timeframe: at });
    expect(table).toEqual({
      ...Object.fromEntries(
        Object.entries(fields).map(([field, expectedValue]) => [`${name}.${field}`, [expectedValue]]),
      ),
      [`${name}.index`]: ['2026-01-05T07:00:00.000Z'],
    });
    const [first = 'type'] = Object.keys(fields).slice(common.length);
    const { body } = await ask(
      [
        {
          select: [
            { timeseries: name, field: interval && value === 'number' ? 'systolic' : 'duration' },
            { timeseries: name, field: first },
          ],
        },
      ],
      { timeframe: at },
    );
    expect(body.detail.map(({ loc }) => loc.slice(3))).toEqual([['select', 0, 'field']]);
  });

  test('of several types can be read together, and by type', async () => {
    const by = { select: [{ group_key: 0 }, { func: 'max', arg: { timeseries: 'cholesterol' } }] };
    const [all, byType, one] = await tablesOf(
      [
        { select: [{ func: 'count', arg: { timeseries: 'cholesterol' } }] },
        { ...by, group_by: [{ timeseries: 'cholesterol', field: 'type' }] },
        { select: [{ timeseries: 'cholesterol', field: 'value' }], where: "type = 'ldl'" },
      ],
      { timeframe: at },
    );
    const values = ['total', 'ldl', 'hdl', 'triglycerides'].map(
      (type, n) => [type, factValue('cholesterol', n)] as const,
    );
    const sorted = values.toSorted(([a], [b]) => (a < b ? -1 : 1));
    expect(all).toEqual({ 'count.cholesterol.value': [4] });
    expect(byType).toEqual({
      'group_key.0': sorted.map(([type]) => type),
      'max.cholesterol.value': sorted.map(([, value]) => value),
    });
    expect(one).toEqual({ 'cholesterol.value': [factValue('cholesterol', 1)] });
  });

  test('weight and fat are other names of body_weight and body_fat', async () => {
    const [weight, fat] = await tablesOf(
      ['weight', 'fat'].map((timeseries) => ({ select: [{ timeseries, field: 'value' }] })),
      { timeframe: at },
    );
    expect([weight, fat]).toEqual([
      { 'weight.value': [factValue('body_weight')] },
      { 'fat.value': [factValue('body_fat')] },
    ]);
  });

  test('notes can be filtered by a tag and by their text', async () => {
    const wheres = ["tags = 'food'", "tags != 'food'", "content = 'Two eggs'", "content > 'Two'", "content < 'Two'"];
    const tables = await tablesOf(
      wheres.map((where) => ({ select: [{ func: 'count', arg: { timeseries: 'note', field: 'content' } }], where })),
      { timeframe: at },
    );
    expect(tables.map((table) => table['count.note.content']?.[0])).toEqual([1, 0, 1, 1, 0]);
  });
});
