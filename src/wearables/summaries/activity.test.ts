import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { makeUser, pushSummaries, subscribe, type PushedSummaries } from '../../../test/factories.ts';
import { problemsOf } from '../../../test/people.ts';
import { startEndpoint, type Endpoint } from '../../../test/endpoint.ts';

type Activity = Record<string, unknown> & { id: string; calendar_date: string; steps: number; updated_at: string };

let app: TestApp;
let endpoint: Endpoint;
let team: Team;
let userId: string;
beforeAll(async () => {
  [app, endpoint] = await Promise.all([startTestApp(), startEndpoint()]);
});
afterAll(async () => {
  await app.close();
  await endpoint.close();
});
beforeEach(async () => {
  team = await app.makeTeam();
  userId = (await makeUser(team)).user_id;
  await subscribe(team, endpoint);
  endpoint.received.length = 0;
});

const of = (calendar_date: string, more: object = {}) => ({
  provider: 'oura',
  source_type: 'ring',
  calendar_date,
  ...more,
});
const push = async (...items: object[]): Promise<PushedSummaries> =>
  (await pushSummaries(team, userId, 'activity', items)).body;
const read = async (query: string): Promise<Activity[]> =>
  (await team.api<{ activity: Activity[] }>('GET', `/v2/summary/activity/${userId}?${query}`)).body.activity;
const JANUARY = 'start_date=2026-01-01&end_date=2026-01-31';
/** The events since the last call. */
const takeEvents = async (): Promise<{ event_type: string; data: Activity }[]> => {
  await app.deliver();
  return endpoint.received.splice(0).map(({ body }) => body as never);
};

test('a pushed summary is read completely as that of its day, and published', async () => {
  const pushed = await push(
    of('2026-01-05', { timezone_offset: -25_200, steps: 9_000, calories_active: 410.5, heart_rate: { avg_bpm: 70 } }),
  );
  expect(pushed).toMatchObject({ created: 1, updated: 0, unchanged: 0, superseded: 0, outside_ingestion_bounds: 0 });
  const [activity] = await read(JANUARY);
  expect(activity).toEqual({
    id: pushed.items[0]?.id,
    user_id: userId,
    date: '2026-01-05T00:00:00.000Z',
    calendar_date: '2026-01-05',
    calories_total: null,
    calories_active: 410.5,
    steps: 9_000,
    daily_movement: null,
    distance: null,
    low: null,
    medium: null,
    high: null,
    floors_climbed: null,
    exercise_minutes: null,
    stand_hours: null,
    move_minutes: null,
    calories_active_goal: null,
    exercise_minutes_goal: null,
    stand_hours_goal: null,
    move_minutes_goal: null,
    time_zone: null,
    timezone_offset: -25_200,
    heart_rate: { avg_bpm: 70, min_bpm: null, max_bpm: null, resting_bpm: null, avg_walking_bpm: null },
    wheelchair_use: null,
    wheelchair_push: null,
    source: {
      provider: 'oura',
      type: 'ring',
      app_id: null,
      device_id: null,
      sport: null,
      workout_id: null,
      name: 'Oura',
      slug: 'oura',
      logo: expect.stringContaining('/logos/oura.svg'),
    },
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(await takeEvents()).toMatchObject([
    { event_type: 'daily.data.activity.created', user_id: userId, team_id: team.id, data: activity },
  ]);
});

describe('a day that is sent again', () => {
  test('replaces the one before under the same id, and is published as updated with a later time', async () => {
    const [first] = (await push(of('2026-01-05', { steps: 100 }))).items;
    const [before] = await read(JANUARY);
    const again = await push(of('2026-01-05', { steps: 250 }));
    expect(again).toMatchObject({ updated: 1, items: [{ id: first?.id, outcome: 'updated' }] });
    const [after, ...others] = await read(JANUARY);
    expect([after?.id, after?.steps, others]).toEqual([first?.id, 250, []]);
    expect([after?.['created_at'], (after?.updated_at ?? '') > (before?.updated_at ?? '')]).toEqual([
      before?.['created_at'],
      true,
    ]);
    expect((await takeEvents()).map(({ event_type, data }) => [event_type, data.steps])).toEqual([
      ['daily.data.activity.created', 100],
      ['daily.data.activity.updated', 250],
    ]);
  });

  test('with the same values changes nothing and is not published', async () => {
    await push(of('2026-01-05', { steps: 100, heart_rate: { avg_bpm: 70 } }));
    const before = await read(JANUARY);
    const again = await push(of('2026-01-05', { heart_rate: { max_bpm: null, avg_bpm: 70 }, steps: 100, low: null }));
    expect(again.items).toEqual([{ id: before[0]?.id, outcome: 'unchanged' }]);
    expect(await read(JANUARY)).toEqual(before);
    expect(await takeEvents()).toHaveLength(1);
  });

  test('from another source or kind of device is another summary', async () => {
    await push(of('2026-01-05', { steps: 1 }), of('2026-01-05', { steps: 2, source_type: 'app' }));
    await push({ ...of('2026-01-05'), provider: 'fitbit', steps: 3 });
    expect((await read(JANUARY)).map(({ steps }) => steps).toSorted()).toEqual([1, 2, 3]);
  });

  test('in an older version is left out; without a version the later one counts', async () => {
    await push(of('2026-01-05', { steps: 2, version: '2026-01-06T08:00:00Z' }));
    const older = await push(of('2026-01-05', { steps: 1, version: '2026-01-06T07:00:00Z' }));
    expect(older).toMatchObject({ superseded: 1, updated: 0 });
    expect((await read(JANUARY)).map(({ steps }) => steps)).toEqual([2]);
    await push(of('2026-01-05', { steps: 3 }));
    await push(of('2026-01-05', { steps: 1, version: '2026-01-06T07:00:00Z' }));
    expect((await read(JANUARY)).map(({ steps }) => steps)).toEqual([3]);
    await push(of('2026-01-05', { steps: 4, version: '2026-01-06T09:00:00-01:00' }));
    expect((await read(JANUARY)).map(({ steps }) => steps)).toEqual([4]);
    expect(await takeEvents()).toHaveLength(3);
  });

  test('twice in one batch counts once: the last, unless its version is older', async () => {
    const twice = await push(of('2026-01-05', { steps: 1 }), of('2026-01-05', { steps: 2 }));
    expect(twice.items.map(({ outcome }) => outcome)).toEqual(['superseded', 'created']);
    expect(new Set(twice.items.map(({ id }) => id)).size).toBe(1);
    const versions = await push(
      of('2026-01-06', { steps: 2, version: '2026-01-07T02:00:00Z' }),
      of('2026-01-06', { steps: 1, version: '2026-01-07T01:00:00Z' }),
    );
    expect(versions.items.map(({ outcome }) => outcome)).toEqual(['created', 'superseded']);
    expect((await read(JANUARY)).map(({ steps }) => steps)).toEqual([2, 2]);
    expect(await takeEvents()).toHaveLength(2);
  });

  test('by two requests at once is stored once', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, n) => push(of('2026-01-05', { steps: n }), of('2026-01-04', { steps: n }))),
    );
    expect(new Set(outcomes.flatMap(({ items }) => items.map(({ id }) => id))).size).toBe(2);
    expect(outcomes.reduce((sum, { created }) => sum + created, 0)).toBe(2);
    expect(await read(JANUARY)).toHaveLength(2);
  });
});

describe('the raw payload', () => {
  const raw = async (): Promise<Record<string, unknown>[]> =>
    (await team.api<{ activity: Record<string, unknown>[] }>('GET', `/v2/summary/activity/${userId}/raw?${JANUARY}`))
      .body.activity;

  test('of a push is the pushed object', async () => {
    const item = of('2026-01-05', { steps: 5, timezone_offset: 3_600 });
    const { items } = await push(item);
    expect(await raw()).toMatchObject([
      {
        id: items[0]?.id,
        user_id: userId,
        timestamp: '2026-01-04T23:00:00.000Z',
        data: item,
        provider_id: items[0]?.id,
        source_id: 0,
        priority_id: 0,
        source: { name: 'Oura', slug: 'oura', logo: expect.any(String) },
      },
    ]);
  });

  test('is stored without a published change when only the payload differs', async () => {
    await push(of('2026-01-05', { steps: 5 }));
    const before = await read(JANUARY);
    const again = await push(of('2026-01-05', { steps: 5, version: '2026-01-06T00:00:00Z' }));
    expect(again).toMatchObject({ unchanged: 1 });
    expect(await read(JANUARY)).toEqual(before);
    expect((await raw())[0]?.['data']).toMatchObject({ version: '2026-01-06T00:00:00Z' });
    expect(await takeEvents()).toHaveLength(1);
  });
});

describe('a list', () => {
  test('has the days of the range, both ends included, the newest last', async () => {
    await push(...['2026-01-31', '2026-02-01', '2026-01-01', '2025-12-31', '2026-01-15'].map((date) => of(date)));
    expect((await read(JANUARY)).map((each) => each.calendar_date)).toEqual(['2026-01-01', '2026-01-15', '2026-01-31']);
    expect(
      (await read('start_date=2026-01-31T22:00:00-07:00&end_date=2026-12-31')).map((each) => each.calendar_date),
    ).toEqual(['2026-01-31', '2026-02-01']);
  });

  test('has one provider where the query names it, and nothing for an unknown one', async () => {
    await push(of('2026-01-05'), { ...of('2026-01-05'), provider: 'fitbit' });
    const providers = async (query: string): Promise<unknown[]> =>
      (await read(`${JANUARY}&${query}`)).map(({ source }) => (source as { provider: string }).provider).toSorted();
    expect(await providers('provider=fitbit')).toEqual(['fitbit']);
    expect(await providers('provider=nobody')).toEqual([]);
  });

  test('goes to today without an end, and is refused where that is longer than a year', async () => {
    const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
    const kiritimati = new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10);
    await push(of(dayBefore(366)), of(dayBefore(365)), of(dayBefore(0)), of(kiritimati));
    const days = new Set([dayBefore(365), dayBefore(0), kiritimati]);
    expect((await read(`start_date=${dayBefore(365)}`)).map((each) => each.calendar_date)).toEqual([...days]);
    expect(await read(`start_date=${kiritimati}`)).toHaveLength(1);
    for (const query of [dayBefore(366), `${dayBefore(366)}T23:59:59Z`, '1999-01-01']) {
      const response = await team.api('GET', `/v2/summary/activity/${userId}?start_date=${query}`);
      expect([response.status, problemsOf(response)]).toEqual([422, ['query.start_date value_error']]);
    }
  });

  test('is refused for more than a year or without a start', async () => {
    await push(of('2025-01-01'), of('2026-01-01'), of('2026-01-02'));
    expect(await read('start_date=2025-01-01&end_date=2026-01-01')).toHaveLength(2);
    for (const query of ['start_date=2025-01-01&end_date=2026-01-02', 'start_date=2026-01-02&end_date=2026-01-01']) {
      const response = await team.api('GET', `/v2/summary/activity/${userId}?${query}`);
      expect([response.status, problemsOf(response)]).toEqual([422, ['query.end_date value_error']]);
    }
    const without = await team.api('GET', `/v2/summary/activity/${userId}`);
    expect(problemsOf(without)).toEqual(['query.start_date missing']);
  });

  test('is empty where there is no data', async () => {
    expect(await read(JANUARY)).toEqual([]);
  });

  test('that would be larger than an answer is refused with a way to avoid it', async () => {
    await push(of('2026-01-05'));
    await sql`
      insert into summaries (user_id, id, team_id, resource, provider, source_type, key, calendar_date, values, raw,
        content_hash, raw_hash)
      select user_id, gen_random_uuid(), team_id, resource, provider, source_type, 'no ' || n, '2026-01-05', values,
        raw, content_hash, raw_hash
        from summaries, generate_series(1, 5000) as n where user_id = ${userId}`.execute(app.db);
    for (const path of ['', '/raw']) {
      const response = await team.api<{ code: string }>('GET', `/v2/summary/activity/${userId}${path}?${JANUARY}`);
      expect([response.status, response.body.code]).toEqual([400, 'too_many_matches']);
    }
  });
});

test("days outside of the user's ingestion dates are counted, but neither stored nor published", async () => {
  await team.api('PATCH', `/v2/user/${userId}`, { ingestion_start: '2026-01-02', ingestion_end: '2026-01-03' });
  const days = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'];
  const pushed = await push(...days.map((date) => of(date)));
  expect(pushed).toMatchObject({ created: 2, outside_ingestion_bounds: 2 });
  expect(pushed.items.map(({ id, outcome }) => [id === null, outcome])).toEqual([
    [true, 'outside_ingestion_bounds'],
    [false, 'created'],
    [false, 'created'],
    [true, 'outside_ingestion_bounds'],
  ]);
  expect((await read(JANUARY)).map((each) => each.calendar_date)).toEqual(days.slice(1, 3));
  expect(await takeEvents()).toHaveLength(2);
});

describe('a batch', () => {
  test('is accepted as NDJSON and with gzip', async () => {
    const lines = [of('2026-01-05', { steps: 1 }), of('2026-01-06', { steps: 2 })].map((item) => JSON.stringify(item));
    const response = await fetch(`${app.baseUrl}/v2/summary/activity/${userId}`, {
      method: 'POST',
      headers: {
        'x-service-api-key': team.api_key,
        'content-type': 'application/x-ndjson',
        'content-encoding': 'gzip',
      },
      body: gzipSync(lines.join('\n')),
    });
    expect([response.status, await response.json()]).toMatchObject([200, { created: 2 }]);
  });

  test('with a problem is refused as a whole, with every problem by its index', async () => {
    const response = await team.api('POST', `/v2/summary/activity/${userId}`, [
      of('2026-01-05', { steps: 1 }),
      { ...of('2026-01-05'), provider: 'nobody', source_type: 'wand' },
      of('2026-02-30'),
      of('2099-01-01'),
      of('1899-12-31'),
      of('2026-01-05', { steps: 1.5, calories_total: -1, high: 'much', device_id: 'mine', timezone_offset: 60_000 }),
      { source_type: 'ring' },
      of('2026-01-05', { version: '2099-01-01T00:00:00Z' }),
      of('2026-01-05', { version: '0001-01-01T00:00:00+14:00' }),
    ]);
    expect([response.status, problemsOf(response)]).toEqual([
      422,
      [
        'body.1.provider enum',
        'body.1.source_type enum',
        'body.2.calendar_date date_parsing',
        'body.3.calendar_date value_error',
        'body.4.calendar_date value_error',
        'body.5.calories_total greater_than_equal',
        'body.5.device_id uuid_parsing',
        'body.5.high float_type',
        'body.5.steps int_type',
        'body.5.timezone_offset less_than_equal',
        'body.6.calendar_date missing',
        'body.6.provider missing',
        'body.7.version datetime_parsing',
        'body.8.version value_error',
      ],
    ]);
    expect(await read(JANUARY)).toEqual([]);
    expect(await takeEvents()).toEqual([]);
  });

  test('is refused where it is empty or of more than 100', async () => {
    for (const items of [[], Array.from({ length: 101 }, () => of('2026-01-05'))])
      expect((await team.api('POST', `/v2/summary/activity/${userId}`, items)).status).toBe(422);
  });

  test('with a device that the user does not have is not found, and nothing is stored', async () => {
    const response = await team.api<{ code: string }>('POST', `/v2/summary/activity/${userId}`, [
      of('2026-01-05'),
      of('2026-01-06', { device_id: userId }),
    ]);
    expect([response.status, response.body.code]).toEqual([404, 'not_found']);
    expect(await read(JANUARY)).toEqual([]);
  });

  test("for another team's user, or for one who is scheduled for deletion, is not found", async () => {
    const otherTeam = await app.makeTeam('Mesa Labs');
    expect((await pushSummaries(otherTeam, userId, 'activity', [of('2026-01-05')])).status).toBe(404);
    await team.api('DELETE', `/v2/user/${userId}`);
    const response = await team.api<{ code: string }>('POST', `/v2/summary/activity/${userId}`, [of('2026-01-05')]);
    expect([response.status, response.body.code]).toEqual([404, 'user_scheduled_for_deletion']);
  });
});
