// Groups, timeframes and sources of queries, with sums that a reader can compute in the head.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser, pushSummaries } from '../../../test/factories.ts';
import { planOf, readQuery } from './read-query.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

type Table = Record<string, (number | string | boolean | null)[]>;
type Problem = { type: string; loc: (string | number)[]; msg: string };
const ask = (userId: string, body: object) =>
  app.api<{ results: { table: Table }[]; detail: Problem[] }>('POST', `/aggregate/v1/user/${userId}/query`, body);
const tableOf = async (userId: string, timeframe: object, query: object, config?: object): Promise<Table> => {
  const { status, body } = await ask(userId, { timeframe, queries: [query], config });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.results[0]?.table as Table;
};
const past = (anchor: string, unit: string, value = 1) => ({ type: 'relative', anchor, past: { unit, value } });
const steps = (start: string, value: number, more: object = {}) => ({
  resource: 'steps',
  provider: 'oura',
  source_type: 'ring',
  start,
  end: start,
  unit: 'count',
  value,
  ...more,
});
async function userWith(samples: object[], time_zone?: string): Promise<string> {
  const { user_id } = time_zone
    ? (
        await app.api<{ user_id: string }>('POST', '/v2/user', {
          client_user_id: `of ${time_zone} ${Math.random()}`,
          fallback_time_zone: time_zone,
        })
      ).body
    : await makeUser(app.team);
  const { status } = await app.api('POST', `/v2/timeseries/${user_id}/samples`, samples);
  expect(status).toBe(200);
  return user_id;
}
const sum = { func: 'sum', arg: { timeseries: 'steps', field: 'value' } };
const by = (...group_by: object[]) => ({ select: [{ group_key: '*' }, sum], group_by });
const keysAndSums = (table: Table): [unknown, unknown] => [table['group_key.0'], table['sum.steps.value']];

describe('groups by', () => {
  let userId: string;
  const whole = past('2026-07-01', 'month', 19);
  beforeAll(async () => {
    userId = await userWith([
      steps('2025-02-03T04:05:06Z', 1),
      steps('2025-02-03T04:06:00Z', 2),
      steps('2025-11-30T23:59:59Z', 4),
      steps('2026-01-01T00:00:00Z', 8),
      steps('2026-05-31T12:30:00Z', 16),
    ]);
  });

  const starts = (...keys: string[]): string[] => keys;
  test.each([
    [
      'minute',
      1,
      starts(
        '2025-02-03T04:05:00',
        '2025-02-03T04:06:00',
        '2025-11-30T23:59:00',
        '2026-01-01T00:00:00',
        '2026-05-31T12:30:00',
      ),
      [1, 2, 4, 8, 16],
    ],
    [
      'minute',
      15,
      starts('2025-02-03T04:00:00', '2025-11-30T23:45:00', '2026-01-01T00:00:00', '2026-05-31T12:30:00'),
      [3, 4, 8, 16],
    ],
    [
      'hour',
      6,
      starts('2025-02-03T00:00:00', '2025-11-30T18:00:00', '2026-01-01T00:00:00', '2026-05-31T12:00:00'),
      [3, 4, 8, 16],
    ],
    ['day', 1, starts('2025-02-03', '2025-11-30', '2026-01-01', '2026-05-31'), [3, 4, 8, 16]],
    ['week', 1, starts('2025-02-03', '2025-11-24', '2025-12-29', '2026-05-25'), [3, 4, 8, 16]],
    ['month', 1, starts('2025-02-01', '2025-11-01', '2026-01-01', '2026-05-01'), [3, 4, 8, 16]],
    ['month', 3, starts('2025-01-01', '2025-10-01', '2026-01-01', '2026-04-01'), [3, 4, 8, 16]],
    ['month', 6, starts('2025-01-01', '2025-07-01', '2026-01-01'), [3, 4, 24]],
    ['year', 1, starts('2025-01-01', '2026-01-01'), [7, 24]],
    ['year', 2, starts('2024-01-01', '2026-01-01'), [7, 24]],
  ])('date_trunc %s × %i, with any arg', async (unit, value, keys, sums) => {
    for (const arg of [{ index: 'timeseries' }, { placeholder: true }, undefined, null]) {
      const table = await tableOf(userId, whole, by({ date_trunc: { unit, value }, arg }));
      expect(keysAndSums(table)).toEqual([keys, sums]);
    }
  });

  test.each([
    ['minute', [0, 5, 6, 30, 59], [8, 1, 2, 16, 4]],
    ['hour', [0, 4, 12, 23], [8, 3, 16, 4]],
    ['day', [1, 3, 30, 31], [8, 3, 4, 16]],
    ['week', [1, 6, 22, 48], [8, 3, 16, 4]],
    ['month', [1, 2, 5, 11], [8, 3, 16, 4]],
    ['year', [2025, 2026], [7, 24]],
    ['weekday', [1, 4, 7], [3, 8, 20]],
    ['week_of_year', [1, 6, 22, 48], [8, 3, 16, 4]],
    ['day_of_year', [1, 34, 151, 334], [8, 3, 16, 4]],
  ])('date_part %s', async (date_part, keys, sums) => {
    for (const arg of [{ index: 'timeseries' }, { placeholder: true }, undefined]) {
      const table = await tableOf(userId, whole, by({ date_part, arg }));
      expect(keysAndSums(table)).toEqual([keys, sums]);
    }
  });

  test('up to five keys at once, in their order', async () => {
    const table = await tableOf(
      userId,
      whole,
      by(
        { date_part: 'year' },
        { date_part: 'weekday' },
        { source: 'source_provider' },
        { timeseries: 'steps', field: 'source_type' },
        { timeseries: 'steps', field: 'value' },
      ),
    );
    expect([0, 1, 2, 3, 4].map((n) => table[`group_key.${n}`])).toEqual([
      [2025, 2025, 2025, 2026, 2026],
      [1, 1, 7, 4, 7],
      ['oura', 'oura', 'oura', 'oura', 'oura'],
      ['ring', 'ring', 'ring', 'ring', 'ring'],
      [1, 2, 4, 8, 16],
    ]);
  });

  test('nothing if group_by is null', async () => {
    expect(await tableOf(userId, whole, { select: [sum], group_by: null, where: null })).toEqual({
      'sum.steps.value': [31],
    });
  });

  test('the hours of workouts and of meals, and the days of nights', async () => {
    const { user_id } = await makeUser(app.team);
    const offset = { timezone_offset: -25_200 };
    await pushSummaries(app.team, user_id, 'workouts', [
      {
        provider: 'garmin',
        sport: 'running',
        ...offset,
        time_start: '2026-01-05T14:10:00Z',
        time_end: '2026-01-05T15:00:00Z',
      },
      {
        provider: 'garmin',
        sport: 'running',
        ...offset,
        time_start: '2026-01-07T01:10:00Z',
        time_end: '2026-01-07T02:00:00Z',
      },
    ]);
    await pushSummaries(app.team, user_id, 'sleep', [
      {
        provider: 'oura',
        ...offset,
        total: 20_000,
        bedtime_start: '2026-01-06T05:00:00Z',
        bedtime_stop: '2026-01-06T13:00:00Z',
      },
    ]);
    const count = (index: string) => ({ func: 'count', arg: { index } });
    const timeframe = past('2026-01-11', 'week');
    const runs = await tableOf(user_id, timeframe, {
      select: [{ group_key: '*' }, count('workout')],
      group_by: [{ date_part: 'hour', arg: { index: 'workout' } }, { date_trunc: { unit: 'day' } }],
    });
    expect(runs).toEqual({
      'group_key.0': [7, 18],
      'group_key.1': ['2026-01-05', '2026-01-06'],
      'count.workout.index': [1, 1],
    });
    const nights = await tableOf(user_id, timeframe, {
      select: [{ group_key: '*' }, count('sleep')],
      group_by: [{ date_trunc: { unit: 'hour' }, arg: { index: 'sleep' } }],
    });
    expect(nights).toEqual({ 'group_key.0': ['2026-01-06T00:00:00'], 'count.sleep.index': [1] });
  });
});

describe('a timeframe', () => {
  test('that ends with a day has the minutes and hours before the end of the day', async () => {
    const userId = await userWith([
      steps('2026-01-05T21:59:59Z', 1),
      steps('2026-01-05T22:00:00Z', 2),
      steps('2026-01-05T23:30:00Z', 4),
      steps('2026-01-06T00:00:00Z', 8),
    ]);
    const sumOf = async (timeframe: object) => (await tableOf(userId, timeframe, { select: [sum] }))['sum.steps.value'];
    expect(await sumOf(past('2026-01-05', 'hour', 2))).toEqual([6]);
    expect(await sumOf(past('2026-01-05', 'minute', 30))).toEqual([4]);
    expect(await sumOf(past('2026-01-05', 'day'))).toEqual([7]);
  });

  test('that ends with a moment ends there, and begins by the calendar of the user', async () => {
    // The anchor is 10:00 on the 5th of March in Phoenix.
    const userId = await userWith(
      [
        steps('2026-02-05T16:59:59Z', 1),
        steps('2026-02-05T17:00:00Z', 2),
        steps('2026-03-04T17:00:00Z', 4),
        steps('2026-03-05T15:59:59Z', 8),
        steps('2026-03-05T16:00:00Z', 16),
        steps('2026-03-05T16:59:59Z', 32),
        steps('2026-03-05T17:00:00Z', 64),
      ],
      'America/Phoenix',
    );
    const sumOf = async (unit: string, value = 1, anchor = '2026-03-05T17:00:00Z') =>
      (await tableOf(userId, past(anchor, unit, value), { select: [sum] }))['sum.steps.value'];
    expect(await sumOf('minute', 1)).toEqual([32]);
    expect(await sumOf('hour', 1)).toEqual([48]);
    expect(await sumOf('day', 1)).toEqual([60]);
    expect(await sumOf('month', 1)).toEqual([62]);
    expect(await sumOf('year', 1)).toEqual([63]);
    expect(await sumOf('hour', 1, '2026-03-05T10:00:00-07:00')).toEqual([48]);
  });

  test('that ends with a moment contains days and sessions that start within it', async () => {
    const { user_id } = await makeUser(app.team);
    await pushSummaries(app.team, user_id, 'activity', [
      { provider: 'oura', calendar_date: '2026-01-05', steps: 1 },
      { provider: 'oura', calendar_date: '2026-01-06', steps: 2 },
    ]);
    await pushSummaries(app.team, user_id, 'body', [
      { provider: 'withings', timestamp: '2026-01-05T09:00:00Z', weight: 70 },
      { provider: 'withings', timestamp: '2026-01-06T09:00:00Z', weight: 71 },
    ]);
    const timeframe = past('2026-01-06T08:00:00Z', 'day');
    expect(await tableOf(user_id, timeframe, { select: [{ activity: 'steps' }] })).toEqual({ 'activity.steps': [2] });
    expect(await tableOf(user_id, timeframe, { select: [{ body: 'weight_kilogram' }] })).toEqual({
      'body.weight_kilogram': [70],
    });
  });

  test('contains every profile that was stored before its end', async () => {
    const { user_id } = await makeUser(app.team);
    await pushSummaries(app.team, user_id, 'profile', [{ provider: 'oura', height: 171 }]);
    const heights = async (timeframe: object) =>
      (await tableOf(user_id, timeframe, { select: [{ profile: 'height_centimeter' }] }))['profile.height_centimeter'];
    const after = new Date(Date.now() + 300 * 86_400_000).toISOString();
    const before = new Date(Date.now() - 2 * 86_400_000).toISOString();
    expect(await heights(past(after.slice(0, 10), 'day'))).toEqual([171]);
    expect(await heights(past(after, 'hour'))).toEqual([171]);
    expect(await heights(past(before.slice(0, 10), 'year'))).toEqual([]);
    expect(await heights(past(before, 'year'))).toEqual([]);
  });

  test.each([
    ['an invalid anchor', { ...past('soon', 'day') }, ['anchor']],
    ['an invalid day', { ...past('2026-02-30', 'day') }, ['anchor']],
    ['an anchor before 1900', { ...past('1800-01-01T00:00:00Z', 'day') }, ['anchor']],
    ['more than three years of minutes', past('2026-01-05', 'minute', 1_584_001), ['past', 'value']],
    ['more than three years of hours', past('2026-01-05', 'hour', 26_401), ['past']],
    ['an unknown unit', past('2026-01-05', 'second'), ['past', 'unit']],
    ['another type', { ...past('2026-01-05', 'day'), type: 'absolute' }, ['type']],
    ['an unknown key', { ...past('2026-01-05', 'day'), until: '2026-01-06' }, ['until']],
    ['an unknown key of past', { ...past('2026-01-05', 'day'), past: { unit: 'day', many: 2 } }, ['past', 'many']],
  ])('is refused with %s', async (_what, timeframe, path) => {
    const { user_id } = await makeUser(app.team);
    const { status, body } = await ask(user_id, { timeframe, queries: [{ select: [sum] }] });
    expect([status, body.detail.map(({ loc }) => loc)]).toEqual([422, [['body', 'timeframe', ...path]]]);
  });
});

describe('rows', () => {
  test('are listed with the oldest first, up to the limit of an answer', async () => {
    const userId = await userWith([
      steps('2026-01-05T10:00:00Z', 3),
      steps('2026-01-05T08:00:00Z', 1),
      steps('2026-01-05T09:00:00Z', 2, { timezone_offset: 36_000 }),
    ]);
    const table = await tableOf(userId, past('2026-01-05', 'week'), {
      select: [{ timeseries: 'steps' }, { index: 'timeseries' }, { source: 'source_provider' }],
    });
    expect(table).toEqual({
      'steps.value': [1, 2, 3],
      'steps.index': ['2026-01-05T08:00:00.000Z', '2026-01-05T09:00:00.000Z', '2026-01-05T10:00:00.000Z'],
      'steps.source_provider': ['oura', 'oura', 'oura'],
    });
    const hours = Array.from({ length: 5_000 }, (_, n) => steps(new Date(Date.UTC(2025, 0, 1, 0, n)).toISOString(), 1));
    const many = await userWith(hours);
    const later = Array.from({ length: 5_001 }, (_, n) => steps(new Date(Date.UTC(2025, 1, 1, 0, n)).toISOString(), 1));
    for (const some of [later.slice(0, 5_000), later.slice(5_000)])
      await app.api('POST', `/v2/timeseries/${many}/samples`, some);
    const { status } = await ask(many, {
      timeframe: past('2025-03-01', 'month', 3),
      queries: [{ select: [{ timeseries: 'steps' }] }],
    });
    expect(status).toBe(400);
  });

  test('of the next source count if a condition excludes the best source, but not if it excludes values', async () => {
    const phone = { provider: 'apple_health_kit', source_type: 'phone' };
    const watch = { provider: 'apple_health_kit', source_type: 'watch' };
    const at = '2026-01-05T10:00:00Z';
    const heart = (value: number, more: object) => ({
      resource: 'heartrate',
      timestamp: at,
      unit: 'bpm',
      value,
      ...more,
    });
    const userId = await userWith([heart(60, watch), heart(90, phone)]);
    const rows = async (where: string) =>
      (await tableOf(userId, past('2026-01-05', 'day'), { select: [{ timeseries: 'heartrate' }], where }))[
        'heartrate.value'
      ];
    expect(await rows('TRUE')).toEqual([60]);
    expect(await rows("source_type = 'phone'")).toEqual([90]);
    expect(
      await rows("(source_type = 'phone' AND source_provider = 'apple_health_kit') OR source_provider = 'oura'"),
    ).toEqual([90]);
    expect(await rows("source_type != 'watch' AND value > 1")).toEqual([90]);
    expect(await rows('value > 80')).toEqual([]);
    expect(await rows("value > 80 OR source_type = 'phone'")).toEqual([]);
  });

  test('are also found by an id in upper case', async () => {
    const { user_id } = await makeUser(app.team);
    const idOf = async (resource: string, item: object) =>
      (await pushSummaries<{ items: { id: string }[] }>(app.team, user_id, resource, [item])).body.items[0]?.id ?? '';
    const device_id = await idOf('devices', { provider: 'garmin', source_type: 'watch', device_model: 'Watch 4' });
    const night = { bedtime_start: '2026-01-05T00:00:00Z', bedtime_stop: '2026-01-05T08:00:00Z', total: 20_000 };
    const sleep = await idOf('sleep', { provider: 'garmin', device_id, ...night });
    const run = { time_start: '2026-01-05T09:00:00Z', time_end: '2026-01-05T10:00:00Z', sport: 'running', steps: 7 };
    const workout = await idOf('workouts', { provider: 'garmin', device_id, ...run });
    const found = async (select: object, where: string) =>
      Object.values(await tableOf(user_id, past('2026-01-05', 'day'), { select: [select], where })).flat();
    const total = { sleep: 'stage_asleep_second' };
    for (const id of [device_id, device_id.toUpperCase()])
      expect(await found(total, `source_device_id = '${id}'`)).toEqual([20_000]);
    expect(await found(total, `id = '${sleep.toUpperCase()}'`)).toEqual([20_000]);
    expect(await found(total, `id != '${sleep.toUpperCase()}'`)).toEqual([]);
    expect(await found(total, `id >= '${sleep.toUpperCase()}'`)).toEqual([20_000]);
    expect(await found({ workout: 'steps' }, `source_workout_id = '${workout.toUpperCase()}'`)).toEqual([7]);
  });

  test('of apps are counted separately if a query groups by app', async () => {
    const { user_id } = await makeUser(app.team);
    const meal = (app_id: string, name: string, value: number) => ({
      provider: 'apple_health_kit',
      source_type: 'app',
      app_id,
      timestamp: `2026-01-05T1${value}:00:00Z`,
      name,
      energy: { value },
    });
    await pushSummaries(app.team, user_id, 'meal', [
      meal('com.example.a', 'Soup', 1),
      meal('com.example.b', 'Stew', 2),
    ]);
    const table = await tableOf(user_id, past('2026-01-05', 'day'), {
      select: [{ group_key: 0 }, { func: 'sum', arg: { meal: 'calories' } }],
      group_by: [{ source: 'source_app_id' }],
    });
    expect(table).toEqual({ 'group_key.0': ['com.example.a', 'com.example.b'], 'sum.meal.calories': [1, 2] });
  });
});

describe('an hour that clocks show twice', () => {
  const heart = (provider: string, source_type: string, timestamp: string, value: number, more: object = {}) => ({
    resource: 'heartrate',
    provider,
    source_type,
    timestamp,
    unit: 'bpm',
    value,
    ...more,
  });
  const mean = { func: 'mean', arg: { timeseries: 'heartrate', field: 'value' } };
  const hours = { select: [{ group_key: 0 }, mean], group_by: [{ date_trunc: { unit: 'hour' } }] };
  const strap = ['withings', 'chest_strap'] as const;
  const watch = ['garmin', 'watch'] as const;

  test('has a best source for each of the two hours', async () => {
    const userId = await userWith(
      [
        heart(...strap, '2025-11-02T05:30:00Z', 150),
        heart(...watch, '2025-11-02T05:40:00Z', 90),
        heart(...watch, '2025-11-02T06:10:00Z', 62),
        heart(...watch, '2025-11-02T06:40:00Z', 64),
      ],
      'America/New_York',
    );
    const day = past('2025-11-02', 'day');
    expect(await tableOf(userId, day, hours)).toEqual({
      'group_key.0': ['2025-11-02T01:00:00-04:00', '2025-11-02T01:00:00-05:00'],
      'mean.heartrate.value': [150, 63],
    });
    expect(await tableOf(userId, day, { select: [{ timeseries: 'heartrate' }] })).toEqual({
      'heartrate.value': [150, 62, 64],
    });
  });

  test('has a best source for each of the two hours if a query groups by source', async () => {
    const userId = await userWith(
      [
        heart(...strap, '2025-11-02T05:30:00Z', 150),
        heart('garmin', 'chest_strap', '2025-11-02T06:10:00Z', 62),
        heart(...watch, '2025-11-02T06:40:00Z', 64),
      ],
      'America/New_York',
    );
    expect(
      await tableOf(userId, past('2025-11-02', 'day'), {
        select: [{ group_key: '*' }, mean],
        group_by: [...hours.group_by, { source: 'source_type' }],
      }),
    ).toEqual({
      'group_key.0': ['2025-11-02T01:00:00-04:00', '2025-11-02T01:00:00-05:00', '2025-11-02T01:00:00-05:00'],
      'group_key.1': ['chest_strap', 'chest_strap', 'watch'],
      'mean.heartrate.value': [150, 62, 64],
    });
  });

  test('is two hours for a user who flies west, and sources at different offsets do not compete', async () => {
    const minutes = Array.from({ length: 12 }, (_, n) => String(n * 5).padStart(2, '0'));
    const userId = await userWith([
      heart(...strap, '2026-01-05T10:01:00-05:00', 150, { timezone_offset: -18_000 }),
      // The same moment as the sample of the strap, but three hours earlier in local time.
      heart(...watch, '2026-01-05T07:01:00-08:00', 80, { timezone_offset: -28_800 }),
      ...minutes.map((minute) => heart(...watch, `2026-01-05T10:${minute}:00-08:00`, 60, { timezone_offset: -28_800 })),
    ]);
    const table = await tableOf(userId, past('2026-01-05', 'day'), {
      ...hours,
      select: [...hours.select, { ...mean, func: 'count' }],
    });
    expect(table).toEqual({
      'group_key.0': ['2026-01-05T07:00:00', '2026-01-05T10:00:00-05:00', '2026-01-05T10:00:00-08:00'],
      'mean.heartrate.value': [80, 150, 60],
      'count.heartrate.value': [1, 1, 12],
    });
  });
});

describe('times of day', () => {
  test('have a mean between them, also across midnight', async () => {
    const { user_id } = await makeUser(app.team);
    const night = (date: number, from: string, to: string) => ({
      provider: 'oura',
      total: 20_000,
      bedtime_start: `2026-01-0${date}T${from}:00Z`,
      bedtime_stop: `2026-01-0${date + (from > '12' ? 1 : 0)}T${to}:00Z`,
    });
    await pushSummaries(app.team, user_id, 'sleep', [night(5, '23:00', '06:00'), night(7, '01:00', '08:00')]);
    const select = [
      ...['mean', 'min', 'max', 'median', 'oldest', 'newest', 'count', 'stddev'].map((func) => ({
        func,
        arg: { value_macro: 'asleep_at' },
      })),
      { func: 'mean', arg: { value_macro: 'awake_at' } },
    ];
    expect(await tableOf(user_id, past('2026-01-11', 'week'), { select })).toEqual({
      'mean.sleep.asleep_at': ['00:00:00'],
      'min.sleep.asleep_at': ['23:00:00'],
      'max.sleep.asleep_at': ['01:00:00'],
      'median.sleep.asleep_at': ['00:00:00'],
      'oldest.sleep.asleep_at': ['23:00:00'],
      'newest.sleep.asleep_at': ['01:00:00'],
      'count.sleep.asleep_at': [2],
      'stddev.sleep.asleep_at': [expect.closeTo(3_600 * Math.SQRT2, 6)],
      'mean.sleep.awake_at': ['07:00:00'],
    });
  });
});

describe('the night in which clocks are put back', () => {
  const night = {
    provider: 'oura',
    bedtime_start: '2026-10-31T23:00:00-04:00',
    bedtime_stop: '2026-11-01T07:00:00-05:00',
    latency: 600,
    total: 20_000,
    type: 'long_sleep',
  };
  const select = ['asleep_at', 'awake_at', 'chronotype'].map((value_macro) => ({ value_macro }));
  let people = 0;
  const sleepTimesIn = async (zone: string | null) => {
    people += 1;
    const { body } = await app.api<{ user_id: string }>('POST', '/v2/user', {
      client_user_id: `asleep as clocks change ${people}`,
      fallback_time_zone: zone,
    });
    await pushSummaries(app.team, body.user_id, 'sleep', [night]);
    return Object.values(await tableOf(body.user_id, past('2026-11-01', 'day'), { select })).flat();
  };

  test('has the local times of the user’s zone if that is the zone of the night', async () => {
    // From 23:10 to 07:00 are 8 hours and 50 minutes, because clocks are put back. The middle is 02:35.
    expect(await sleepTimesIn('America/New_York')).toEqual(['23:10:00', '07:00:00', 'moderate_early']);
  });

  test.each([null, 'America/Phoenix'])('has the local times of its own offsets for a user in %s', async (zone) => {
    expect(await sleepTimesIn(zone)).toEqual(['23:10:00', '07:00:00', 'moderate_early']);
  });

  test('is unchanged if it is sent again, and no answer shows the stored offset of its start', async () => {
    const { user_id } = await makeUser(app.team);
    const outcomes = async (items: object[]) =>
      (await pushSummaries<Record<string, number>>(app.team, user_id, 'sleep', items)).body;
    expect(await outcomes([night])).toMatchObject({ created: 1 });
    expect(await outcomes([night])).toMatchObject({ created: 0, updated: 0, unchanged: 1 });
    const { body } = await app.api<{ sleep: object[] }>(
      'GET',
      `/v2/summary/sleep/${user_id}?start_date=2026-11-01&end_date=2026-11-01`,
    );
    expect(body.sleep).toMatchObject([{ timezone_offset: -18_000 }]);
    expect(JSON.stringify(body)).not.toContain('-14400');
  });
});

describe('value macros', () => {
  const night = (more: object) => ({
    provider: 'oura',
    bedtime_start: '2026-01-10T00:00:00Z',
    bedtime_stop: '2026-01-10T08:00:00Z',
    total: 25_200,
    ...more,
  });
  test.each<[string, object, number]>([
    ['everything as recommended', { efficiency: 90, latency: 600, light: 25_200, awake: 600 }, 100],
    ['nine hours', { total: 32_400, duration: 32_400, bedtime_stop: '2026-01-10T09:00:00Z' }, 100],
    [
      'five and a half hours, half of the duration',
      { total: 19_800, efficiency: 85 },
      Math.round((100 * (25 + 30)) / 80),
    ],
    [
      'eleven hours, a third of the duration',
      { total: 39_600, efficiency: 85, bedtime_stop: '2026-01-10T12:00:00Z' },
      Math.round((100 * (50 / 3 + 30)) / 80),
    ],
    ['an efficiency of 75 percent, half of it', { efficiency: 75 }, Math.round((100 * (50 + 15)) / 80)],
    [
      'an efficiency that follows from the times: 70 percent',
      { total: 25_200, duration: 36_000, bedtime_stop: '2026-01-10T10:00:00Z' },
      Math.round((100 * (50 + 7.5)) / 80),
    ],
    ['45 minutes until asleep', { efficiency: 90, latency: 2_700 }, Math.round((100 * (80 + 5)) / 90)],
    ['40 minutes awake', { efficiency: 90, light: 25_200, awake: 2_400 }, Math.round((100 * (80 + 5)) / 90)],
    ['nothing slept', { total: 0, efficiency: 0, latency: 3_600, awake: 28_800 }, 0],
  ])('score a sleep with %s', async (_what, more, score) => {
    const { user_id } = await makeUser(app.team);
    await pushSummaries(app.team, user_id, 'sleep', [night(more)]);
    expect(await tableOf(user_id, past('2026-01-11', 'week'), { select: [{ value_macro: 'sleep_score' }] })).toEqual({
      'sleep.sleep_score': [score],
    });
  });

  test.each<[from: string, to: string, more: object, chronotype: string | null]>([
    ['2026-01-09T22:00', '2026-01-10T05:29', {}, 'extreme_early'],
    ['2026-01-09T22:00', '2026-01-10T05:30', {}, 'moderate_early'],
    ['2026-01-09T23:00', '2026-01-10T06:30', {}, 'slight_early'],
    ['2026-01-10T00:15', '2026-01-10T08:15', {}, 'normal'],
    ['2026-01-11T00:15', '2026-01-11T08:15', {}, 'normal'],
    ['2026-01-10T01:00', '2026-01-10T08:30', {}, 'slight_late'],
    ['2026-01-10T02:00', '2026-01-10T09:30', {}, 'moderate_late'],
    ['2026-01-10T03:00', '2026-01-10T10:30', {}, 'extreme_late'],
    ['2026-01-10T03:00', '2026-01-10T09:00', { latency: 1_800 }, 'moderate_late'],
    ['2026-01-09T00:15', '2026-01-09T08:15', {}, null],
    ['2026-01-10T14:00', '2026-01-10T15:00', {}, null],
  ])('of a sleep from %s to %s %o find the chronotype %s', async (from, to, more, chronotype) => {
    const { user_id } = await makeUser(app.team);
    await pushSummaries(app.team, user_id, 'sleep', [
      { provider: 'oura', total: 3_000, bedtime_start: `${from}:00Z`, bedtime_stop: `${to}:00Z`, ...more },
    ]);
    expect(await tableOf(user_id, past('2026-01-11', 'week'), { select: [{ value_macro: 'chronotype' }] })).toEqual({
      'sleep.chronotype': [chronotype],
    });
  });
});

describe('a query', () => {
  const score = { sleep: 'score' };
  const mean = { func: 'mean', arg: score };
  const day = { date_trunc: { unit: 'day' } };
  test.each<[string, object, (string | number)[]]>([
    ['a key of a query', { select: [score], order_by: 'score' }, ['order_by']],
    [
      '__proto__ as a key',
      JSON.parse('{"select": [{"sleep": "score"}], "__proto__": {"where": "TRUE"}}') as object,
      ['__proto__'],
    ],
    ['a key of an entry of select', { select: [{ ...score, as: 'x' }] }, ['select', 0, 'as']],
    ['a key of an arg', { select: [{ func: 'mean', arg: { ...score, unit: 'x' } }] }, ['select', 0, 'arg', 'unit']],
    ['a key of a group', { select: [mean], group_by: [{ ...day, having: 1 }] }, ['group_by', 0, 'having']],
    [
      'a key of a period',
      { select: [mean], group_by: [{ date_trunc: { unit: 'day', offset: 1 } }] },
      ['group_by', 0, 'date_trunc', 'offset'],
    ],
    [
      'a key of an index',
      { select: [mean], group_by: [{ ...day, arg: { placeholder: true, table: 1 } }] },
      ['group_by', 0, 'arg', 'table'],
    ],
    ['a macro', { select: [{ value_macro: 'readiness' }] }, ['select', 0, 'value_macro']],
    ['a version', { select: [{ value_macro: 'sleep_score', version: '2' }] }, ['select', 0, 'version']],
    ['a version of a column', { select: [{ ...score, version: 'automatic' }] }, ['select', 0, 'version']],
    ['an index', { select: [{ index: 'electrocardiogram' }] }, ['select', 0, 'index']],
    ['a source', { select: [score, { source: 'source_color' }] }, ['select', 1, 'source']],
    ['a field of a summary', { select: [{ ...score, field: 'value' }] }, ['select', 0, 'field']],
    ['a type of a series without', { select: [{ timeseries: 'steps', type: 'x' }] }, ['select', 0, 'type']],
    ['a part of a date', { select: [mean], group_by: [{ date_part: 'century' }] }, ['group_by', 0, 'date_part']],
    [
      'a unit',
      { select: [mean], group_by: [{ date_trunc: { unit: 'decade' } }] },
      ['group_by', 0, 'date_trunc', 'unit'],
    ],
    [
      'an arg beside a column',
      { select: [mean], group_by: [{ sleep: 'type', arg: { placeholder: true } }] },
      ['group_by', 0, 'arg'],
    ],
    [
      'a placeholder that is false',
      { select: [mean], group_by: [{ ...day, arg: { placeholder: false } }] },
      ['group_by', 0, 'arg', 'placeholder'],
    ],
    [
      'an index and a placeholder',
      { select: [mean], group_by: [{ ...day, arg: { index: 'sleep', placeholder: true } }] },
      ['group_by', 0, 'arg'],
    ],
    [
      'the index of another table',
      { select: [mean], group_by: [{ ...day, arg: { index: 'workout' } }] },
      ['group_by', 0, 'arg'],
    ],
    ['a group of another table', { select: [mean], group_by: [{ workout: 'title' }] }, ['group_by', 0]],
    ['two columns at once', { select: [{ ...score, index: 'sleep' }] }, ['select', 0]],
    ['a column beside a func', { select: [{ ...mean, sleep: 'score' }] }, ['select', 0]],
    [
      'a column beside a key',
      { select: [{ group_key: 0, ...score }, mean], group_by: [day] },
      ['select', 0, 'group_key'],
    ],
    [
      'a source as an arg',
      { select: [{ func: 'count', arg: { ...score, source: 'source_type' } }] },
      ['select', 0, 'arg', 'source'],
    ],
    ['a column beside groups', { select: [score], group_by: [day] }, ['select', 0]],
    ['a column and a func without groups', { select: [score, mean] }, ['select', 0]],
    ['a mean of words', { select: [{ func: 'mean', arg: { sleep: 'type' } }] }, ['select', 0, 'func']],
    ['a sum of times of day', { select: [{ func: 'sum', arg: { value_macro: 'asleep_at' } }] }, ['select', 0, 'func']],
    [
      'a minimum of truth values',
      { select: [{ func: 'min', arg: { activity: 'wheelchair_use' } }] },
      ['select', 0, 'func'],
    ],
    ['no table', { select: [{ source: 'source_type' }] }, ['select']],
    ['a series without a name', { select: [{ index: 'timeseries' }] }, ['select']],
    ['six groups', { select: [mean], group_by: Array.from({ length: 6 }, () => day) }, ['group_by']],
    ['an invalid where', { select: [score], where: 'luck = 1' }, ['where']],
  ])('is refused with the location: %s', async (_what, query, path) => {
    const { user_id } = await makeUser(app.team);
    const { status, body } = await ask(user_id, {
      timeframe: past('2026-01-05', 'day'),
      queries: [{ select: [mean] }, query],
    });
    expect([status, body.detail.map(({ loc }) => loc)]).toEqual([422, [['body', 'queries', 1, ...path]]]);
  });

  test('is refused for an unknown key of the request or of config, and for an unknown provider', async () => {
    const { user_id } = await makeUser(app.team);
    const body = { timeframe: past('2026-01-05', 'day'), queries: [{ select: [mean] }] };
    const problemPathsOf = async (more: object) =>
      (await ask(user_id, { ...body, ...more })).body.detail?.map(({ loc }) => loc.slice(1));
    expect(await problemPathsOf({ limit: 5 })).toEqual([['limit']]);
    expect(await problemPathsOf({ config: { week_starts_at: 'sunday' } })).toEqual([['config', 'week_starts_at']]);
    expect(await problemPathsOf({ config: { provider_priority_overrides: ['oura', 'nobody'] } })).toEqual([
      ['config', 'provider_priority_overrides', 1],
    ]);
    expect(await problemPathsOf({ config: { provider_priority_overrides: ['labcorp', 'quest', 'oura'] } })).toEqual(
      undefined,
    );
  });

  test.each<[what: string, query: object, path: (string | number)[], msg: RegExp]>([
    [
      'a word that a column in where never has',
      { select: [score], where: "score > 50 AND type = 'long_slep'" },
      ['where'],
      /^At character 23: Value should be 'long_sleep', 'short_sleep', 'acknowledged_nap', 'unknown'\. Did you mean long_sleep\?$/,
    ],
    ['a provider', { select: [score], where: "source_provider != 'fitbitt'" }, ['where'], /Did you mean fitbit\?$/],
    ['a kind of device', { select: [score], where: "NOT ('wach' = source_type)" }, ['where'], /Did you mean watch\?$/],
    [
      'an id of a device',
      { select: [score], where: "source_device_id = 'x'" },
      ['where'],
      /^At character 20: .* UUID$/,
    ],
    ['an id of a sleep', { select: [score], where: "'0199' != id" }, ['where'], /^At character 1: .* UUID$/],
    [
      'an id of a workout',
      { select: [{ workout: 'steps' }], where: "source_workout_id = 'x'" },
      ['where'],
      /^At character 21: .* UUID$/,
    ],
    ['a class', { select: [score], where: "chronotype = 'late'" }, ['where'], /'slight_late', .*'extreme_late'$/],
    [
      'a tag',
      { select: [{ timeseries: 'note', field: 'tags' }], where: "tags = 'fod'" },
      ['where'],
      /Did you mean food\?$/,
    ],
    [
      'a type of a series',
      { select: [{ func: 'mean', arg: { timeseries: 'cholesterol', type: 'ldll' } }] },
      ['select', 0, 'arg', 'type'],
      /^Value should be 'triglycerides', 'total', 'ldl', 'hdl'\. Did you mean ldl\?$/,
    ],
    [
      'a type in a where',
      { select: [{ timeseries: 'cholesterol', field: 'value' }], where: "type = 'ldll'" },
      ['where'],
      /Did you mean ldl\?$/,
    ],
    [
      'a column',
      { select: [{ sleep: 'efficency' }] },
      ['select', 0, 'sleep'],
      /'efficiency', .*Did you mean efficiency\?$/,
    ],
    [
      'a column of a where',
      { select: [score], where: 'sleep.efficency > 80' },
      ['where'],
      /no column sleep\.efficency\. Did you mean efficiency\?$/,
    ],
    [
      'a field of another series',
      { select: [{ timeseries: 'heartrate', field: 'valeu' }] },
      ['select', 0, 'field'],
      /^Field of heartrate should be source_provider, source_type, source_app_id, source_workout_id, source_sport, timezone_offset, type, value\. Did you mean value\?$/,
    ],
    [
      'a key',
      { select: [score, { slep: 'score', sleep: 'type' }] },
      ['select', 1, 'slep'],
      /keys are 'group_key', .*'sleep', .*Did you mean sleep\?$/,
    ],
  ])('is refused with the possible words: %s', async (_what, query, path, msg) => {
    const { user_id } = await makeUser(app.team);
    const { status, body } = await ask(user_id, { timeframe: past('2026-01-05', 'day'), queries: [query] });
    expect([status, body.detail.map(({ loc }) => loc)]).toEqual([422, [['body', 'queries', 0, ...path]]]);
    expect(body.detail[0]?.msg).toMatch(msg);
  });

  test('has a plan if it was stored with a word that its column never has', () => {
    const where = "type = 'long_slep'";
    expect(planOf({ select: [score], where }).where).toMatchObject({ operator: '=', value: 'long_slep' });
    const { plan, breaches } = readQuery({ select: [{ timeseries: 'cholesterol', type: 'ldll', field: 'value' }] });
    expect([plan?.table.series?.type, breaches.length]).toEqual(['ldll', 1]);
    expect(planOf({ select: [score], where: "id = 'x'" }).where).toMatchObject({ operator: '=', value: 'x' });
  });

  test('is accepted with any word for a sport, an app or an allergen', async () => {
    const { user_id } = await makeUser(app.team);
    const { status } = await ask(user_id, {
      timeframe: past('2026-01-05', 'day'),
      queries: [
        {
          select: [{ workout: 'steps' }],
          where: "sport_slug = 'rowing_backwards' AND source_app_id = 'com.example.any'",
        },
        { select: [{ timeseries: 'igg', type: 'egg white', field: 'value' }], where: "source_provider = 'quest'" },
        { select: [score], where: "type > 'long'" },
      ],
    });
    expect(status).toBe(200);
  });

  test('of thousands of long unknown keys is refused, and the reported keys are cut', async () => {
    const { user_id } = await makeUser(app.team);
    const keys = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`${'k'.repeat(150)}${n}`, n]));
    const { status, body } = await ask(user_id, {
      timeframe: past('2026-01-05', 'day'),
      queries: [{ select: [mean], ...keys }],
    });
    expect([status, body.detail.every(({ loc }) => String(loc.at(-1)).length <= 100)]).toEqual([422, true]);
  });
});
