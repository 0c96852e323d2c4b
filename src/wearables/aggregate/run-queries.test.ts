import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser } from '../../../test/factories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

type Table = Record<string, (number | string | null)[]>;
type Problem = { loc: (string | number)[]; msg: string };
const ask = async (userId: string, body: object) =>
  app.api<{ results: { table: Table }[]; detail: Problem[]; code: string }>(
    'POST',
    `/aggregate/v1/user/${userId}/query`,
    body,
  );
const past = (anchor: string, unit: string, value = 1) => ({
  timeframe: { type: 'relative', anchor, past: { unit, value } },
});
/** The only table of an answer to one query. */
const tableOf = async (userId: string, timeframe: object, query: object, config?: object): Promise<Table> => {
  const { status, body } = await ask(userId, { ...timeframe, queries: [query], config });
  expect({ status, detail: body.detail }).toEqual({ status: 200, detail: undefined });
  return body.results[0]?.table as Table;
};
const push = async (userId: string, samples: object[]) => {
  const { status } = await app.api('POST', `/v2/timeseries/${userId}/samples`, samples);
  expect(status).toBe(200);
};
const heartRate = (timestamp: string, value: number, more: object = {}) => ({
  resource: 'heartrate',
  provider: 'oura',
  source_type: 'ring',
  timestamp,
  unit: 'bpm',
  value,
  ...more,
});
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
const by = (unit: string, value = 1) => [{ date_trunc: { unit, value } }];
const all = (timeseries: string, ...functions: string[]) => functions.map((func) => ({ func, arg: { timeseries } }));
const key = { group_key: '*' };

describe('a query over samples', () => {
  test('computes every function over all rows as one group', async () => {
    const { user_id } = await makeUser(app.team);
    const values = [60, 64, 71, 62, 90];
    await push(
      user_id,
      values.map((value, n) => heartRate(`2026-01-05T10:0${n}:00Z`, value)),
    );
    const functions = ['min', 'max', 'mean', 'sum', 'count', 'median', 'stddev', 'oldest', 'newest'];
    const table = await tableOf(user_id, past('2026-01-05', 'day'), { select: all('heartrate', ...functions) });
    const mean = values.reduce((sum, value) => sum + value, 0) / 5;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 4;
    expect(table).toEqual({
      'min.heartrate.value': [60],
      'max.heartrate.value': [90],
      'mean.heartrate.value': [mean],
      'sum.heartrate.value': [347],
      'count.heartrate.value': [5],
      'median.heartrate.value': [64],
      'stddev.heartrate.value': [expect.closeTo(Math.sqrt(variance), 9)],
      'oldest.heartrate.value': [60],
      'newest.heartrate.value': [90],
    });
  });

  test("groups by the local day of a sample's offset, or else of the user's time zone", async () => {
    const { body } = await app.api<{ user_id: string }>('POST', '/v2/user', {
      client_user_id: 'of Phoenix',
      fallback_time_zone: 'America/Phoenix',
    });
    await push(body.user_id, [
      steps('2026-01-05T06:59:59Z', 1),
      steps('2026-01-05T07:00:00Z', 2),
      steps('2026-01-06T06:00:00Z', 4),
      steps('2026-01-05T23:30:00Z', 8, { timezone_offset: 3_600 }),
    ]);
    const query = { select: [key, ...all('steps', 'sum')], group_by: by('day') };
    expect(await tableOf(body.user_id, past('2026-01-06', 'week'), query)).toEqual({
      'group_key.0': ['2026-01-04', '2026-01-05', '2026-01-06'],
      'sum.steps.value': [1, 6, 8],
    });
  });

  test('has 23 and 25 hours on the days on which clocks change', async () => {
    const { body } = await app.api<{ user_id: string }>('POST', '/v2/user', {
      client_user_id: 'of New York',
      fallback_time_zone: 'America/New_York',
    });
    const hours = (from: string) =>
      Array.from({ length: 72 }, (_, n) => new Date(Date.parse(from) + n * 3_600_000).toISOString());
    await push(
      body.user_id,
      [...hours('2025-03-08T05:00:00Z'), ...hours('2025-11-01T04:00:00Z')].map((start) => steps(start, 1)),
    );
    const query = { select: [key, ...all('steps', 'sum')], group_by: by('day') };
    const spring = await tableOf(body.user_id, past('2025-03-09', 'day', 2), query);
    const autumn = await tableOf(body.user_id, past('2025-11-02', 'day', 2), query);
    expect([spring['sum.steps.value'], autumn['sum.steps.value']]).toEqual([
      [24, 23],
      [24, 25],
    ]);
  });

  test.each([
    ['hour', 1, ['2026-01-05T00:00:00', '2026-01-05T05:00:00'], [3, 4]],
    ['hour', 12, ['2026-01-05T00:00:00'], [7]],
    ['day', 1, ['2025-12-28', '2025-12-31', '2026-01-04', '2026-01-05'], [16, 8, 32, 7]],
    ['week', 1, ['2025-12-22', '2025-12-29', '2026-01-05'], [16, 40, 7]],
    ['week', 2, ['2025-12-15', '2025-12-29'], [16, 47]],
    ['month', 1, ['2025-12-01', '2026-01-01'], [24, 39]],
  ])('groups by %s (%i)', async (unit, value, keys, sums) => {
    const { user_id } = await makeUser(app.team);
    await push(user_id, [
      steps('2026-01-05T00:10:00Z', 1),
      steps('2026-01-05T00:50:00Z', 2),
      steps('2026-01-05T05:00:00Z', 4),
      steps('2025-12-31T23:00:00Z', 8),
      steps('2025-12-28T12:00:00Z', 16),
      steps('2026-01-04T12:00:00Z', 32),
    ]);
    const timeframe = unit === 'hour' ? past('2026-01-05', 'day') : past('2026-01-05', 'day', 22);
    const query = { select: [key, ...all('steps', 'sum')], group_by: by(unit, value) };
    expect(await tableOf(user_id, timeframe, query)).toEqual({ 'group_key.0': keys, 'sum.steps.value': sums });
  });

  test('makes two groups of an hour that repeats in autumn, and only their keys have an offset', async () => {
    const { body } = await app.api<{ user_id: string }>('POST', '/v2/user', {
      client_user_id: 'of New York in autumn',
      fallback_time_zone: 'America/New_York',
    });
    const start = Date.parse('2025-11-02T04:00:00Z');
    const hours = Array.from({ length: 25 }, (_, n) => new Date(start + n * 3_600_000).toISOString());
    await push(
      body.user_id,
      hours.map((hour, n) => steps(hour, n + 1)),
    );
    const asked = async (group_by: object[]) =>
      tableOf(body.user_id, past('2025-11-02', 'day'), { select: [key, ...all('steps', 'sum')], group_by });
    const table = await asked(by('hour'));
    expect(table['group_key.0']).toHaveLength(25);
    expect(table['group_key.0']?.slice(0, 5)).toEqual([
      '2025-11-02T00:00:00',
      '2025-11-02T01:00:00-04:00',
      '2025-11-02T01:00:00-05:00',
      '2025-11-02T02:00:00',
      '2025-11-02T03:00:00',
    ]);
    expect(table['sum.steps.value']).toEqual(hours.map((_, n) => n + 1));
    expect(await asked([...by('hour', 6)])).toEqual({
      'group_key.0': [0, 6, 12, 18].map((hour) => `2025-11-02T${String(hour).padStart(2, '0')}:00:00`),
      'sum.steps.value': [28, 63, 99, 135],
    });
    expect((await asked([{ date_part: 'hour' }]))['sum.steps.value']?.slice(0, 3)).toEqual([1, 5, 4]);
    expect((await asked(by('minute', 30)))['group_key.0']?.slice(1, 3)).toEqual([
      '2025-11-02T01:00:00-04:00',
      '2025-11-02T01:00:00-05:00',
    ]);
  });

  describe('in the night in which clocks are put back', () => {
    const samples = (...times: string[]) => times.map((time, n) => heartRate(`2026-11-01T${time}Z`, n + 1));
    const heartRate = (timestamp: string, value: number, more: object = {}) => {
      return { resource: 'heartrate', provider: 'oura', source_type: 'ring', timestamp, unit: 'bpm', value, ...more };
    };
    let names = 0;
    const keysOf = async (sent: object[], unit: string, value: number, zone: string | null = 'America/New_York') => {
      names += 1;
      const { body } = await app.api<{ user_id: string }>('POST', '/v2/user', {
        client_user_id: `when clocks change ${names}`,
        fallback_time_zone: zone,
      });
      await push(body.user_id, sent);
      const query = { select: [key, ...all('heartrate', 'mean')], group_by: by(unit, value) };
      return (await tableOf(body.user_id, past('2026-11-02', 'day', 3), query))['group_key.0'];
    };
    const at = (time: string, offset = '') => `2026-11-01T${time}:00${offset}`;

    test('groups are in the order of time, and their keys have offsets', async () => {
      expect(await keysOf(samples('05:30:00', '05:50:00', '06:10:00', '06:30:00', '07:00:00'), 'minute', 10)).toEqual([
        at('01:30', '-04:00'),
        at('01:50', '-04:00'),
        at('01:10', '-05:00'),
        at('01:30', '-05:00'),
        at('02:00'),
      ]);
    });

    test('the key of an hour does not depend on data of the other hour', async () => {
      const second = samples('04:59:59', '06:30:00', '07:00:00');
      expect(await keysOf(second, 'hour', 1)).toEqual([at('00:00'), at('01:00', '-05:00'), at('02:00')]);
      expect(await keysOf(samples('05:30:00'), 'hour', 1)).toEqual([at('01:00', '-04:00')]);
    });

    test('keys of groups that contain the change of clocks have offsets too', async () => {
      // The groups of 7 minutes before the change begin at 00:51 and 00:58.
      expect(await keysOf(samples('04:58:00', '06:02:00'), 'minute', 7)).toEqual([
        at('00:58', '-04:00'),
        at('00:58', '-05:00'),
      ]);
      expect(await keysOf(samples('04:57:00', '04:58:00'), 'minute', 7)).toEqual([at('00:51'), at('00:58', '-04:00')]);
    });

    test('other hours have no offset, and zones without the change have none either', async () => {
      const all = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:30:00`);
      const plain = (await keysOf(samples(...all), 'hour', 1))?.filter((groupKey) =>
        /[+-]\d\d:00$/.test(String(groupKey).slice(11)),
      );
      expect(plain).toEqual([at('01:00', '-04:00'), at('01:00', '-05:00')]);
      expect(await keysOf(samples('05:30:00'), 'hour', 1, 'America/Phoenix')).toEqual(['2026-10-31T22:00:00']);
      expect(await keysOf(samples('05:30:00'), 'hour', 1, null)).toEqual([at('05:00')]);
    });

    test('a workout has the hours of its own time zone', async () => {
      const { user_id } = await makeUser(app.team);
      const run = (hour: number) => ({
        provider: 'garmin',
        sport: 'running',
        time_zone: 'America/New_York',
        time_start: `2026-11-01T0${hour}:30:00Z`,
        time_end: `2026-11-01T0${hour}:40:00Z`,
      });
      const { status } = await app.api('POST', `/v2/summary/workouts/${user_id}`, [run(4), run(6)]);
      expect(status).toBe(200);
      const query = { select: [key, { func: 'count', arg: { index: 'workout' } }], group_by: by('hour') };
      const table = await tableOf(user_id, past('2026-11-02', 'day', 3), query);
      expect(table['group_key.0']).toEqual([at('00:00'), at('01:00', '-05:00')]);
    });
  });

  test('begins weeks on Sunday if config says so', async () => {
    const { user_id } = await makeUser(app.team);
    await push(user_id, [
      steps('2026-01-04T12:00:00Z', 1),
      steps('2026-01-05T12:00:00Z', 2),
      steps('2026-01-03T12:00:00Z', 4),
    ]);
    const query = { select: [key, ...all('steps', 'sum')], group_by: by('week') };
    const table = await tableOf(user_id, past('2026-01-10', 'month'), query, { week_starts_on: 'sunday' });
    expect(table).toEqual({ 'group_key.0': ['2025-12-28', '2026-01-04'], 'sum.steps.value': [4, 3] });
  });

  test('sums sources that complement each other, with the better device or the first named provider', async () => {
    const { user_id } = await makeUser(app.team);
    const hour = (start: string, value: number, provider: string, source_type: string) =>
      steps(start, value, { end: start.replace(':00:00Z', ':59:59.999Z'), provider, source_type });
    await push(user_id, [
      hour('2026-01-05T10:00:00Z', 100, 'apple_health_kit', 'phone'),
      hour('2026-01-05T11:00:00Z', 10, 'apple_health_kit', 'watch'),
      hour('2026-01-05T11:00:00Z', 11, 'fitbit', 'watch'),
      hour('2026-01-06T10:00:00Z', 200, 'apple_health_kit', 'phone'),
    ]);
    const query = { select: [key, ...all('steps', 'sum')], group_by: by('day') };
    const sums = async (config?: object) =>
      (await tableOf(user_id, past('2026-01-06', 'week'), query, config))['sum.steps.value'];
    expect(await sums()).toEqual([110, 200]);
    expect(await sums({ provider_priority_overrides: ['fitbit'] })).toEqual([111, 200]);
    const bySource = {
      select: [key, ...all('steps', 'sum')],
      group_by: [{ source: 'source_provider' }, { source: 'source_type' }],
    };
    expect(await tableOf(user_id, past('2026-01-06', 'week'), bySource)).toEqual({
      'group_key.0': ['apple_health_kit', 'apple_health_kit', 'fitbit'],
      'group_key.1': ['phone', 'watch', 'watch'],
      'sum.steps.value': [300, 10, 11],
    });
    const byHalf = (source: string) =>
      tableOf(user_id, past('2026-01-06', 'week'), { ...query, group_by: [{ source }] });
    expect(await byHalf('source_provider')).toEqual({
      'group_key.0': ['apple_health_kit', 'fitbit'],
      'sum.steps.value': [310, 11],
    });
    expect(await byHalf('source_type')).toEqual({ 'group_key.0': ['phone', 'watch'], 'sum.steps.value': [300, 10] });
  });

  test('chooses among three sources of samples by the local hour, also at the edges of the timeframe', async () => {
    const { user_id } = await makeUser(app.team);
    const ring = (start: string, value: number, more: object = {}) => heartRate(start, value, more);
    const watch = (start: string, value: number, more: object = {}) =>
      heartRate(start, value, { provider: 'fitbit', source_type: 'watch', ...more });
    const phone = (start: string, value: number, more: object = {}) =>
      heartRate(start, value, { provider: 'apple_health_kit', source_type: 'phone', ...more });
    const west = { timezone_offset: -36_000 };
    const samples = [
      // The best source has a sample before the timeframe. Samples of other sources on the first day still count.
      watch('2026-01-04T23:59:59Z', 1),
      phone('2026-01-05T00:00:00Z', 2),
      ring('2026-01-06T08:00:00Z', 3),
      phone('2026-01-06T08:59:00Z', 4),
      watch('2026-01-07T08:00:00Z', 5),
      ring('2026-01-07T08:10:00Z', 6),
      phone('2026-01-07T08:20:00Z', 7),
      phone('2026-01-07T09:00:00Z', 20),
      // The watch measures at eight in the evening of the 8th by its local time. In UTC it is the 9th, ten hours after
      // the same local hour of the ring. Both hours count.
      watch('2026-01-09T06:00:00Z', 8, west),
      ring('2026-01-08T20:30:00Z', 9),
      ring('2026-01-09T06:00:00Z', 10),
      phone('2026-01-09T06:30:00Z', 11),
      phone('2026-01-10T23:59:59Z', 12),
      watch('2026-01-11T00:00:00Z', 13),
    ];
    await push(user_id, samples);
    const days = { select: [key, ...all('heartrate', 'sum', 'count')], group_by: by('day') };
    const whole = { select: all('heartrate', 'sum', 'median', 'newest') };
    const timeframe = past('2026-01-10', 'day', 6);
    expect(await tableOf(user_id, timeframe, days)).toEqual({
      'group_key.0': ['2026-01-05', '2026-01-06', '2026-01-07', '2026-01-08', '2026-01-09', '2026-01-10'],
      'sum.heartrate.value': [2, 3, 25, 17, 10, 12],
      'count.heartrate.value': [1, 1, 2, 2, 1, 1],
    });
    expect(await tableOf(user_id, timeframe, whole)).toEqual({
      'sum.heartrate.value': [69],
      'median.heartrate.value': [8.5],
      'newest.heartrate.value': [12],
    });
    const phonesFirst = { provider_priority_overrides: ['apple_health_kit', 'oura'] };
    expect((await tableOf(user_id, timeframe, days, phonesFirst))['sum.heartrate.value']).toEqual([
      2, 4, 27, 17, 11, 12,
    ]);
  });

  test('chooses among sources of samples by the hour in any groups, and by minutes in shorter groups', async () => {
    const { user_id } = await makeUser(app.team);
    const strap = { provider: 'polar', source_type: 'chest_strap' };
    await push(user_id, [
      heartRate('2026-01-05T10:10:00Z', 60),
      heartRate('2026-01-05T10:50:00Z', 62),
      heartRate('2026-01-05T11:10:00Z', 70),
      heartRate('2026-01-05T11:20:00Z', 140, strap),
      heartRate('2026-01-05T12:10:00Z', 64),
    ]);
    const by60 = (group_by: object[]) =>
      tableOf(user_id, past('2026-01-05', 'day'), { select: [key, ...all('heartrate', 'mean')], group_by });
    expect(await by60(by('hour'))).toEqual({
      'group_key.0': ['2026-01-05T10:00:00', '2026-01-05T11:00:00', '2026-01-05T12:00:00'],
      'mean.heartrate.value': [61, 140, 64],
    });
    expect((await by60([{ date_part: 'hour' }]))['mean.heartrate.value']).toEqual([61, 140, 64]);
    // A strap that was worn for ten minutes replaces the watch in this hour only.
    const threeHours = (60 + 62 + 140) / 3;
    expect((await by60(by('hour', 3)))['mean.heartrate.value']).toEqual([threeHours, 64]);
    const day = (60 + 62 + 140 + 64) / 4;
    for (const unit of ['day', 'week', 'month'] as const)
      expect((await by60(by(unit)))['mean.heartrate.value']).toEqual([day]);
    expect((await by60([{ date_part: 'weekday' }]))['mean.heartrate.value']).toEqual([day]);
    const listed = await tableOf(user_id, past('2026-01-05', 'day'), {
      select: [{ timeseries: 'heartrate', field: 'value' }],
    });
    expect(listed['heartrate.value']).toEqual([60, 62, 140, 64]);
    expect((await by60(by('minute', 15)))['mean.heartrate.value']).toEqual([60, 62, 70, 140, 64]);
  });

  test('complements floors hour by hour, and counts water of two apps once', async () => {
    const { user_id } = await makeUser(app.team);
    const point = (resource: string, unit: string) => (source_type: string, timestamp: string, value: number) => ({
      ...heartRate(timestamp, value),
      resource,
      unit,
      source_type,
    });
    const [floors, water] = [point('floors_climbed', 'count'), point('water', 'ml')];
    await push(user_id, [
      floors('phone', '2026-01-05T09:10:00Z', 4),
      floors('phone', '2026-01-05T10:50:00Z', 2),
      floors('watch', '2026-01-05T10:05:00Z', 3),
      water('watch', '2026-01-05T09:10:00Z', 250),
      water('phone', '2026-01-05T09:10:00Z', 250),
      water('phone', '2026-01-05T09:20:00Z', 100),
    ]);
    const sum = async (name: string) =>
      Object.values(await tableOf(user_id, past('2026-01-05', 'day'), { select: all(name, 'sum') }));
    expect([await sum('floors_climbed'), await sum('water')]).toEqual([[[7]], [[350]]]);
  });

  test('reads both pressures, and one type of a series that has several', async () => {
    const { user_id } = await makeUser(app.team);
    const at = '2026-01-05T10:00:00Z';
    await push(user_id, [
      { ...heartRate(at, 0), resource: 'blood_pressure', unit: 'mmHg', systolic: 120, diastolic: 80 },
      ...['ldl', 'hdl'].map((type, n) => ({ ...heartRate(at, n + 1), resource: 'cholesterol', unit: 'mmol/L', type })),
    ]);
    const column = (arg: object) => ({ func: 'max', arg });
    const pressure = ['systolic', 'diastolic'].map((field) => column({ timeseries: 'blood_pressure', field }));
    const lipid = [column({ timeseries: 'cholesterol', type: 'hdl' })];
    const { body } = await ask(user_id, {
      ...past('2026-01-05', 'day'),
      queries: [{ select: pressure }, { select: lipid }],
    });
    expect(body.results.map(({ table }) => table)).toEqual([
      { 'max.blood_pressure.systolic': [120], 'max.blood_pressure.diastolic': [80] },
      { 'max.cholesterol.value.hdl': [2] },
    ]);
  });
});

describe('a query over summaries', () => {
  const activity = (calendar_date: string, values: object, more: object = {}) => ({
    provider: 'oura',
    source_type: 'ring',
    calendar_date,
    ...values,
    ...more,
  });

  test('computes numbers and nested numbers of a summary, by week', async () => {
    const { user_id } = await makeUser(app.team);
    const { status } = await app.api('POST', `/v2/summary/activity/${user_id}`, [
      activity('2026-01-05', { steps: 1_000, heart_rate: { avg_bpm: 60 } }),
      activity('2026-01-06', { steps: 3_000, heart_rate: { avg_bpm: 70 } }),
      activity('2026-01-06', { steps: 9_000 }, { source_type: 'phone' }),
      activity('2026-01-12', { distance: 5 }),
    ]);
    expect(status).toBe(200);
    const columns = [
      { func: 'sum', arg: { activity: 'steps' } },
      { func: 'mean', arg: { activity: 'heart_rate.avg_bpm' } },
      { func: 'count', arg: { activity: 'steps' } },
    ];
    expect(
      await tableOf(user_id, past('2026-01-12', 'month'), { select: [key, ...columns], group_by: by('week') }),
    ).toEqual({
      'group_key.0': ['2026-01-05', '2026-01-12'],
      'sum.activity.steps': [4_000, null],
      'mean.activity.heart_rate.avg_bpm': [65, null],
      'count.activity.steps': [2, 0],
    });
    const byProvider = { select: [key, columns[0]], group_by: [{ source: 'provider' }] };
    expect((await tableOf(user_id, past('2026-01-12', 'month'), byProvider))['sum.activity.steps']).toEqual([4_000]);
  });

  test('chooses among three sources day by day', async () => {
    const { user_id } = await makeUser(app.team);
    const watch = { provider: 'fitbit', source_type: 'watch' };
    const phone = { provider: 'apple_health_kit', source_type: 'phone' };
    await app.api('POST', `/v2/summary/activity/${user_id}`, [
      activity('2026-01-04', { steps: 1 }, watch),
      activity('2026-01-05', { steps: 2 }, phone),
      activity('2026-01-06', { steps: 4 }),
      activity('2026-01-06', { steps: 8 }, phone),
      activity('2026-01-07', { steps: 16 }, watch),
      activity('2026-01-07', { steps: 32 }),
      activity('2026-01-07', { steps: 64 }, phone),
    ]);
    const query = { select: [key, { func: 'sum', arg: { activity: 'steps' } }], group_by: by('day') };
    const sums = async (config?: object) =>
      (await tableOf(user_id, past('2026-01-07', 'day', 3), query, config))['sum.activity.steps'];
    expect(await sums()).toEqual([2, 4, 16]);
    expect(await sums({ provider_priority_overrides: ['oura'] })).toEqual([2, 4, 32]);
  });
});

describe('a refused query', () => {
  const steps = { timeseries: 'steps' };
  const mean = { func: 'mean', arg: steps };
  test.each<[string, object, (string | number)[], string]>([
    [
      'an unknown series',
      { select: [{ func: 'mean', arg: { timeseries: 'luck' } }] },
      ['select', 0, 'arg', 'timeseries'],
      "Input should be 'workout",
    ],
    [
      'an unknown column',
      { select: [{ func: 'mean', arg: { activity: 'luck' } }] },
      ['select', 0, 'arg', 'activity'],
      'Input should be',
    ],
    ['an unknown function', { select: [{ func: 'mode', arg: steps }] }, ['select', 0, 'func'], "Input should be 'min'"],
    ['a function without a column', { select: [{ func: 'mean' }] }, ['select', 0, 'arg'], 'Field required'],
    ['a column without a function', { select: [{ arg: steps }] }, ['select', 0, 'func'], 'Field required'],
    [
      'two tables in one column',
      { select: [{ func: 'mean', arg: { ...steps, activity: 'steps' } }] },
      ['select', 0, 'arg'],
      'Exactly one',
    ],
    [
      'two tables in one query',
      { select: [mean, { func: 'mean', arg: { activity: 'steps' } }] },
      ['select', 1, 'arg'],
      'All columns',
    ],
    [
      'two types of a series in one query',
      {
        select: ['ldl', 'hdl'].map((type) => ({ func: 'mean', arg: { timeseries: 'cholesterol', type } })),
      },
      ['select', 1, 'arg'],
      'one type of it',
    ],
    [
      'a key that does not exist',
      { select: [{ group_key: 1 }, mean], group_by: [{ source: 'provider' }] },
      ['select', 0, 'group_key'],
      'no entry at this index',
    ],
    ['nothing but keys', { select: [{ group_key: '*' }] }, ['select'], 'At least one'],
    ['groups of nothing', { select: [mean], group_by: [{}] }, ['group_by', 0], 'Exactly one'],
    [
      'half a pressure',
      { select: [{ func: 'mean', arg: { timeseries: 'blood_pressure' } }] },
      ['select', 0, 'arg', 'field'],
      'systolic or diastolic',
    ],
  ])('is answered with the location of %s', async (_what, query, path, msg) => {
    const { user_id } = await makeUser(app.team);
    const { status, body } = await ask(user_id, { ...past('2026-01-05', 'day'), queries: [{ select: [mean] }, query] });
    expect(status).toBe(422);
    expect(body.detail.map((problem) => problem.loc)).toEqual([['body', 'queries', 1, ...path]]);
    expect(body.detail[0]?.msg).toContain(msg);
  });

  test('has a timeframe of more than three years', async () => {
    const { user_id } = await makeUser(app.team);
    const { status, body } = await ask(user_id, { ...past('2026-01-05', 'year', 4), queries: [{ select: [mean] }] });
    expect([status, body.detail[0]?.loc]).toEqual([422, ['body', 'timeframe', 'past']]);
  });

  test('would have more than 10,000 rows', async () => {
    const { user_id } = await makeUser(app.team);
    const hours = Array.from({ length: 10_001 }, (_, n) =>
      heartRate(new Date(Date.UTC(2023, 6, 1, n)).toISOString(), 60),
    );
    for (let from = 0; from < hours.length; from += 5_000) await push(user_id, hours.slice(from, from + 5_000));
    const query = { select: [key, ...all('heartrate', 'mean')], group_by: by('hour') };
    const { status, body } = await ask(user_id, { ...past('2025-06-30', 'year', 2), queries: [query] });
    expect([status, body.code]).toEqual([400, 'too_many_matches']);
    // The source that counts is chosen once. Choosing it for each of 10,000 samples would take five seconds.
    const begin = performance.now();
    const days = await tableOf(user_id, past('2025-06-30', 'year', 2), { ...query, group_by: by('day') });
    expect(days['group_key.0']).toHaveLength(417);
    expect(performance.now() - begin).toBeLessThan(2_000);
  });

  test('would have more than 50,000 values in all tables, in any format', async () => {
    const { user_id } = await makeUser(app.team);
    const hours = Array.from({ length: 1_000 }, (_, n) =>
      heartRate(new Date(Date.UTC(2025, 11, 1, n)).toISOString(), 60),
    );
    await push(user_id, hours);
    const functions = ['min', 'max', 'mean', 'sum', 'count', 'median', 'stddev', 'oldest', 'newest'];
    const tenColumns = { select: [key, ...all('heartrate', ...functions)], group_by: by('hour') };
    const responseOf = async (queries: object[], accept = 'application/json') => {
      const body = { ...past('2026-01-30', 'day', 70), queries };
      const path = `/aggregate/v1/user/${user_id}/query`;
      const response = await app.api<{ code?: string }>('POST', path, body, { headers: { accept } });
      return [response.status, response.body.code];
    };
    const five = Array.from({ length: 5 }, () => tenColumns);
    expect(await responseOf(five)).toEqual([200, undefined]);
    const refused = [400, 'too_many_matches'];
    expect(await responseOf([...five, { select: [mean] }])).toEqual(refused);
    expect(await responseOf([...five, { select: [mean] }], 'application/vnd.phial.tar+gzip+parquet')).toEqual(refused);
    // The database computes 52 columns, although the answer has only four.
    const repeated = Array.from({ length: 17 }, () => key);
    const group_by = [...by('hour'), ...by('day'), ...by('week')];
    expect(await responseOf([{ select: [...repeated, ...all('heartrate', 'mean')], group_by }])).toEqual(refused);
  });

  test('is about a user of another team', async () => {
    const { user_id } = await makeUser(await app.makeTeam('Other team'));
    expect((await ask(user_id, { ...past('2026-01-05', 'day'), queries: [{ select: [mean] }] })).status).toBe(404);
  });
});
