// Heart rates that come after their workout, as phones and connectors send them.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { makePerson, type Person } from '../../../../test/summaries.ts';

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
/** As if its time had come. */
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
  (await person.told()).filter(([type]) => type === 'daily.data.workouts.updated').map(([, { hr_zones }]) => hr_zones);

test('heart rates that come after their workout give it zones, told once however many pieces they come in', async () => {
  await person.push('workouts', run());
  await person.told();
  for (const second of [0, 30, 60, 90]) await pushRates(rate(second, second < 60 ? 100 : 140));
  expect(await waiting()).toBe(1);
  await compute();
  expect([await zones(), await updates()]).toEqual([[0, 60, 0, 60, 0, 0], [[0, 60, 0, 60, 0, 0]]]);
});

test('the workout comes again as it was: nothing is told, and further heart rates count', async () => {
  await person.push('workouts', run());
  await pushRates(rate(0, 100), rate(60, 100));
  await compute();
  await person.told();
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

test('zones that the provider tells, and those of points, stay', async () => {
  await person.push('workouts', run({ hr_zones: [1, 2, 3, 4, 5, 6] }));
  const stream = { time: [BEGIN / 1_000, BEGIN / 1_000 + 60], heartrate: [100, 100] };
  await person.push('workouts', run({ provider_id: '4712', stream }));
  await pushRates(rate(0, 180));
  expect(await waiting()).toBe(0);
  const told = (await person.read('workouts')).map(({ hr_zones }) => hr_zones);
  expect(told).toEqual(
    expect.arrayContaining([
      [1, 2, 3, 4, 5, 6],
      [0, 120, 0, 0, 0, 0],
    ]),
  );
});

test('a workout whose points have no heart rates has those that came as samples', async () => {
  const stream = { time: [BEGIN / 1_000], lat: [33.4], lng: [-112] };
  await person.push('workouts', run({ stream }));
  await pushRates(rate(0, 100), rate(60, 180));
  await compute();
  expect(await zones()).toEqual([0, 60, 0, 0, 0, 60]);
  // A later version without its points computes them again, and does not keep what came of samples.
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

test('rates of the better source count: by the order of the team, by the device, and else of the workout itself', async () => {
  await person.push('workouts', run());
  const from = async (provider: string, source_type: string, value: number) => {
    await pushRates(rate(0, value, { provider, source_type }), rate(60, value, { provider, source_type }));
    await compute();
    return zones();
  };
  expect(await from('oura', 'ring', 90)).toEqual([120, 0, 0, 0, 0, 0]);
  // Equally good: of the two watches that of the workout, although the other comes first by its name.
  expect(await from('garmin', 'watch', 120)).toEqual([0, 0, 120, 0, 0, 0]);
  expect(await from('fitbit', 'watch', 100)).toEqual([0, 0, 120, 0, 0, 0]);
  expect(await from('polar', 'chest_strap', 140)).toEqual([0, 0, 0, 120, 0, 0]);
  await person.team.api('PATCH', '/v2/team/source/priorities', [{ data_type: 'timeseries', providers: ['fitbit'] }]);
  expect(await from('oura', 'ring', 91)).toEqual([0, 120, 0, 0, 0, 0]);
});

test('of somebody who is deleted meanwhile nothing is computed', async () => {
  await person.push('workouts', run());
  await pushRates(rate(0, 100));
  await person.team.api('DELETE', `/v2/user/${person.userId}`);
  await compute();
  expect(await waiting()).toBe(0);
});
