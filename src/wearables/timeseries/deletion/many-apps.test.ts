// The cost of a deletion for a user of many apps: processor time of this process, and index searches of the database.
// Other work of the machine changes neither.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { usedBy } from '../../../../test/slowness.ts';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { makeUser, subscribe } from '../../../../test/factories.ts';
import { startEndpoint } from '../../../../test/endpoint.ts';

let app: TestApp;
let team: Team;
let user_id: string;
beforeAll(async () => {
  // With one connection, its statistics can be flushed and read at once.
  app = await startTestApp({}, { poolSize: 1 });
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
  ({ user_id } = await makeUser(team));
});

const APPS = 50;
const MOST = 20_000;
const day = Date.parse('2026-01-05T00:00:00Z');
const kind = { provider: 'apple_health_kit', source_type: 'watch', resource: 'heartrate' };
const heartRate = (appNumber: number, second: number) => ({
  ...kind,
  app_id: `com.example.app${appNumber}`,
  timestamp: new Date(day + second * 1_000).toISOString(),
  unit: 'bpm',
  value: 70,
});
const path = () => `/v2/timeseries/${user_id}/samples`;

/** Stores `many` samples of the first app, one a second, and one sample of each other app every `everySeconds`. */
async function fill(many: number, everySeconds: number): Promise<void> {
  const samples = [...Array.from({ length: APPS }, (_, n) => heartRate(n, n * everySeconds)), heartRate(0, 100_001)];
  expect((await team.api('POST', path(), samples)).status).toBe(200);
  await sql`
    insert into samples (stream_id, at, value, team_number)
    select stream_id, at + make_interval(secs => n + 0.5), value, team_number
      from samples join streams on id = stream_id cross join generate_series(1, ${many - 2}::integer) as n
     where user_id = ${user_id} and app_id = 'com.example.app0' and at = ${new Date(day).toISOString()}`.execute(
    app.db,
  );
}

/** Processor time of this process in milliseconds, and the searches of the database in indexes of samples. */
async function costOf(work: () => Promise<unknown>): Promise<{ usedMs: number; searches: number }> {
  const searchesBefore = await searches();
  const usedMs = await usedBy(work);
  return { usedMs, searches: (await searches()) - searchesBefore };
}
async function searches(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(app.db);
  const { rows } = await sql<{ many: number }>`
    select sum(idx_scan)::float8 as many from pg_stat_user_indexes where relname like 'samples_%'`.execute(app.db);
  return rows[0]?.many as number;
}

describe('a deletion beside 49 other apps', () => {
  const ofFirst = () => [
    {
      ...kind,
      app_id: 'com.example.app0',
      start: new Date(day).toISOString(),
      end: new Date(day + 200_000_000).toISOString(),
    },
  ];

  test('of the most samples that a request may delete takes little processor time and few searches', async () => {
    await fill(MOST, 1_000);
    const { usedMs, searches } = await costOf(async () =>
      expect((await team.api('DELETE', path(), ofFirst())).body).toMatchObject({ deleted: MOST }),
    );
    expect(usedMs).toBeLessThan(1_000);
    expect(searches).toBeLessThan(100_000);
  });

  test('of more samples is refused before anything is deleted or searched', async () => {
    await fill(MOST + 1, 1_000);
    const { usedMs, searches } = await costOf(async () =>
      expect((await team.api('DELETE', path(), ofFirst())).body).toMatchObject({ code: 'too_many_samples' }),
    );
    expect(usedMs).toBeLessThan(300);
    expect(searches).toBeLessThan(1_000);
    const { rows } = await sql<{ many: number }>`select count(*)::integer as many from samples`.execute(app.db);
    expect(rows[0]?.many).toBeGreaterThan(MOST);
  });
});

type Interval = { start: string; end: string };
type Webhook = { event_type: string; data: { source: { app_id: string }; intervals: Interval[] } };

describe('the event of a deletion', () => {
  const second = (n: number): string => new Date(day + n * 1_000).toISOString();
  /** The published intervals of each app. */
  async function publishedIntervals(deletions: object[]): Promise<Map<string, Interval[]>> {
    const endpoint = await startEndpoint();
    try {
      await subscribe(team, endpoint, ['daily.data.heartrate.deleted']);
      expect((await team.api('DELETE', path(), deletions)).status).toBe(200);
      await app.deliver();
      const all = endpoint.received.map(({ body }) => (body as unknown as Webhook).data);
      return new Map(
        all.map(({ source, intervals }) => [source.app_id, intervals.toSorted((a, b) => (a.start < b.start ? -1 : 1))]),
      );
    } finally {
      await endpoint.close();
    }
  }
  /** Pseudo-random numbers between 0 and 1, always the same for a seed. */
  const randomOf = (seed: number) => (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };

  test.each([1, 2, 3, 4, 5])('has the fewest intervals that have no sample left within them: %i', async (seed) => {
    const random = randomOf(seed * 7_919);
    const until = 300;
    const apps = Array.from({ length: until }, () => Math.floor(random() ** 3 * 5)).map((n) =>
      random() < 0.8 ? n : -1,
    );
    const samples = apps.flatMap((appNumber, n) => (appNumber < 0 ? [] : [heartRate(appNumber, n)]));
    expect((await team.api('POST', path(), samples)).body).toMatchObject({ created: samples.length });
    const spans = [0, 1, 2, 3].map(() => {
      const from = Math.floor(random() * until);
      return { app: Math.floor(random() * 5), from, to: from + Math.floor(random() * 150) };
    });
    const isOfAll = random() < 0.4;
    const published = await publishedIntervals(
      spans.map(({ app, from, to }) => ({
        ...kind,
        ...(isOfAll ? {} : { app_id: `com.example.app${app}` }),
        start: second(from),
        end: second(to),
      })),
    );
    const isGone = apps.map(
      (appNumber, n) =>
        appNumber >= 0 && spans.some(({ app, from, to }) => (isOfAll || app === appNumber) && n >= from && n < to),
    );
    for (const appNumber of [0, 1, 2, 3, 4]) {
      const gone = apps.flatMap((each, n) => (each === appNumber && isGone[n] ? [n] : []));
      const intervals = published.get(`com.example.app${appNumber}`) ?? [];
      const inSpans = (a: number, b: number): boolean => {
        for (let n = a; n <= b; n += 1) {
          const reached = spans.some(({ app, from, to }) => (isOfAll || app === appNumber) && n >= from && n <= to);
          if (!reached || ((apps[n] as number) >= 0 && !isGone[n])) return false;
        }
        return true;
      };
      const expected: [number, number][] = [];
      for (const n of gone) {
        const last = expected.at(-1);
        if (last && inSpans(last[1], n)) last[1] = n;
        else expected.push([n, n]);
      }
      expect(intervals).toEqual(expected.map(([a, b]) => ({ start: second(a), end: second(b) })));
    }
  });

  test('has an interval for each sample if another app has more samples than the statement reads', async () => {
    await team.api('POST', path(), [...[0, 1, 80_000].map((n) => heartRate(0, n)), heartRate(1, 10)]);
    await sql`
      insert into samples (stream_id, at, value, team_number)
      select stream_id, at + make_interval(secs => n * 0.5), value, team_number
        from samples join streams on id = stream_id cross join generate_series(1, 120000) as n
       where user_id = ${user_id} and app_id = 'com.example.app1'`.execute(app.db);
    const published = await publishedIntervals([
      { ...kind, app_id: 'com.example.app0', start: second(0), end: second(90_000) },
    ]);
    expect(published.get('com.example.app0')).toEqual(
      [0, 1, 80_000].map((n) => ({ start: second(n), end: second(n) })),
    );
  });
});
