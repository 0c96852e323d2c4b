// Heart rates that arrive after their workout, as phones and connectors send them.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { makePerson, type Person } from '../../../../test/summary-person.ts';

let app: TestApp;
let person: Person;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  person = await makePerson(app);
});
afterEach(() => person.close());

const BEGIN = Date.UTC(2026, 0, 5, 13, 30);
const at = (second: number): string => new Date(BEGIN + second * 1_000).toISOString();
const run = (changes: object = {}) => ({
  provider: 'garmin',
  source_type: 'watch',
  provider_id: '4711',
  sport: 'running',
  title: 'Before work',
  time_start: at(0),
  time_end: at(120),
  ...changes,
});
const rate = (second: number, value: number, changes: object = {}) => ({
  resource: 'heartrate',
  provider: 'garmin',
  source_type: 'watch',
  timestamp: at(second),
  unit: 'bpm',
  value,
  ...changes,
});
const pushRates = async (...samples: object[]) => {
  const { status } = await person.team.api('POST', `/v2/timeseries/${person.userId}/samples`, samples);
  expect(status).toBe(200);
};
/** Runs the queued jobs at once, also if they are due later. */
const compute = async () => {
  await sql`update graphile_worker._private_jobs set run_at = now() where run_at > now()`.execute(app.db);
  await app.runJobs();
};
const waiting = async () => {
  const { rows } = await sql`
    select from graphile_worker._private_jobs
     where payload ->> 'user_id' = ${person.userId} and key like 'zones %'`.execute(app.db);
  return rows.length;
};
const zones = async (): Promise<unknown> => (await person.read('workouts'))[0]?.['hr_zones'];
const updates = async () =>
  (await person.takeEvents())
    .filter(([type]) => type === 'daily.data.workouts.updated')
    .map(([, { hr_zones }]) => hr_zones);

test('heart rates that arrive in parts after their workout give it zones, with one event', async () => {
  await person.push('workouts', run());
  await person.takeEvents();
  for (const second of [0, 30, 60, 90]) await pushRates(rate(second, second < 60 ? 100 : 140));
  expect(await waiting()).toBe(1);
  await compute();
  expect([await zones(), await updates()]).toEqual([[0, 60, 0, 60, 0, 0], [[0, 60, 0, 60, 0, 0]]]);
});

test('a workout that comes again unchanged causes no event, and further heart rates count', async () => {
  await person.push('workouts', run());
  await pushRates(rate(0, 100), rate(60, 100));
  await compute();
  await person.takeEvents();
  const { unchanged } = await person.push('workouts', run());
  expect(unchanged).toBe(1);
  await pushRates(rate(60, 180));
  await compute();
  expect(await updates()).toEqual([[0, 60, 0, 0, 0, 60]]);
  await pushRates(rate(60, 181));
  await compute();
  expect(await updates()).toEqual([]);
  const { body } = await person.team.api('DELETE', `/v2/timeseries/${person.userId}/samples`, [
    { resource: 'heartrate', provider: 'garmin', start: at(0), end: at(121) },
  ]);
  expect(body).toMatchObject({ deleted: 2 });
  await compute();
  expect([await zones(), await updates()]).toEqual([null, [null]]);
});

test('zones of the provider and zones of points stay', async () => {
  await person.push('workouts', run({ hr_zones: [1, 2, 3, 4, 5, 6] }));
  const stream = { time: [BEGIN / 1_000, BEGIN / 1_000 + 60], heartrate: [100, 100] };
  await person.push('workouts', run({ provider_id: '4712', stream }));
  await pushRates(rate(0, 180));
  expect(await waiting()).toBe(0);
  const zonesOfWorkouts = (await person.read('workouts')).map(({ hr_zones }) => hr_zones);
  expect(zonesOfWorkouts).toEqual(
    expect.arrayContaining([
      [1, 2, 3, 4, 5, 6],
      [0, 120, 0, 0, 0, 0],
    ]),
  );
});

test('a workout whose points have no heart rates has the zones of samples', async () => {
  const stream = { time: [BEGIN / 1_000], lat: [33.4], lng: [-112] };
  await person.push('workouts', run({ stream }));
  await pushRates(rate(0, 100), rate(60, 180));
  await compute();
  expect(await zones()).toEqual([0, 60, 0, 0, 0, 60]);
  // When the workout is pushed again without points, its zones are computed again. The old zones are not kept.
  await pushRates(rate(60, 100));
  await person.push('workouts', run());
  expect(await zones()).toEqual([0, 120, 0, 0, 0, 0]);
});

test('heart rates of another time, and other samples, ask for nothing', async () => {
  await person.push('workouts', run());
  await pushRates(rate(-1, 100));
  await pushRates(rate(120, 100), { ...rate(10, 60), resource: 'hrv', unit: 'rmssd' });
  expect(await waiting()).toBe(0);
  await pushRates(rate(-3_000, 100), rate(3_000, 100));
  await compute();
  expect(await zones()).toBeNull();
});

test("rates of the better source count: by the team's order, the device, the workout's own source", async () => {
  await person.push('workouts', run());
  const from = async (provider: string, source_type: string, value: number) => {
    await pushRates(rate(0, value, { provider, source_type }), rate(60, value, { provider, source_type }));
    await compute();
    return zones();
  };
  expect(await from('oura', 'ring', 90)).toEqual([120, 0, 0, 0, 0, 0]);
  // Both watches are equally good. The watch that recorded the workout counts, although `fitbit` comes first by name.
  expect(await from('garmin', 'watch', 120)).toEqual([0, 0, 120, 0, 0, 0]);
  expect(await from('fitbit', 'watch', 100)).toEqual([0, 0, 120, 0, 0, 0]);
  expect(await from('polar', 'chest_strap', 140)).toEqual([0, 0, 0, 120, 0, 0]);
  await person.team.api('PATCH', '/v2/team/source/priorities', [{ data_type: 'timeseries', providers: ['fitbit'] }]);
  expect(await from('oura', 'ring', 91)).toEqual([0, 120, 0, 0, 0, 0]);
});

test('a better source counts in the minutes in which it measured, and hides no other one', async () => {
  await person.push('workouts', run());
  await pushRates(
    ...[0, 30, 60, 90].map((second) => rate(second, 100, { provider: 'garmin', source_type: 'watch' })),
    rate(60, 180, { provider: 'polar', source_type: 'chest_strap' }),
  );
  await compute();
  // The rates of the watch count for a minute, until the only rate of the strap. Then this rate counts for a minute.
  expect(await zones()).toEqual([0, 60, 0, 0, 0, 60]);
});

test('nothing is computed for a user who is deleted meanwhile', async () => {
  await person.push('workouts', run());
  await pushRates(rate(0, 100));
  await person.team.api('DELETE', `/v2/user/${person.userId}`);
  await compute();
  expect(await waiting()).toBe(0);
});

describe('with very many workouts or rates', () => {
  const WEEK_S = 7 * 24 * 3_600 - 600;
  /** Workouts that each last a week. */
  const weekLong = (many: number) =>
    Array.from({ length: many }, (_, n) => run({ provider_id: `w${n}`, time_start: at(n), time_end: at(n + WEEK_S) }));
  const computeAll = async () => {
    for (let n = 0; n < 50 && (await waiting()) > 0; n++) await compute();
    expect(await waiting()).toBe(0);
  };
  const withZones = async () => {
    const { rows } = await sql<{ zones: number[] }>`
      select "values" -> 'hr_zones' as zones from summaries
       where user_id = ${person.userId} and "values" ? 'hr_zones' order by start_at`.execute(app.db);
    return rows.map(({ zones }) => zones);
  };

  test('a batch with many heart rates waits for few of them, and one job does the others in steps', async () => {
    // Eight workouts have as many as a request reads.
    await pushRates(...Array.from({ length: 5_000 }, (_, n) => rate(n * 30, 100)));
    const began = process.cpuUsage();
    const beganMs = performance.now();
    await person.push('workouts', ...weekLong(50));
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1_000).toBeLessThan(1_000);
    expect(performance.now() - beganMs).toBeLessThan(5_000);
    const atOnce = (await withZones()).length;
    expect(atOnce).toBeGreaterThan(0);
    expect(atOnce).toBeLessThan(10);
    expect(await waiting()).toBe(1);
    await computeAll();
    const all = await withZones();
    expect(all).toHaveLength(50);
    // Half a minute for each rate until the last one, which lasts a minute. The first rates lie before the later
    // workouts.
    expect(all[0]).toEqual([0, 5_000 * 30 + 30, 0, 0, 0, 0]);
    expect(all[1]).toEqual([0, 5_000 * 30, 0, 0, 0, 0]);
    // A workout that was left to the job keeps its published zones when it comes again.
    await person.takeEvents();
    expect(await person.push('workouts', ...weekLong(50))).toMatchObject({ unchanged: 50 });
    expect(await person.takeEvents()).toEqual([]);
  });

  test('a heart rate over fifty workouts asks for one job, which rests between its steps', async () => {
    await person.push('workouts', ...weekLong(50));
    await person.takeEvents();
    await pushRates(rate(3_600, 100));
    expect(await waiting()).toBe(1);
    await compute();
    const few = (await withZones()).length;
    expect(few).toBeGreaterThan(0);
    expect(few).toBeLessThanOrEqual(20);
    // Heart rates that arrive before the next step do not bring it forward.
    const later = new Date(Date.now() + 3_600_000);
    await sql`
      update graphile_worker._private_jobs set run_at = ${later} where key = ${`zones ${person.userId}`}`.execute(
      app.db,
    );
    await pushRates(rate(3_660, 100));
    const { rows } = await sql<{ run_at: string }>`
      select run_at from graphile_worker._private_jobs where key = ${`zones ${person.userId}`}`.execute(app.db);
    expect(rows.map(({ run_at }) => new Date(run_at).getTime())).toEqual([later.getTime()]);
    await computeAll();
    expect(new Set((await withZones()).map(String))).toEqual(new Set(['0,120,0,0,0,0']));
    expect(await withZones()).toHaveLength(50);
  });

  test('a live heart rate publishes the zones of a backfill that is not published itself', async () => {
    await person.push('workouts', run());
    await person.takeEvents();
    await pushRates(rate(0, 100));
    await sql`update summaries set zones_asked = 'backfill' where user_id = ${person.userId}`.execute(app.db);
    await person.team.api('PATCH', '/v2/team', { backfill_events_enabled: false });
    await pushRates(rate(30, 100));
    const { rows } = await sql`select zones_asked from summaries where user_id = ${person.userId}`.execute(app.db);
    expect(rows).toEqual([{ zones_asked: 'live' }]);
    await compute();
    expect(await updates()).toEqual([[0, 90, 0, 0, 0, 0]]);
  });
});
