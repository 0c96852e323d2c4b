import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser } from '../../../test/factories.ts';

let app: TestApp;
let userId: string;
const MINUTES = 13_000;
/**
 * The heart rate of each sample is its minute divided by this number. So all rates differ, lie within the range of the
 * series, and are exact as floats.
 */
const A_BEAT = 64;
const BEGIN = Date.UTC(2026, 0, 5);
const at = (minute: number): string => new Date(BEGIN + minute * 60_000).toISOString();

const sample = (minute: number, more: object = {}) => ({
  resource: 'heartrate',
  provider: 'apple_health_kit',
  source_type: 'watch',
  timestamp: at(minute),
  unit: 'bpm',
  value: minute / A_BEAT,
  ...more,
});

beforeAll(async () => {
  app = await startTestApp();
  ({ user_id: userId } = await makeUser(app.team));
  const all = Array.from({ length: MINUTES }, (_, n) => sample(n));
  for (let from = 0; from < MINUTES; from += 5_000) await push(userId, all.slice(from, from + 5_000));
  await push(
    userId,
    Array.from({ length: 10 }, (_, n) => sample(n, { provider: 'oura', source_type: 'ring' })),
  );
});
afterAll(() => app.close());

const push = (user: string, samples: unknown) => app.api('POST', `/v2/timeseries/${user}/samples`, samples);
type Page = {
  groups: Record<string, { source: { type: string }; data: { timestamp: string; value: number }[] }[]>;
  next: string | null;
  next_cursor: string | null;
};
const read = async (query: string, user = userId) =>
  (await app.api<Page & { code: string }>('GET', `/v2/timeseries/${user}/heartrate/grouped?${query}`)).body;
const valuesIn = (page: Page) =>
  Object.values(page.groups).flatMap((groups) => groups.flatMap(({ data }) => data.map(({ value }) => value * A_BEAT)));

describe('the grouped form', () => {
  test('lists all samples of all sources in pages, each sample once', async () => {
    const pages: Page[] = [await read('start_date=2026-01-01&end_date=2026-12-31')];
    for (let next = pages[0]?.next_cursor; next; next = pages.at(-1)?.next_cursor)
      pages.push(await read(`start_date=2026-01-01&end_date=2026-12-31&next_cursor=${next}`));
    expect(pages.map((page) => valuesIn(page).length)).toEqual([12_000, 1_010]);
    expect(pages.map(({ next, next_cursor }) => next === next_cursor)).toEqual([true, true]);
    const expected = [...Array.from({ length: MINUTES }, (_, n) => n), ...Array.from({ length: 10 }, (_, n) => n)];
    expect(pages.flatMap(valuesIn)).toEqual(expected);
    expect(Object.keys(pages[1]?.groups ?? {})).toEqual(['apple_health_kit', 'oura']);
  });

  test('accepts the older name of the cursor, which keeps its position when earlier samples come in', async () => {
    const { user_id } = await makeUser(app.team);
    const all = Array.from({ length: 12_002 }, (_, n) => sample(n + 10));
    for (let from = 0; from < all.length; from += 5_000) await push(user_id, all.slice(from, from + 5_000));
    const first = await read('start_date=2026-01-01&end_date=2026-12-31', user_id);
    await push(user_id, [sample(1), sample(2)]);
    expect(
      valuesIn(await read(`start_date=2026-01-01&end_date=2026-12-31&cursor=${first.next_cursor}`, user_id)),
    ).toEqual([12_010, 12_011]);
  });

  test.each([
    ['days, including the whole last day', 'start_date=2026-01-05&end_date=2026-01-06', 0, 2 * 1440 - 1],
    ['moments, both included', `start_date=${at(5)}&end_date=${at(7)}`, 5, 7],
    ['moments with an offset', `start_date=2026-01-05T01:00:00%2B01:00&end_date=2026-01-05T01:02:00%2B01:00`, 0, 2],
  ])('accepts a range of %s', async (_what, query, first, last) => {
    const values = valuesIn(await read(`${query}&provider=apple_health_kit`));
    expect([values[0], values.at(-1), values.length]).toEqual([first, last, last - first + 1]);
  });

  test('filters by provider, and is empty for an unknown one', async () => {
    expect(Object.keys((await read('start_date=2026-01-05&end_date=2026-12-31&provider=oura')).groups)).toEqual([
      'oura',
    ]);
    expect((await read('start_date=2026-01-05&end_date=2026-12-31&provider=acme')).groups).toEqual({});
    expect(Object.keys((await read(`start_date=2026-01-05&end_date=${at(9)}`)).groups)).toHaveLength(2);
  });

  test('is empty for a user without samples, and not_found for a user of another team', async () => {
    const { user_id } = await makeUser(app.team);
    expect(await read('start_date=2026-01-05&end_date=2026-12-31', user_id)).toEqual({
      groups: {},
      next: null,
      next_cursor: null,
    });
    const otherUser = await makeUser(await app.makeTeam('Other team'));
    expect(await read('start_date=2026-01-05&end_date=2026-12-31', otherUser.user_id)).toMatchObject({
      code: 'not_found',
    });
    await app.api('DELETE', `/v2/user/${user_id}`);
    expect(await read('start_date=2026-01-05&end_date=2026-12-31', user_id)).toMatchObject({
      code: 'user_scheduled_for_deletion',
    });
  });

  test('hides the samples of a user who is scheduled for deletion, and shows them again after an undo', async () => {
    const { user_id } = await makeUser(app.team);
    await push(user_id, [sample(1)]);
    await app.api('DELETE', `/v2/user/${user_id}`);
    expect(await read('start_date=2026-01-05&end_date=2026-12-31', user_id)).toMatchObject({
      code: 'user_scheduled_for_deletion',
    });
    await app.api('POST', `/v2/user/undo_delete?user_id=${user_id}`);
    expect(valuesIn(await read('start_date=2026-01-05&end_date=2026-12-31', user_id))).toEqual([1]);
  });

  test.each(['garbage', Buffer.from('[1]').toString('base64url'), Buffer.from('[1,1e300]').toString('base64url')])(
    'refuses a cursor that it did not make: %s',
    async (cursor) => {
      expect(await read(`start_date=2026-01-05&end_date=2026-12-31&next_cursor=${cursor}`)).toMatchObject({
        code: 'invalid_cursor',
      });
    },
  );

  test('refuses a cursor of another user or another series', async () => {
    const { user_id } = await makeUser(app.team);
    await push(user_id, [sample(1)]);
    const { next_cursor } = await read('start_date=2026-01-01&end_date=2026-12-31');
    expect(await read(`start_date=2026-01-01&end_date=2026-12-31&next_cursor=${next_cursor}`, user_id)).toMatchObject({
      code: 'invalid_cursor',
    });
    const steps = await app.api<{ code: string }>(
      'GET',
      `/v2/timeseries/${userId}/steps/grouped?start_date=2026-01-01&end_date=2026-12-31&next_cursor=${next_cursor}`,
    );
    expect(steps.body.code).toBe('invalid_cursor');
  });

  test('ends today if no end is given, and a range of more than a year is refused', async () => {
    const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
    for (const form of ['heartrate/grouped', 'heartrate']) {
      const ask = (query: string) =>
        app.api<{ detail: { loc: string[] }[] }>('GET', `/v2/timeseries/${userId}/${form}?${query}`);
      const refused = async (query: string) => {
        const { status, body } = await ask(query);
        return [status, body.detail.map(({ loc }) => loc.join('.'))];
      };
      expect((await ask(`start_date=${dayBefore(365)}`)).status).toBe(200);
      expect((await ask(`start_date=${dayBefore(365)}T12:00:00Z&end_date=${dayBefore(0)}`)).status).toBe(200);
      expect(await refused(`start_date=${dayBefore(366)}`)).toEqual([422, ['query.start_date']]);
      expect(await refused(`start_date=${dayBefore(366)}&end_date=${dayBefore(0)}`)).toEqual([422, ['query.end_date']]);
      expect(await refused('start_date=1999-01-01&end_date=2000-01-02')).toEqual([422, ['query.end_date']]);
      expect(await refused(`start_date=${dayBefore(1)}&end_date=${dayBefore(2)}`)).toEqual([422, ['query.end_date']]);
    }
  });

  test('requires start_date', async () => {
    const { status, body } = await app.api<{ detail: object[] }>('GET', `/v2/timeseries/${userId}/heartrate/grouped`);
    expect([status, body.detail]).toEqual([
      422,
      [{ type: 'missing', loc: ['query', 'start_date'], msg: 'Field required' }],
    ]);
  });
});

describe('the form without groups', () => {
  const list = (query: string) =>
    app.api<{ timestamp: string; value: number }[] & { code: string }>(
      'GET',
      `/v2/timeseries/${userId}/heartrate?${query}`,
    );

  test('is one list of all sources in the order of time, and its headers name the successor', async () => {
    const { body, headers } = await list(`start_date=${at(0)}&end_date=${at(1)}`);
    expect(body.map(({ timestamp, value }) => [timestamp, value * A_BEAT])).toEqual([
      [at(0), 0],
      [at(0), 0],
      [at(1), 1],
      [at(1), 1],
    ]);
    expect(headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(headers.get('link')).toContain('heartrate/grouped>; rel="successor-version"');
  });

  test('refuses a range of more than 50,000 samples, and names the form with pages', async () => {
    const { user_id } = await makeUser(app.team);
    await app.db
      .insertInto('streams')
      .values({ user_id, team_id: app.team.id, resource: 'heartrate', provider: 'manual', source_type: 'app' })
      .execute();
    const stream = app.db.selectFrom('streams').select(['id']).where('user_id', '=', user_id);
    const { id } = await stream.executeTakeFirstOrThrow();
    const { number } = await app.db
      .selectFrom('teams')
      .select('number')
      .where('id', '=', app.team.id)
      .executeTakeFirstOrThrow();
    const minutes = Array.from({ length: 50_001 }, (_, n) => ({
      stream_id: id,
      at: at(n),
      value: n,
      team_number: number,
    }));
    for (let from = 0; from < minutes.length; from += 10_000)
      await app.db
        .insertInto('samples')
        .values(minutes.slice(from, from + 10_000))
        .execute();
    const all = await app.api<{ code: string }>(
      'GET',
      `/v2/timeseries/${user_id}/heartrate?start_date=2026-01-01&end_date=2026-12-31`,
    );
    expect([all.status, all.body.code]).toEqual([400, 'too_many_samples']);
    const fewer = await app.api<unknown[]>('GET', `/v2/timeseries/${user_id}/heartrate?start_date=${at(1)}`);
    expect([fewer.status, fewer.body.length]).toEqual([200, 50_000]);
  });
});

test.each(['/heartrate', '/heartrate/grouped'])(
  'a range of %s can be a day or a moment, and cannot end before it begins',
  async (form) => {
    const { user_id } = await makeUser(app.team);
    const read = (from: string, to: string) =>
      app.api<{ detail: unknown }>('GET', `/v2/timeseries/${user_id}${form}?start_date=${from}&end_date=${to}`);
    expect((await read('2026-01-05', '2026-01-05')).status).toBe(200);
    expect((await read('2026-01-05T09:00:00Z', '2026-01-05T09:00:00Z')).status).toBe(200);
    for (const [from, to] of [
      ['2026-01-06', '2026-01-05'],
      ['2026-01-05T09:00:00-07:00', '2026-01-05T15:59:59Z'],
    ] as const) {
      const { status, body } = await read(from, to);
      const problem = { type: 'value_error', loc: ['query', 'end_date'], msg: 'Value should not be before start_date' };
      expect([status, body.detail]).toEqual([422, [expect.objectContaining(problem)]]);
    }
  },
);
