import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
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

const BEGIN = Date.UTC(2026, 0, 5, 13, 30) / 1_000;
const run = (changes: object = {}) => ({
  provider: 'garmin',
  source_type: 'watch',
  provider_id: '4711',
  sport: 'running',
  time_start: '2026-01-05T13:30:00Z',
  time_end: '2026-01-05T13:32:00Z',
  ...changes,
});
const minutely = (...heartrate: number[]) => ({ time: heartrate.map((_, n) => BEGIN + n * 60), heartrate });
const zones = async (): Promise<unknown> => (await person.read('workouts'))[0]?.['hr_zones'];
const born = (birth_date: string, provider = 'garmin') => ({ provider, source_type: 'watch', birth_date });

test('a workout with heart rates has the seconds of its zones, in answers and events', async () => {
  await person.push('workouts', run({ stream: minutely(100, 180) }));
  expect(await zones()).toEqual([0, 60, 0, 0, 0, 60]);
  const events = await person.takeEvents();
  expect(events[0]).toMatchObject(['daily.data.workouts.created', { hr_zones: [0, 60, 0, 0, 0, 60] }]);
});

test('zones follow the birth date of a profile, else that of the user, else an age of 30', async () => {
  const at = async (stream: object) => {
    await person.push('workouts', run({ stream }));
    return zones();
  };
  // 120 beats are 63 percent of 190, 80 percent of 150, and 75 percent of 160.
  expect(await at(minutely(120, 120))).toEqual([0, 0, 120, 0, 0, 0]);
  await person.team.api('PATCH', `/v2/user/${person.userId}`, { fallback_birth_date: '1955-06-01' });
  expect(await at(minutely(120, 120))).toEqual([0, 0, 0, 0, 120, 0]);
  await person.push('profile', born('1965-06-01', 'fitbit'));
  expect(await at(minutely(120, 120))).toEqual([0, 0, 0, 120, 0, 0]);
});

test('later points update the zones, which stay when a version comes without points', async () => {
  await person.push('workouts', run());
  expect(await zones()).toBeNull();
  await person.takeEvents();
  await person.push('workouts', run({ stream: minutely(100, 100) }));
  expect(await person.takeEvents()).toMatchObject([
    ['daily.data.workouts.updated', { hr_zones: [0, 120, 0, 0, 0, 0] }],
    ['daily.data.workout_stream.created', {}],
  ]);
  await person.push('workouts', run());
  expect([await zones(), await person.takeEvents()]).toEqual([[0, 120, 0, 0, 0, 0], []]);
  await person.push('workouts', run({ title: 'Long one' }));
  expect(await zones()).toEqual([0, 120, 0, 0, 0, 0]);
  await person.push('workouts', run({ stream: { time: [BEGIN], cadence: [80] } }));
  expect(await zones()).toBeNull();
});

test('zones of the provider stay as they are', async () => {
  await person.push('workouts', run({ hr_zones: [1, 2, 3, 4, 5, 6], stream: minutely(100, 100) }));
  expect(await zones()).toEqual([1, 2, 3, 4, 5, 6]);
});

test("a workout without points has the zones of its source's heart rate samples of that time", async () => {
  const rate = (second: number, value: number, changes: object = {}) => ({
    resource: 'heartrate',
    provider: 'garmin',
    source_type: 'watch',
    timestamp: new Date((BEGIN + second) * 1_000).toISOString(),
    unit: 'bpm',
    value,
    ...changes,
  });
  const samples = [
    rate(-1, 180),
    rate(0, 100),
    rate(60, 140),
    rate(120, 180),
    rate(30, 60, { provider: 'fitbit' }),
    rate(30, 60, { source_type: 'phone' }),
  ];
  await person.team.api('POST', `/v2/timeseries/${person.userId}/samples`, samples);
  await person.push('workouts', run());
  expect(await zones()).toEqual([0, 60, 0, 60, 0, 0]);
  await person.push('workouts', run({ stream: minutely(100, 100) }));
  await person.push('workouts', run());
  expect(await zones()).toEqual([0, 120, 0, 0, 0, 0]);
});

test('samples give the same zones as points, also at edges, in pauses and on a birthday', async () => {
  await person.push('profile', born('1986-01-06'));
  const day = Date.UTC(2026, 0, 5) / 1_000;
  // Zones are shares of 220 less the age at the first heart rate. The first workout begins shortly before the birthday,
  // at the age of 39. The second workout begins after it, at the age of 40.
  const beats = [0, 89, 90, 108, 109, 126, 127, 144, 145, 162, 163, 181, 0, 100, 350];
  const gaps = [1, 7, 59, 60, 61, 600];
  for (const begin of [day + 82_000, day + 2 * 86_400]) {
    const time = [begin];
    for (let n = 1; n < 300; n++) time.push((time[n - 1] as number) + (gaps[n % gaps.length] as number));
    const heartrate = time.map((_, n) => beats[(n * 7) % beats.length] as number);
    const of = (changes: object) =>
      run({
        time_start: new Date(begin * 1_000).toISOString(),
        time_end: new Date(((time.at(-1) as number) + 33) * 1_000 + 499).toISOString(),
        ...changes,
      });
    await person.push('workouts', of({ provider_id: 'points', stream: { time, heartrate } }));
    const samples = time.map((second, n) => ({
      resource: 'heartrate',
      provider: 'garmin',
      source_type: 'watch',
      timestamp: new Date(second * 1_000).toISOString(),
      unit: 'bpm',
      value: heartrate[n],
    }));
    await person.team.api('POST', `/v2/timeseries/${person.userId}/samples`, samples);
    await person.push('workouts', of({ provider_id: 'samples' }));
    const all = (await person.read('workouts')).map(({ hr_zones }) => hr_zones as number[]);
    expect(all).toHaveLength(2);
    expect(all[0]?.every((seconds) => seconds > 0)).toBe(true);
    expect(all[1]).toEqual(all[0]);
  }
});
