// Every column that a query can compute with. Each has its own number, so that an answer from another column is
// noticed.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser, pushSummaries } from '../../../test/factories.ts';
import { factValue, sampleOfEach, SERIES_FACTS } from '../../../test/series-facts.ts';
import { SERIES } from '../series.ts';
import { SUMMARIES } from '../summaries/summary-resources.ts';
import { ownNumbers } from './query-tables.ts';

let app: TestApp;
let userId: string;

const watch = { provider: 'manual', source_type: 'watch' };
const night = { bedtime_start: '2026-01-05T05:00:00Z', bedtime_stop: '2026-01-05T13:00:00Z' };

/** Milligrams by name, each with its own number. */
const milligrams = (from: number, names: string): Record<string, number> =>
  Object.fromEntries(names.split(' ').map((name, n) => [name, from + n + 0.5]));

type Numbers = Record<string, unknown>;
/** For each table: the path to push its summaries, other keys that these need, and a number for each column. */
const KINDS: Record<string, { path: string; more: object; numbers: Numbers }> = {
  activity: {
    path: 'activity',
    more: { calendar_date: '2026-01-05' },
    numbers: {
      calories_total: 2101.5,
      calories_active: 502.5,
      steps: 10_003,
      daily_movement: 7004.5,
      distance: 7005.5,
      low: 106,
      medium: 47,
      high: 18,
      floors_climbed: 9,
      wheelchair_push: 110,
      exercise_minutes: 31.5,
      stand_hours: 11,
      move_minutes: 61.5,
      calories_active_goal: 450.5,
      exercise_minutes_goal: 30.5,
      stand_hours_goal: 12,
      move_minutes_goal: 60.5,
      heart_rate: { avg_bpm: 71, min_bpm: 42, max_bpm: 163, resting_bpm: 54, avg_walking_bpm: 95 },
    },
  },
  sleep: {
    path: 'sleep',
    more: night,
    numbers: {
      duration: 28_800,
      total: 26_101,
      awake: 1_802,
      light: 14_403,
      rem: 6_004,
      deep: 5_705,
      score: 86,
      recovery_readiness_score: 77,
      hr_lowest: 48,
      hr_average: 59,
      hr_resting: 51,
      efficiency: 91.5,
      latency: 612,
      temperature_delta: -0.5,
      skin_temperature: 34.25,
      hr_dip: 15.5,
      average_hrv: 66.5,
      respiratory_rate: 14.5,
    },
  },
  body: {
    path: 'body',
    more: { timestamp: '2026-01-05T07:00:00Z' },
    numbers: {
      weight: 71.5,
      fat: 18.25,
      water_percentage: 58.5,
      muscle_mass_percentage: 44.5,
      visceral_fat_index: 5.5,
      bone_mass_percentage: 4.5,
      body_mass_index: 22.5,
      lean_body_mass_kilogram: 58.25,
      waist_circumference_centimeter: 81.5,
    },
  },
  workout: {
    path: 'workouts',
    more: {
      sport: 'running',
      time_start: '2026-01-05T07:00:00Z',
      time_end: '2026-01-05T08:00:00Z',
      provider_id: 'w-1',
    },
    numbers: {
      average_hr: 141,
      max_hr: 172,
      distance: 9003.5,
      calories: 604.5,
      moving_time: 3_405,
      total_elevation_gain: 206.5,
      elev_high: 407.5,
      elev_low: 308.5,
      average_speed: 2.75,
      max_speed: 4.25,
      average_watts: 211.5,
      device_watts: 212.5,
      max_watts: 413.5,
      weighted_average_watts: 224.5,
      steps: 8_015,
    },
  },
  meal: {
    path: 'meal',
    more: { timestamp: '2026-01-05T12:00:00Z', name: 'Lunch' },
    numbers: {
      energy: { value: 621.5 },
      macros: {
        carbs: 72.5,
        protein: 33.5,
        fats: {
          saturated: 4.25,
          monounsaturated: 5.25,
          polyunsaturated: 6.25,
          omega3: 1.25,
          omega6: 2.25,
          total: 16.25,
        },
        alcohol: 0.75,
        water: 251.5,
        fibre: 8.75,
        sugar: 9.75,
        cholesterol: 0.125,
      },
      micros: {
        minerals: milligrams(500, 'sodium potassium calcium phosphorus magnesium iron zinc fluoride chloride'),
        trace_elements: milligrams(600, 'chromium copper iodine manganese molybdenum selenium'),
        vitamins: milligrams(
          700,
          'vitamin_a vitamin_b1 riboflavin niacin pantothenic_acid vitamin_b6 biotin vitamin_b12 vitamin_c vitamin_d ' +
            'vitamin_e vitamin_k folic_acid',
        ),
      },
    },
  },
  electrocardiogram: {
    path: 'electrocardiogram',
    more: { session_start: '2026-01-05T12:00:00Z', session_end: '2026-01-05T12:00:30Z' },
    numbers: { voltage_sample_count: 15_361, heart_rate_mean: 64, sampling_frequency_hz: 512.5 },
  },
};
/** The numbers of an item by their paths, as `macros.fats.total`. */
function numbersIn(item: Numbers, before = ''): Record<string, number> {
  const found = Object.entries(item).map(([name, value]): Record<string, number> => {
    if (typeof value === 'object') return numbersIn(value as Numbers, `${before}${name}.`);
    return { [`${before}${name}`]: value as number };
  });
  return Object.assign({}, ...found) as Record<string, number>;
}

/** The number columns of each kind of summary that is listed by days, by the name of its table. */
const NUMBERS = new Map(
  SUMMARIES.filter(({ list }) => list)
    .map((summary): [string, string[]] => [summary.name.replace(/s$/, ''), ownNumbers(summary)])
    .filter(([, numbers]) => numbers.length > 0),
);

type Table = Record<string, (number | null)[]>;
const MAX_SELECTED = 20;

/** The values of columns, with `each` columns in a query. */
async function valuesOf(
  columns: { func: string; arg: object }[],
  each = MAX_SELECTED,
): Promise<Record<string, number | null>> {
  const queries: object[] = [];
  for (let n = 0; n < columns.length; n += each) queries.push({ select: columns.slice(n, n + each) });
  const timeframe = { type: 'relative', anchor: '2026-01-06', past: { unit: 'week' } };
  const { status, body } = await app.api<{ results: { table: Table }[]; detail: unknown }>(
    'POST',
    `/aggregate/v1/user/${userId}/query`,
    { timeframe, queries },
  );
  expect([status, body.detail]).toEqual([200, undefined]);
  return Object.fromEntries(
    body.results.flatMap(({ table }) => Object.entries(table).map(([name, [value]]) => [name, value as number | null])),
  );
}

beforeAll(async () => {
  app = await startTestApp();
  ({ user_id: userId } = await makeUser(app.team));
  await app.api('POST', `/v2/timeseries/${userId}/samples`, sampleOfEach());
  for (const { path, more, numbers } of Object.values(KINDS)) {
    await pushSummaries(app.team, userId, path, [{ ...watch, ...more, ...numbers }]);
  }
});
afterAll(() => app.close());

describe('a query answers', () => {
  test('numbers of every kind of summary that has numbers', () => {
    expect([...NUMBERS.keys()].toSorted()).toEqual(Object.keys(KINDS).toSorted());
  });

  test.each(Object.entries(KINDS))('the number of each column of %s', async (name, { numbers }) => {
    const expected = numbersIn(numbers);
    const columns = NUMBERS.get(name) as string[];
    expect(columns.toSorted()).toEqual(Object.keys(expected).toSorted());
    const asked = columns.flatMap((column) => ['max', 'count'].map((func) => ({ func, arg: { [name]: column } })));
    const responses = Object.entries(expected).flatMap(([column, value]) => [
      [`max.${name}.${column}`, value],
      [`count.${name}.${column}`, 1],
    ]);
    expect(await valuesOf(asked)).toEqual(Object.fromEntries(responses));
  });

  test.each([
    ['a list', { workout: 'hr_zones' }],
    ['a series of texts without a field', { timeseries: 'note' }],
    ['a column that no meal has', { meal: 'micros.minerals.gold' }],
  ])('422 with the location of %s', async (_, arg) => {
    const timeframe = { type: 'relative', anchor: '2026-01-06', past: { unit: 'week' } };
    const queries = [{ select: [{ func: 'count', arg }] }];
    const path = `/aggregate/v1/user/${userId}/query`;
    const { status, body } = await app.api<{ detail: { loc: unknown[] }[] }>('POST', path, { timeframe, queries });
    expect([status, body.detail[0]?.loc.slice(0, 6)]).toEqual([422, ['body', 'queries', 0, 'select', 0, 'arg']]);
  });

  test('the number of every series', async () => {
    const facts = SERIES_FACTS.filter(({ value }) => value !== 'text');
    expect(SERIES.flatMap(({ name, value }) => (value === 'text' ? [] : [name])).toSorted()).toEqual(
      facts.map(({ name }) => name),
    );
    for (const { name, value, types } of facts) {
      const keyed = ['cholesterol', 'ige', 'igg'].includes(name) ? types : [null];
      const fields = value === 'pressure' ? ['systolic', 'diastolic'] : ['value'];
      const columns = keyed.flatMap((type) =>
        fields.map((field) => ({ timeseries: name, field, ...(type && { type }) })),
      );
      const responses = keyed.flatMap((type, n) =>
        fields.map((field) => [
          ['mean', name, field, ...(type === null ? [] : [type])].join('.'),
          field === 'diastolic' ? factValue(name) / 2 : factValue(name, n),
        ]),
      );
      const asked = columns.map((arg) => ({ func: 'mean', arg }));
      const values = await valuesOf(asked, fields.length);
      expect(values).toEqual(Object.fromEntries(responses));
    }
  });
});
