import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { makeUser, pushSummaries } from '../../../../test/factories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const team = () => app.team;
const push = async (userId: string, path: string, ...items: object[]) =>
  expect((await pushSummaries(app.team, userId, path, items)).status).toBe(200);

/** The values of each column of a query over four weeks of January 2026. */
async function ask(userId: string, query: object, config?: object): Promise<unknown[][]> {
  const { status, body } = await app.api<{ results: { table: Record<string, unknown[]> }[] }>(
    'POST',
    `/aggregate/v1/user/${userId}/query`,
    { timeframe: { anchor: '2026-01-28', past: { unit: 'week', value: 4 } }, queries: [query], config },
  );
  expect([status, body]).toEqual([200, expect.anything()]);
  return Object.values(body.results[0]?.table ?? {});
}
const sum = (arg: object) => ({ func: 'sum', arg });
const watch = { provider: 'garmin', source_type: 'watch' };
const strap = { provider: 'polar', source_type: 'chest_strap' };
const phone = { provider: 'apple_health_kit', source_type: 'phone' };
const on = (clock: string, day = '2026-01-05') => `${day}T${clock}:00Z`;

describe('workouts of several sources', () => {
  const workout = (source: object, from: string, to: string, calories: number) => ({
    ...source,
    sport: 'running',
    time_start: on(from),
    time_end: on(to),
    calories,
  });
  const calories = { select: [sum({ workout: 'calories' })] };
  const burnt = async (...workouts: object[]) => {
    const { user_id } = await makeUser(app.team);
    await push(user_id, 'workouts', ...workouts);
    return (await ask(user_id, calories))[0]?.[0];
  };

  test('of one day are all counted if they do not overlap', async () => {
    expect(await burnt(workout(watch, '07:00', '08:00', 500), workout(phone, '18:00', '19:00', 300))).toBe(800);
  });

  test('are one if they overlap by half of the shorter, and the better source counts', async () => {
    expect(await burnt(workout(watch, '07:00', '09:00', 1), workout(strap, '07:30', '08:30', 2))).toBe(2);
    expect(await burnt(workout(watch, '07:00', '08:00', 1), workout(strap, '07:30', '09:30', 2))).toBe(2);
    expect(await burnt(workout(watch, '07:00', '08:00', 1), workout(strap, '07:31', '09:31', 2))).toBe(3);
    expect(await burnt(workout(watch, '07:00', '08:00', 1), workout(watch, '07:10', '08:00', 2))).toBe(3);
  });

  test('count if they only repeat a workout that does not count', async () => {
    const [best, second, third] = [
      workout(strap, '08:00', '09:00', 1),
      workout(watch, '08:30', '10:30', 2),
      workout(phone, '10:00', '10:30', 4),
    ];
    expect(await burnt(best, second, third)).toBe(5);
    expect(await burnt(third, second, best)).toBe(5);
  });

  test('are all counted if a query groups by source', async () => {
    const { user_id } = await makeUser(app.team);
    await push(user_id, 'workouts', workout(watch, '07:00', '08:00', 1), workout(strap, '07:00', '08:00', 2));
    expect(await ask(user_id, calories)).toEqual([[2]]);
    expect(await ask(user_id, calories, { provider_priority_overrides: ['garmin'] })).toEqual([[1]]);
    const bySource = { ...calories, group_by: [{ source: 'source_provider' }] };
    expect(await ask(user_id, bySource)).toEqual([[1, 2]]);
  });

  test('are compared with workouts of the days around the timeframe', async () => {
    const { user_id } = await makeUser(app.team);
    const night = { sport: 'running', time_start: on('23:00', '2025-12-31'), time_end: on('02:00', '2026-01-01') };
    await push(
      user_id,
      'workouts',
      { ...strap, ...night, calories: 1 },
      { ...watch, ...night, time_start: on('00:10', '2026-01-01'), calories: 2 },
      { ...watch, ...night, time_start: on('12:00', '2026-01-01'), time_end: on('13:00', '2026-01-01'), calories: 4 },
    );
    expect(await ask(user_id, calories)).toEqual([[4]]);
  });
});

test('a night that two sources report counts once, and a nap of one source counts too', async () => {
  const { user_id } = await makeUser(app.team);
  const sleep = (source: object, from: string, to: string, total: number) => ({
    ...source,
    bedtime_start: from,
    bedtime_stop: to,
    total,
  });
  await push(
    user_id,
    'sleep',
    sleep(watch, on('23:00', '2026-01-04'), on('07:00'), 25_000),
    sleep(phone, on('22:30', '2026-01-04'), on('07:30'), 30_000),
    sleep(phone, on('14:00'), on('14:40'), 2_000),
  );
  expect(await ask(user_id, { select: [sum({ sleep: 'total' })] })).toEqual([[27_000]]);
});

test('meals of two apps are all counted, except those whose time and name agree', async () => {
  const { user_id } = await makeUser(app.team);
  const meal = (provider: string, clock: string, name: string, value: number) => ({
    provider,
    source_type: 'app',
    provider_id: `${clock} ${name}`,
    timestamp: on(clock),
    name,
    energy: { unit: 'kcal', value },
  });
  await push(
    user_id,
    'meal',
    meal('my_fitness_pal', '08:00', 'Breakfast', 1),
    meal('apple_health_kit', '13:00', 'Lunch', 2),
    meal('apple_health_kit', '08:00', ' breakfast', 4),
    meal('apple_health_kit', '08:00', 'Coffee', 8),
    meal('apple_health_kit', '08:01', 'Breakfast', 16),
  );
  const energy = { select: [sum({ meal: 'energy.value' })] };
  expect(await ask(user_id, energy)).toEqual([[4 + 2 + 8 + 16]]);
  expect(await ask(user_id, energy, { provider_priority_overrides: ['my_fitness_pal'] })).toEqual([[1 + 2 + 8 + 16]]);
  expect(await ask(user_id, { ...energy, group_by: [{ source: 'source_provider' }] })).toEqual([[30, 1]]);
});

describe('two apps on one phone', () => {
  const app = (name: string) => ({ ...phone, app_id: `com.example.${name}` });

  test('count once for a workout that both recorded, and so do two watches', async () => {
    const { user_id } = await makeUser(team());
    const run = (source: object, from: string, to: string, calories: number) => ({
      ...source,
      sport: 'running',
      time_start: on(from),
      time_end: on(to),
      calories,
    });
    const device = async (serial: string) => ({
      ...watch,
      device_id: (
        await pushSummaries(team(), user_id, 'devices', [{ ...watch, device_id: serial, device_model: 'Watch' }])
      ).body.items[0]?.id,
    });
    await push(
      user_id,
      'workouts',
      run(app('walks'), '07:00', '08:00', 1),
      run(app('rings'), '07:05', '08:01', 2),
      // A recorded workout is better than one that a person typed in.
      run({ ...phone, app_id: 'manual' }, '07:01', '08:00', 4),
      run(await device('SN-1'), '12:00', '13:00', 8),
      run(await device('SN-2'), '12:10', '13:10', 8),
    );
    expect(await ask(user_id, { select: [sum({ workout: 'calories' })] })).toEqual([[2 + 8]]);
    const byApp = { select: [sum({ workout: 'calories' })], group_by: [{ source: 'source_app_id' }] };
    expect(await ask(user_id, byApp)).toEqual([[2, 1, 4, 8]]);
  });

  test('count once for a breakfast that both have', async () => {
    const { user_id } = await makeUser(team());
    const meal = (source: object, name: string, value: number) => ({
      ...source,
      provider_id: `${name} ${value}`,
      timestamp: on('08:00'),
      name,
      energy: { unit: 'kcal', value },
    });
    await push(
      user_id,
      'meal',
      meal(app('food'), 'Breakfast', 1),
      meal(app('diary'), 'breakfast', 2),
      meal(app('food'), 'Coffee', 4),
    );
    expect(await ask(user_id, { select: [sum({ meal: 'energy.value' })] })).toEqual([[2 + 4]]);
  });
});

describe('measurements of the body', () => {
  const scale = { provider: 'withings', source_type: 'scale' };
  const copy = { ...phone, app_id: 'com.example.scale' };
  const body = (source: object, clock: string, more: object, day = '2026-01-05') => ({
    ...source,
    timestamp: on(clock, day),
    ...more,
  });
  const list = { select: [{ index: 'body' }, { body: 'weight_kilogram' }, { body: 'fat_mass_percentage' }] };

  test('of a day are all counted, from any source', async () => {
    const { user_id } = await makeUser(team());
    await push(
      user_id,
      'body',
      body(scale, '07:00', { weight: 80 }),
      body(scale, '21:00', { weight: 81 }),
      body(phone, '12:00', { weight: 80.5, fat: 20 }),
      body(strap, '12:00', { weight: 82 }, '2026-01-06'),
    );
    expect(await ask(user_id, list)).toEqual([
      ['05T07', '05T12', '05T21', '06T12'].map((hour) => `2026-01-${hour}:00:00.000Z`),
      [80, 80.5, 81, 82],
      [null, 20, null, null],
    ]);
    expect(
      await ask(user_id, {
        select: [{ func: 'count', arg: { index: 'body' } }],
        group_by: [{ source: 'source_type' }],
      }),
    ).toEqual([[1, 1, 2]]);
  });

  test('are copies if a better source has all their numbers in the same minute', async () => {
    const { user_id } = await makeUser(team());
    await push(
      user_id,
      'body',
      body(scale, '07:00', { weight: 80, fat: 21 }),
      { ...body(copy, '07:00', { weight: 80 }), timestamp: '2026-01-05T07:00:41Z' },
      body(phone, '07:00', { weight: 80, waist_circumference_centimeter: 90 }),
    );
    // The row of the phone counts, but without its weight. That weight is a copy of the weight from the scale.
    expect((await ask(user_id, list))[1]?.toSorted()).toEqual([80, null]);
    const waist = { select: [{ func: 'count', arg: { body: 'waist_circumference_centimeter' } }] };
    expect(await ask(user_id, waist)).toEqual([[1]]);
    // The order of providers decides which row is the copy. Here each row has a number that better rows do not have.
    const byPhone = await ask(user_id, list, { provider_priority_overrides: ['apple_health_kit'] });
    expect(byPhone[1]?.toSorted()).toEqual([80, null, null]);
  });

  test.each([
    ['another minute', '08:00', (71.4 + 72) / 2],
    ['the same minute', '07:00', 71.4],
  ])('of %s add the numbers that the better source does not have', async (_when, clock, weight) => {
    const { user_id } = await makeUser(team());
    await push(user_id, 'body', body(scale, '07:00', { weight: 71.4 }), body(phone, clock, { weight: 72, fat: 20 }));
    const mean = (column: string) => ({ func: 'mean', arg: { body: column } });
    const query = {
      select: [mean('weight_kilogram'), mean('fat_mass_percentage')],
      group_by: [{ date_trunc: { unit: 'day' } }],
    };
    expect(await ask(user_id, query)).toEqual([[expect.closeTo(weight, 9)], [20]]);
  });
});

describe('activities of several sources on one day', () => {
  test('are one activity of the better source, and others fill in what it does not report', async () => {
    const { user_id } = await makeUser(app.team);
    const calendar_date = '2026-01-05';
    await push(
      user_id,
      'activity',
      { ...phone, calendar_date, steps: 8_000, floors_climbed: 12, heart_rate: { avg_bpm: 70, resting_bpm: 50 } },
      { ...watch, calendar_date, steps: 900, distance: 700, heart_rate: { avg_bpm: 80 } },
      { ...phone, calendar_date: '2026-01-06', steps: 4_000 },
    );
    const columns = ['steps', 'distance', 'floors_climbed', 'heart_rate.avg_bpm', 'heart_rate.resting_bpm'];
    const select = columns.map((name) => ({ func: 'sum', arg: { activity: name } }));
    expect(await ask(user_id, { select })).toEqual([[4_900], [700], [12], [80], [50]]);
    expect(await ask(user_id, { select: [{ func: 'count', arg: { index: 'activity' } }] })).toEqual([[2]]);
    const bySource = { select: [{ group_key: 0 }, select[0]], group_by: [{ source: 'source_type' }] };
    expect(await ask(user_id, bySource)).toEqual([
      ['phone', 'watch'],
      [12_000, 900],
    ]);
  });

  test('are ranked by the order of the query, then by that of the team, then by device', async () => {
    const team = await app.makeTeam('With an order of providers');
    const { user_id } = await makeUser(team);
    const activity = (provider: string, source_type: string, steps: number) => ({
      provider,
      source_type,
      calendar_date: '2026-01-05',
      steps,
    });
    await pushSummaries(team, user_id, 'activity', [
      activity('fitbit', 'phone', 1),
      activity('garmin', 'watch', 2),
      activity('oura', 'ring', 4),
    ]);
    const answered = async (...provider_priority_overrides: string[]) => {
      const { body } = await team.api<{ results: { table: Record<string, unknown[]> }[] }>(
        'POST',
        `/aggregate/v1/user/${user_id}/query`,
        {
          timeframe: { anchor: '2026-01-05', past: { unit: 'day' } },
          queries: [{ select: [sum({ activity: 'steps' })] }],
          config: { provider_priority_overrides },
        },
      );
      return body.results[0]?.table['sum.activity.steps'];
    };
    expect(await answered()).toEqual([2]);
    await team.api('PATCH', '/v2/team/source/priorities', [{ data_type: 'activity', providers: ['fitbit', 'oura'] }]);
    expect(await answered()).toEqual([1]);
    expect(await answered('oura')).toEqual([4]);
    // Providers that the query does not name keep the order of the team.
    expect(await answered('polar')).toEqual([1]);
  });
});
