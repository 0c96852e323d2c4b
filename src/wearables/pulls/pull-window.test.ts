// The pull itself, with a simulated provider: errors, what continues after a kill, and the order of work.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { importConnection, makeUser, subscribe } from '../../../test/factories.ts';
import { startEndpoint, type Endpoint } from '../../../test/endpoint.ts';
import { publishedTo } from '../../../test/publish-event.ts';
import { teamCtx } from '../../../test/team-ctx.ts';
import { forTeam } from '../../tenancy/teams/team-scope.ts';
import { failConnection } from '../connections/fail.ts';
import { pauseAfterLastDay } from '../connections/pause-after-last-day.ts';
import { seriesOrNull } from '../series.ts';
import type { Series } from '../series-type.ts';
import { AppError } from '../../errors.ts';
import { DEMO_IMPORTERS } from './demo/demo-importers.ts';
import { pollConnection } from './poll.ts';
import { pullWindow } from './pull-window.ts';
import { PullError, type Pulled, type Importer, type PullErrorGroup, type TimeWindow } from '../providers/importer.ts';
import { resumePulls } from './resume-pulls.ts';

let app: TestApp;
let endpoint: Endpoint;
let user: { user_id: string };
/** The requests that reached the provider, and how it answers. */
let asked: TimeWindow[] = [];
let answer: (window: TimeWindow) => AsyncIterable<Pulled>;

const played: Importer = {
  resources: { glucose: { windowDays: 7 } },
  pollDays: 1,
  pollEverySeconds: 900,
  mappers: {},
  pull: (_source, _resource, window) => {
    asked.push(window);
    return answer(window);
  },
};

beforeAll(async () => {
  app = await startTestApp();
  endpoint = await startEndpoint();
  await subscribe(app.team, endpoint, ['historical.data.*']);
});
afterAll(async () => {
  await endpoint.close();
  await app.close();
});
beforeEach(async () => {
  vi.spyOn(DEMO_IMPORTERS, 'freestyle_libre', 'get').mockReturnValue(played);
  // Otherwise the jobs that an earlier test left would pull data in this test.
  await sql`delete from graphile_worker._private_jobs`.execute(app.db);
  await sql`delete from pulls`.execute(app.db);
  await sql`delete from polls`.execute(app.db);
  asked = [];
  answer = oneADay;
  user = await makeUser(app.team);
  await app.deliver();
  endpoint.received.length = 0;
});
afterEach(() => {
  vi.restoreAllMocks();
});

const DAY_MS = 86_400_000;
const dayFromNow = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const sampleAt = (at: string, value = 5) => ({
  series: seriesOrNull('glucose') as Series,
  source: { provider: 'freestyle_libre', source_type: 'automatic', app_id: null, device_id: null },
  kind: '',
  sample: { at, value, duration_ms: null, timezone_offset: null, extra: null, text: null },
});

async function* oneADay({ from, to }: TimeWindow): AsyncIterable<Pulled> {
  for (let at = Date.parse(from); at < Date.parse(to); at += DAY_MS)
    yield { samples: [sampleAt(new Date(at).toISOString())] };
}

async function* manyOf(samples: NonNullable<Pulled['samples']>): AsyncIterable<Pulled> {
  yield { samples };
}

/** An answer that breaks off at once. */
const failing = (error: () => Error): AsyncIterable<Pulled> => ({
  [Symbol.asyncIterator]: () => ({
    next: async () => {
      throw error();
    },
  }),
});

/** An answer without data, after `wait`. */
const nothing = (wait: () => Promise<unknown> = async () => undefined): AsyncIterable<Pulled> => ({
  [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: await wait() }) }),
});

const connect = () => app.api('POST', '/v2/link/connect/demo', { user_id: user.user_id, provider: 'freestyle_libre' });
const scoped = () => teamCtx(app.ctx, app.team.id);
const job = () => ({
  team_id: app.team.id,
  user_id: user.user_id,
  provider: 'freestyle_libre' as const,
  resource: 'glucose',
});
const pull = async () =>
  await app.db.selectFrom('pulls').selectAll().where('user_id', '=', user.user_id).executeTakeFirstOrThrow();
const stored = async (): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::float8 as count from samples join streams on streams.id = stream_id
      where user_id = ${user.user_id}`.execute(app.db);
  return rows[0]?.count as number;
};
/** The number of values in events. */
const changes = async (): Promise<number> => {
  const path = `/v2/introspect/resources?user_id=${user.user_id}`;
  const { body } = await app.api<{ data: { provider: { freestyle_libre: { glucose: { sent_count: number } } } }[] }>(
    'GET',
    path,
  );
  return body.data[0]?.provider.freestyle_libre.glucose.sent_count ?? 0;
};
const statusOf = async (): Promise<string | undefined> =>
  (await app.api<{ providers: { status: string }[] }>('GET', `/v2/user/providers/${user.user_id}`)).body.providers[0]
    ?.status;
const waitingJobs = async () => (await sql`select from graphile_worker.jobs`.execute(app.db)).rows;
/** Makes the waiting jobs due at once. */
const later = () => sql`update graphile_worker._private_jobs set run_at = now() where run_at > now()`.execute(app.db);
const historical = async () => {
  await app.deliver();
  return endpoint.received.map(({ body }) => body.event_type).filter((type) => type.startsWith('historical'));
};

describe('a pull of the past', () => {
  test('goes from the newest window to the oldest, without a gap and no further than the range', async () => {
    await connect();
    await app.runJobs();
    const { range_start, range_end, status } = await pull();
    expect([asked[0]?.to, asked.at(-1)?.from, status]).toEqual([range_end, range_start, 'success']);
    for (const [n, { from }] of asked.slice(0, -1).entries()) expect(asked[n + 1]?.to).toBe(from);
    expect(asked.length).toBe(5);
    expect(await historical()).toEqual(['historical.data.glucose.created']);
  });

  test.each([null, 'America/Phoenix'])(
    'counts each day once with the user in %s, also where a provider returns days around a window',
    async (zone) => {
      if (zone !== null) await app.api('PATCH', `/v2/user/${user.user_id}`, { fallback_time_zone: zone });
      const midnight = zone === null ? 'T00:00:00.000Z' : 'T07:00:00.000Z';
      const now = new Date().toISOString();
      const daysSince = (day: string): string[] => {
        const begin = Date.parse(`${day}${midnight}`);
        const all = Array.from({ length: 45 }, (_, n) => new Date(begin + n * DAY_MS).toISOString());
        return all.filter((at) => at < now);
      };
      answer = async function* ({ from, to }) {
        for (const at of daysSince(dayFromNow(-40)))
          if (Date.parse(at) >= Date.parse(from) - DAY_MS && Date.parse(at) < Date.parse(to) + DAY_MS)
            yield { samples: [sampleAt(at)] };
      };
      await connect();
      await app.runJobs();
      const { range_start, days_with_data, status } = await pull();
      // For a user in the west, the first day of the range begins before the range.
      const first = zone === null ? range_start.slice(0, 10) : dayFromNow(-31);
      expect([status, days_with_data]).toEqual(['success', daysSince(first).length]);
      for (const { from, to } of asked.slice(0, -1)) {
        expect(from.slice(10)).toBe(midnight);
        expect(Date.parse(to) - Date.parse(from)).toBeLessThanOrEqual(7 * DAY_MS);
      }
    },
  );

  test('without any data still publishes its event', async () => {
    answer = () => nothing();
    await connect();
    await app.runJobs();
    expect([await pull(), await historical()]).toEqual([
      expect.objectContaining({ status: 'success', days_with_data: 0 }),
      ['historical.data.glucose.created'],
    ]);
  });

  test("begins no earlier than the user's first day of ingestion", async () => {
    const first = new Date(Date.now() - 5 * DAY_MS).toISOString().slice(0, 10);
    await app.api('PATCH', `/v2/user/${user.user_id}`, { ingestion_start: first });
    await connect();
    await app.runJobs();
    expect((await pull()).range_start).toBe(`${first}T00:00:00.000Z`);
    expect(asked.at(-1)?.from).toBe(`${first}T00:00:00.000Z`);
  });

  test.each([
    ['that lies ahead', { ingestion_start: dayFromNow(10) }],
    ["that ends before the provider's history begins", { ingestion_end: dayFromNow(-400) }],
  ])('of a user with an ingestion time %s sends no request and ends at once', async (_when, bounds) => {
    await app.api('PATCH', `/v2/user/${user.user_id}`, bounds);
    await connect();
    await app.runJobs();
    const { status, range_start, range_end, attempts } = await pull();
    expect([asked, status, attempts]).toEqual([[], 'success', 0]);
    expect(range_start).toBe(range_end);
    expect(await historical()).toEqual(['historical.data.glucose.created']);
  });

  test("covers no days after the user's last day of ingestion", async () => {
    const last = dayFromNow(-10);
    await app.api('PATCH', `/v2/user/${user.user_id}`, { ingestion_end: last });
    await connect();
    await app.runJobs();
    expect(asked[0]?.to).toBe(new Date(Date.parse(last) + 1.5 * DAY_MS).toISOString());
    expect((await pull()).status).toBe('success');
  });

  test('whose provider is not configured any more is not tried, and due an hour later', async () => {
    await connect();
    vi.spyOn(DEMO_IMPORTERS, 'freestyle_libre', 'get').mockReturnValue(undefined as never);
    await app.runJobs();
    const { status, leased_until, started_at, due_at } = await pull();
    expect([status, leased_until, started_at]).toEqual(['scheduled', null, null]);
    expect(Math.round((Date.parse(due_at) - Date.now()) / 60_000)).toBe(60);
    await resumePulls(app.ctx);
    expect(await waitingJobs()).toEqual([]);
  });

  test('that ends the process with each try is given up after eight', async () => {
    await connect();
    const pending: (() => void)[] = [];
    answer = () => nothing(() => new Promise<void>((resolve) => pending.push(resolve)));
    const tries: Promise<void>[] = [];
    for (let n = 1; n <= 9; n += 1) {
      tries.push(pullWindow(await scoped(), job()));
      await vi.waitFor(async () => expect((await pull()).attempts + asked.length).toBe(2 * Math.min(n, 8)));
      await sql`update pulls set leased_until = now() - interval '1 second' where leased_until is not null`.execute(
        app.db,
      );
    }
    await tries[8];
    expect(await pull()).toMatchObject({ status: 'failure', error_details: 'retry_quota_exhausted' });
    for (const release of pending) release();
    await Promise.all(tries);
    expect([(await pull()).status, await historical()]).toEqual(['failure', []]);
  });

  test('waits and tries again where that may help, shows why, and continues where it was', async () => {
    let calls = 0;
    answer = async function* (window) {
      calls += 1;
      if (calls === 2) throw new PullError('provider_rate_limit_exceeded', 120);
      yield* oneADay(window);
    };
    await connect();
    await app.runJobs();
    expect(await pull()).toMatchObject({
      status: 'retrying',
      error_details: 'provider_rate_limit_exceeded',
      attempts: 1,
    });
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from due_at - now())::float8 as seconds from pulls where user_id = ${user.user_id}`.execute(
      app.db,
    );
    expect(rows[0]?.seconds).toBeGreaterThan(100);
    await later();
    await app.runJobs();
    expect(await pull()).toMatchObject({ status: 'success', error_details: null });
    expect(asked[2]).toEqual(asked[1]);
    expect(await historical()).toEqual(['historical.data.glucose.created']);
  });

  test('gives up after eight tries in a row', async () => {
    answer = () => failing(() => new PullError('provider_unavailable'));
    await connect();
    for (let n = 0; n < 8; n += 1) {
      await later();
      await app.runJobs();
    }
    expect(await pull()).toMatchObject({ status: 'failure', error_details: 'retry_quota_exhausted', attempts: 8 });
    await later();
    await app.runJobs();
    expect([asked.length, await historical()]).toEqual([8, []]);
  });

  test.each([
    ['a permanent refusal of the provider', () => new PullError('non_retriable_error'), 'non_retriable_error'],
    [
      'a user with too many streams',
      () => new AppError('limit_reached', 'A user has at most 1,000 streams.'),
      'limit_reached',
    ],
    ['an unexpected error', () => new TypeError('x is not a function'), 'unexpected_error'],
  ])('fails at once by %s', async (_what, error, error_details) => {
    answer = () => failing(error);
    await connect();
    await app.runJobs();
    expect(await pull()).toMatchObject({ status: 'failure', error_details: error_details });
  });

  test('that broke off in a window keeps the stored chunks and stores nothing twice later', async () => {
    let calls = 0;
    answer = async function* (window) {
      calls += 1;
      for await (const chunk of oneADay(window)) {
        yield chunk;
        if (calls === 1) throw new PullError('transport_failure');
      }
    };
    await connect();
    await app.runJobs();
    expect(await stored()).toBe(1);
    await later();
    await app.runJobs();
    expect((await pull()).status).toBe('success');
    const days = Math.ceil((Date.parse((await pull()).range_end) - Date.parse((await pull()).range_start)) / DAY_MS);
    expect(await stored()).toBeGreaterThanOrEqual(days);
    const published = (await publishedTo(app, app.team)).filter(
      ({ event_type, user_id }) => event_type === 'daily.data.glucose.created' && user_id === user.user_id,
    );
    const times = published.flatMap(({ body }) =>
      (JSON.parse(body) as { data: { data: { timestamp: string }[] } }).data.data.map(({ timestamp }) => timestamp),
    );
    expect(times.length).toBeGreaterThanOrEqual(days);
    expect(times.length).toBe(new Set(times).size);
  });

  test('whose worker was killed continues when its lease is over', async () => {
    await connect();
    await sql`delete from graphile_worker._private_jobs`.execute(app.db);
    await sql`update pulls set status = 'in_progress', leased_until = now() + interval '5 minutes',
    due_at = now() - interval '1 hour'
      where user_id = ${user.user_id}`.execute(app.db);
    await resumePulls(app.ctx);
    await app.runJobs();
    expect(asked).toEqual([]);
    await sql`update pulls set leased_until = now() - interval '1 second' where user_id = ${user.user_id}`.execute(
      app.db,
    );
    await resumePulls(app.ctx);
    await app.runJobs();
    expect((await pull()).status).toBe('success');
  });

  test('is worked on by one process at a time', async () => {
    await connect();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    answer = () => nothing(() => released);
    const first = pullWindow(await scoped(), job());
    await vi.waitFor(() => expect(asked.length).toBe(1));
    await pullWindow(await scoped(), job());
    expect(asked.length).toBe(1);
    release();
    await first;
  });

  test('whose lease another process has meanwhile records no outcome', async () => {
    await connect();
    answer = () =>
      nothing(() =>
        sql`update pulls set leased_until = now() + interval '9 minutes' where user_id = ${user.user_id}`.execute(
          app.db,
        ),
      );
    const before = (await pull()).pulled_from;
    await pullWindow(await scoped(), job());
    expect(await pull()).toMatchObject({ pulled_from: before, status: 'in_progress' });
  });

  test('stops while the user is scheduled for deletion, and continues after an undo', async () => {
    await connect();
    let calls = 0;
    answer = async function* (window) {
      calls += 1;
      if (calls === 2) await app.api('DELETE', `/v2/user/${user.user_id}`);
      yield* oneADay(window);
    };
    await app.runJobs();
    expect([asked.length, (await pull()).status]).toEqual([2, 'in_progress']);
    await resumePulls(app.ctx);
    await app.runJobs();
    expect(asked.length).toBe(2);
    await app.api('POST', `/v2/user/undo_delete?user_id=${user.user_id}`);
    await sql`update pulls set due_at = due_at - interval '2 minutes' where user_id = ${user.user_id}`.execute(app.db);
    await resumePulls(app.ctx);
    await app.runJobs();
    expect((await pull()).status).toBe('success');
  });

  test('of a connection that has ended does not continue', async () => {
    await connect();
    await app.api('DELETE', `/v2/user/${user.user_id}/freestyle_libre`);
    await app.runJobs();
    expect(asked).toEqual([]);
  });
});

describe('polls', () => {
  const due = () => sql`update polls set due_at = now() where user_id = ${user.user_id}`.execute(app.db);
  const poll = async () =>
    await app.db.selectFrom('polls').selectAll().where('user_id', '=', user.user_id).executeTakeFirstOrThrow();

  test('run when they are due, ask for the last days, and are due again a quarter of an hour later', async () => {
    await connect();
    await app.runJobs();
    asked = [];
    await resumePulls(app.ctx);
    await app.runJobs();
    expect(asked).toEqual([]);
    await due();
    await resumePulls(app.ctx);
    await app.runJobs();
    expect(asked.length).toBe(1);
    expect(Date.now() - Date.parse(asked[0]?.from ?? '')).toBeLessThan(2.1 * DAY_MS);
    const { due_at, succeeded } = await poll();
    expect([succeeded, Math.round((Date.parse(due_at) - Date.now()) / 60_000)]).toEqual([true, 15]);
  });

  test('that fail wait longer and longer, and introspection shows it', async () => {
    await connect();
    await app.runJobs();
    answer = () => failing(() => new PullError('provider_unavailable'));
    const waits: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      await due();
      await resumePulls(app.ctx);
      await app.runJobs();
      waits.push(Math.round((Date.parse((await poll()).due_at) - Date.now()) / 60_000));
    }
    expect(waits).toEqual([15, 30, 45]);
    const { body } = await app.api<{ data: { provider: Record<string, Record<string, object>> }[] }>(
      'GET',
      `/v2/introspect/resources?user_id=${user.user_id}`,
    );
    expect(body.data[0]?.provider['freestyle_libre']?.['glucose']).toEqual({
      last_attempt: { timestamp: expect.any(String), status: 'failure' },
      oldest_data: expect.any(String),
      newest_data: expect.any(String),
      sent_count: await stored(),
    });
  });

  test('that are slow run once at a time, and continue when the process was killed', async () => {
    await connect();
    await app.runJobs();
    asked = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    answer = () => nothing(() => released);
    await due();
    const first = pollConnection(await scoped(), job());
    await vi.waitFor(() => expect(asked.length).toBe(1));
    await resumePulls(app.ctx);
    await app.runJobs();
    await pollConnection(await scoped(), job());
    expect(asked.length).toBe(1);
    release();
    await first;
    answer = () => nothing();
    await due();
    await sql`update polls set leased_until = now() - interval '1 second' where user_id = ${user.user_id}`.execute(
      app.db,
    );
    await resumePulls(app.ctx);
    await app.runJobs();
    expect(asked.length).toBe(2);
  });

  test("that were deferred because the application's limit is used up have not failed and run later", async () => {
    await connect();
    await app.runJobs();
    const before = await poll();
    answer = () => failing(() => new PullError('provider_rate_limit_exceeded', 300, { isDeferred: true }));
    for (let n = 0; n < 2; n += 1) {
      await due();
      await resumePulls(app.ctx);
      await app.runJobs();
      const { attempted_at, succeeded, failures, due_at } = await poll();
      expect({ attempted_at, succeeded, failures }).toEqual({
        attempted_at: before.attempted_at,
        succeeded: before.succeeded,
        failures: 0,
      });
      expect(Math.round((Date.parse(due_at) - Date.now()) / 60_000)).toBe(5);
    }
  });

  test('that another process has taken over meanwhile record no outcome and send no more requests', async () => {
    vi.spyOn(DEMO_IMPORTERS, 'freestyle_libre', 'get').mockReturnValue({
      ...played,
      resources: { glucose: { windowDays: 7 }, heartrate: { windowDays: 7 } },
    });
    await connect();
    await app.runJobs();
    asked = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    answer = () => nothing(() => released);
    await due();
    const slow = pollConnection(await scoped(), job());
    await vi.waitFor(() => expect(asked.length).toBe(1));
    await sql`update polls set leased_until = now() - interval '1 second' where user_id = ${user.user_id}`.execute(
      app.db,
    );
    answer = () => failing(() => new PullError('provider_unavailable'));
    await pollConnection(await scoped(), job());
    const outcome = await poll();
    expect([asked.length, outcome.succeeded]).toEqual([3, false]);
    release();
    await slow;
    expect([asked.length, await poll()]).toEqual([3, outcome]);
  });

  test('cover the last days of ingestion for seven days after them; then the connection is paused', async () => {
    await connect();
    await app.runJobs();
    // Each response has late data, with another value each time.
    answer = ({ to }) => manyOf([sampleAt(new Date(Date.parse(to) - 2 * DAY_MS).toISOString(), 5 + asked.length)]);
    for (const [ingestion_end, times, status] of [
      [dayFromNow(-1), 1, 'connected'],
      [dayFromNow(-6), 1, 'connected'],
      [dayFromNow(-9), 0, 'paused'],
      [dayFromNow(-30), 0, 'paused'],
    ] as const) {
      await app.api('PATCH', `/v2/user/${user.user_id}`, { ingestion_end });
      const before = await changes();
      asked = [];
      await due();
      await resumePulls(app.ctx);
      await app.runJobs();
      await pauseAfterLastDay(app.ctx);
      expect([ingestion_end, asked.length, await changes(), await statusOf()]).toEqual([
        ingestion_end,
        times,
        before + times,
        status,
      ]);
      if (times === 0) continue;
      const until = Math.min(Date.now(), Date.parse(ingestion_end) + 1.5 * DAY_MS);
      expect(Math.abs(Date.parse(asked[0]?.to ?? '') - until)).toBeLessThan(10_000);
      expect(until - Date.parse(asked[0]?.from ?? '')).toBeLessThan(2.1 * DAY_MS);
    }
  });

  test('of a connection whose time is over send no request, while a pull of the past may end', async () => {
    await app.api('PATCH', `/v2/user/${user.user_id}`, { ingestion_end: dayFromNow(-10) });
    await connect();
    await pauseAfterLastDay(app.ctx);
    expect(await statusOf()).toBe('connected');
    await app.runJobs();
    expect((await pull()).status).toBe('success');
    asked = [];
    await due();
    await resumePulls(app.ctx);
    await app.runJobs();
    expect([asked, (await poll()).succeeded]).toEqual([[], true]);
    await pauseAfterLastDay(app.ctx);
    expect(await statusOf()).toBe('paused');
  });

  test('that we refuse ourselves, as for a user with too many streams, count as failed and wait', async () => {
    await connect();
    await app.runJobs();
    answer = () => failing(() => new AppError('limit_reached', 'A user has at most 1,000 streams.'));
    await due();
    await resumePulls(app.ctx);
    await app.runJobs();
    const { succeeded, failures, due_at, leased_until } = await poll();
    expect([succeeded, failures, leased_until, Date.parse(due_at) > Date.now() + 600_000]).toEqual([
      false,
      1,
      null,
      true,
    ]);
  });

  test('of one team do not delay other teams: each has its share, the longest overdue first', async () => {
    const other = await app.makeTeam('Other team');
    const theirs = await makeUser(other);
    await other.api('POST', '/v2/link/connect/demo', { user_id: theirs.user_id, provider: 'freestyle_libre' });
    for (let n = 0; n < 3; n += 1) {
      user = await makeUser(app.team);
      await connect();
    }
    await sql`delete from graphile_worker._private_jobs`.execute(app.db);
    await sql`update polls set due_at = now() - interval '1 hour'`.execute(app.db);
    await resumePulls(app.ctx);
    const { rows } = await sql<{ team_id: string }>`
      select payload ->> 'team_id' as team_id from graphile_worker._private_jobs order by priority, run_at, id`.execute(
      app.db,
    );
    expect(rows.slice(0, 2).map(({ team_id }) => team_id)).toContain(other.id);
  });
});

describe('live data comes before the past', () => {
  test.each([
    ['that was queued just now', async () => void (await connect())],
    [
      'whose jobs a killed worker has lost',
      async () => {
        await connect();
        await sql`delete from graphile_worker._private_jobs`.execute(app.db);
        await sql`update pulls set due_at = now() - interval '2 minutes'`.execute(app.db);
      },
    ],
  ])('of a pull %s: polls that are due run first, although they were queued later', async (_which, begin) => {
    const newcomer = user;
    const known = await makeUser(app.team);
    user = known;
    await connect();
    await app.runJobs();
    user = newcomer;
    await begin();
    asked = [];
    await sql`update polls set due_at = now() where user_id = ${known.user_id}`.execute(app.db);
    await resumePulls(app.ctx);
    await app.runJobs();
    // The length of the window shows the kind of request: a poll asks for at most two days, a pull of the past for a
    // week.
    const days = asked.map(({ from, to }) => (Date.parse(to) - Date.parse(from)) / DAY_MS);
    expect(days.length).toBe(6);
    expect(days[0]).toBeLessThanOrEqual(2);
    expect(days.slice(2, 5)).toEqual([7, 7, 7]);
    expect(days[1]).toBeGreaterThan(5.9);
  });
});

describe('the poll and the pull of a connection', () => {
  /** Returns, for the poll and then for the pull of the user's connection, whether it is never due. */
  const never = async (): Promise<boolean[]> => {
    const { rows } = await sql<{ never: boolean }>`
      select due_at = 'infinity' as never from polls where user_id = ${user.user_id}
       union all select due_at = 'infinity' from pulls where user_id = ${user.user_id} and ended_at is null`.execute(
      app.db,
    );
    return rows.map((row) => row.never);
  };

  test.each<[string, () => Promise<unknown>]>([
    [
      'is paused',
      () =>
        app.api('POST', '/v2/link/bulk_pause', {
          provider: 'oura',
          user_ids: [user.user_id],
        }),
    ],
    [
      'fails',
      () =>
        failConnection(
          forTeam(app.ctx, { id: app.team.id, org_id: app.team.org_id, settings: {} }),
          { user_id: user.user_id, provider: 'oura' },
          { type: 'token_refresh_failed', details: 'invalid_grant' },
        ),
    ],
  ])('are never due once that %s, and due again when it is made anew', async (_how, end) => {
    await importConnection(app.team, user.user_id, { oauth_scopes: ['heartrate'] });
    expect(await never()).toEqual([false, false]);
    await end();
    expect(await never()).toEqual([true, true]);
    await resumePulls(app.ctx);
    await app.runJobs();
    expect(await never()).toEqual([true, true]);
    await importConnection(app.team, user.user_id, { oauth_scopes: ['heartrate'] });
    expect(await never()).toEqual([false, false]);
  });

  test('are never due while the user is scheduled for deletion, and due again after an undo', async () => {
    await importConnection(app.team, user.user_id, { oauth_scopes: ['heartrate'] });
    await app.api('DELETE', `/v2/user/${user.user_id}`);
    expect(await never()).toEqual([true, true]);
    await app.api('POST', `/v2/user/undo_delete?user_id=${user.user_id}`);
    expect(await never()).toEqual([false, false]);
    await app.api('POST', '/v2/link/bulk_pause', { provider: 'oura', user_ids: [user.user_id] });
    await app.api('DELETE', `/v2/user/${user.user_id}`);
    await app.api('POST', `/v2/user/undo_delete?user_id=${user.user_id}`);
    expect(await never()).toEqual([true, true]);
  });

  test('are never due once the connection has ended', async () => {
    await importConnection(app.team, user.user_id, { oauth_scopes: ['heartrate'] });
    await app.api('DELETE', `/v2/user/${user.user_id}/oura`);
    expect(await never()).toEqual([true]);
  });

  test('stay so when a window that was under way ends', async () => {
    await connect();
    answer = () => nothing(() => app.api('DELETE', `/v2/user/${user.user_id}/freestyle_libre`));
    await pullWindow(await scoped(), job());
    expect(await pull()).toMatchObject({ status: 'in_progress' });
    expect(await never()).toEqual([true]);
  });
});

describe('introspection', () => {
  type Pull = {
    status: string;
    range_start: string;
    range_end: string;
    timeline: { scheduled_at: string; started_at: string | null; ended_at: string | null };
    days_with_data: number;
    error_details: string | null;
  };
  type OfProvider = { pulled: Record<string, Pull>; not_pulled: string[] };
  const seen = async (): Promise<OfProvider> => {
    const { body } = await app.api<{ data: { provider: Record<string, OfProvider> }[] }>(
      'GET',
      `/v2/introspect/historical_pull?user_id=${user.user_id}`,
    );
    return body.data[0]?.provider['freestyle_libre'] as OfProvider;
  };
  const glucose = async (): Promise<Pull> => (await seen()).pulled['glucose'] as Pull;
  const moment = expect.stringMatching(/^\d{4}-.*Z$/);

  test('shows a pull from its first moment to its last, and the resources that were never pulled', async () => {
    await connect();
    const waiting = await glucose();
    expect(waiting).toMatchObject({ status: 'scheduled', days_with_data: 0, error_details: null });
    expect(waiting.timeline).toEqual({ scheduled_at: moment, started_at: null, ended_at: null });
    expect(Date.parse(waiting.range_end) - Date.parse(waiting.range_start)).toBeGreaterThanOrEqual(30 * DAY_MS);

    let between: Pull[] = [];
    answer = async function* (window) {
      between = [await glucose()];
      yield* oneADay(window);
    };
    await app.runJobs();
    expect(between).toMatchObject([{ status: 'in_progress', timeline: { started_at: moment, ended_at: null } }]);
    const done = await glucose();
    expect(done).toMatchObject({ status: 'success', error_details: null });
    expect(done.days_with_data).toBeGreaterThanOrEqual(30);
    expect(done.timeline).toEqual({ ...waiting.timeline, started_at: moment, ended_at: moment });

    // A later version of the service pulls more; this connection was made before that.
    const more = { ...played, resources: { ...played.resources, meal: { windowDays: 7 } } };
    vi.spyOn(DEMO_IMPORTERS, 'freestyle_libre', 'get').mockReturnValue(more);
    expect((await seen()).not_pulled).toEqual(['meal']);
  });

  test.each<[PullErrorGroup, 'retrying' | 'failure']>([
    ['provider_rate_limit_exceeded', 'retrying'],
    ['provider_unavailable', 'retrying'],
    ['transport_failure', 'retrying'],
    ['resource_contention', 'retrying'],
    ['non_retriable_error', 'failure'],
    ['unexpected_error', 'failure'],
  ])('shows for %s that it is %s', async (group, status) => {
    answer = () => failing(() => new PullError(group));
    await connect();
    await app.runJobs();
    const ended_at = status === 'failure' ? moment : null;
    expect(await glucose()).toMatchObject({
      status,
      error_details: group,
      timeline: { started_at: moment, ended_at },
    });
    expect(await historical()).toEqual([]);
  });

  test('shows for a pull that was given up that its tries are used up', async () => {
    answer = () => failing(() => new PullError('transport_failure'));
    await connect();
    await sql`update pulls set attempts = 7 where user_id = ${user.user_id}`.execute(app.db);
    await app.runJobs();
    expect(await glucose()).toMatchObject({ status: 'failure', error_details: 'retry_quota_exhausted' });
  });

  test('has the same range as the event at the end of a pull', async () => {
    await connect();
    await app.runJobs();
    const { range_start, range_end } = await glucose();
    await app.deliver();
    const webhooks = endpoint.received.filter(({ body }) => body.event_type === 'historical.data.glucose.created');
    expect(webhooks.map(({ body }) => body.data)).toEqual([
      {
        user_id: user.user_id,
        start_date: range_start,
        end_date: range_end,
        is_final: true,
        provider: 'freestyle_libre',
      },
    ]);
    expect(range_start).toBe(`${dayFromNow(-30)}T00:00:00.000Z`);
    expect(Math.abs(Date.parse(range_end) - Date.now())).toBeLessThan(60_000);
  });

  test('lists users in pages, of one provider where the query names it', async () => {
    answer = ({ from }) => manyOf([sampleAt(from)]);
    const ofOura = ({ from }: TimeWindow): Pulled['samples'] => {
      const { source, ...sample } = sampleAt(from);
      return [{ ...sample, source: { ...source, provider: 'oura' } }];
    };
    vi.spyOn(DEMO_IMPORTERS, 'oura', 'get').mockReturnValue({
      ...played,
      pull: (_source, _resource, window) => manyOf(ofOura(window) ?? []),
    });
    const team = await app.makeTeam('Pages');
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { user_id } = await makeUser(team);
      await team.api('POST', '/v2/link/connect/demo', { user_id, provider: n === 1 ? 'oura' : 'freestyle_libre' });
      ids.push(user_id);
    }
    await app.runJobs();
    type Page = { data: { user_id: string }[]; next_cursor: string | null };
    for (const path of ['historical_pull', 'resources']) {
      const pages: Page[] = [];
      for (let cursor = ''; ;) {
        const { body } = await team.api<Page>(
          'GET',
          `/v2/introspect/${path}?user_limit=2${cursor && `&next_cursor=${cursor}`}`,
        );
        pages.push(body);
        if (body.next_cursor === null) break;
        cursor = body.next_cursor;
      }
      expect(pages.map(({ data }) => data.map(({ user_id }) => user_id))).toEqual([ids.slice(0, 2), ids.slice(2)]);
      const { body } = await team.api<Page>('GET', `/v2/introspect/${path}?provider=oura`);
      expect(body.data.map(({ user_id }) => user_id)).toEqual([ids[1]]);
    }
  });
});
