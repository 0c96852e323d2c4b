import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser, pushSummaries } from '../../../test/factories.ts';
import { teamCtx } from '../../../test/team-ctx.ts';
import { newByteAllowance } from './byte-allowance.ts';
import { openTexts } from './opened-texts.ts';
import { querySql } from './query-sql.ts';
import { planOf } from './read-query.ts';
import type { QueryScope } from './query-scope.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const run = (minute: number, more: object) => ({
  provider: 'garmin',
  sport: 'running',
  time_start: new Date(Date.UTC(2026, 0, 5, 0, minute)).toISOString(),
  time_end: new Date(Date.UTC(2026, 0, 5, 0, minute + 1)).toISOString(),
  ...more,
});

const scopeOf = (userId: string): QueryScope => ({
  userId,
  teamId: app.team.id,
  from: '2026-01-05',
  until: '2026-01-06',
  window: null,
  timeZone: 'UTC',
  weekStartsOn: 'monday',
  providers: [],
  limit: 1_000,
  maxTextBytes: MEBIBYTE,
});
const MEBIBYTE = 1024 * 1024;

test('a sealed text is neither in a statement nor in its parameters', async () => {
  const { user_id: userId } = await makeUser(app.team);
  await pushSummaries(app.team, userId, 'workouts', [
    run(0, { title: 'Round the hill' }),
    run(5, { title: 'To the sea' }),
  ]);
  const plan = planOf({
    select: [{ group_key: 0 }, { func: 'max', arg: { workout: 'title' } }],
    group_by: [{ workout: 'title' }],
    where: "title >= 'To the sea' AND title != 'Round the hill'",
  });
  const ctx = await teamCtx(app.ctx, app.team.id);
  const scope = scopeOf(userId);
  const opened = await openTexts(ctx, plan, scope, newByteAllowance());
  const statement = (await querySql(ctx, plan, scope, opened)).compile(ctx.db);
  expect(JSON.stringify([statement.sql, statement.parameters])).not.toMatch(/hill|sea/);
  expect([opened?.textAt(0), opened?.textAt(1)]).toEqual(['Round the hill', 'To the sea']);
});

test('more than 16 MiB of sealed texts are refused before they are read', async () => {
  const { user_id } = await makeUser(app.team);
  const map = { polyline: '_'.repeat(65_000) };
  for (let n = 0; n < 300; n += 60) {
    const some = Array.from({ length: 60 }, (_, each) => run((n + each) * 2, { map }));
    const { status } = await pushSummaries(app.team, user_id, 'workouts', some);
    expect(status).toBe(200);
  }
  const { status, body } = await app.api<{ code: string }>('POST', `/aggregate/v1/user/${user_id}/query`, {
    timeframe: { anchor: '2026-01-05', past: { unit: 'day' } },
    queries: [{ select: [{ func: 'count', arg: { workout: 'map_polyline' } }] }],
  });
  expect([status, body.code]).toEqual([400, 'too_many_matches']);
});

/** Pushes workouts of one day, each with a long polyline. */
async function pushWays(userId: string, count: number): Promise<void> {
  for (let first = 0; first < count; first += 50) {
    const some = Array.from({ length: Math.min(50, count - first) }, (_, n) => {
      const map = { polyline: String.fromCharCode(65 + ((first + n) % 26)).repeat(64_000 + first + n) };
      return run((first + n) * 2, { map });
    });
    expect((await pushSummaries(app.team, userId, 'workouts', some)).status).toBe(200);
  }
}
const ask = (userId: string, queries: object[]) =>
  app.api<{ code: string; detail: { loc: unknown[] }[]; results: unknown[] }>(
    'POST',
    `/aggregate/v1/user/${userId}/query`,
    { timeframe: { anchor: '2026-01-05', past: { unit: 'day' } }, queries },
  );
const polyline = { workout: 'map_polyline' };

describe('texts of one request', () => {
  test('have at most 4 MiB in the answers of all queries together', async () => {
    const { user_id } = await makeUser(app.team);
    await pushWays(user_id, 35);
    const ways = { select: [polyline] };
    const sport = { select: [{ workout: 'sport_name' }] };
    expect((await ask(user_id, [ways])).status).toBe(200);
    const { status, body } = await ask(user_id, [ways, sport, ways]);
    expect([status, body.code]).toEqual([400, 'too_many_matches']);
    const keys = { select: [{ group_key: '*' }, { func: 'max', arg: polyline }], group_by: [polyline] };
    expect((await ask(user_id, [keys])).status).toBe(400);
  });

  test('are opened up to 16 MiB for all queries together', async () => {
    const { user_id } = await makeUser(app.team);
    await pushWays(user_id, 140);
    const count = { select: [{ func: 'count', arg: polyline }] };
    expect((await ask(user_id, [count])).status).toBe(200);
    const { status, body } = await ask(user_id, [count, count]);
    expect([status, body.code]).toEqual([400, 'too_many_matches']);
  });

  test('count if they are plain too, and the database returns none if there are too many', async () => {
    const { user_id } = await makeUser(app.team);
    for (let first = 0; first < 500; first += 100) {
      const some = Array.from({ length: 100 }, (_, n) =>
        run((first + n) * 2, { app_id: `example.${String(first + n).padStart(192, 'a')}` }),
      );
      expect((await pushSummaries(app.team, user_id, 'workouts', some)).status).toBe(200);
    }
    const sources = { select: [{ workout: 'source_app_id' }, { index: 'workout' }] };
    expect((await ask(user_id, [sources])).status).toBe(200);
    const plan = planOf(sources);
    const ctx = await teamCtx(app.ctx, app.team.id);
    const few = { ...scopeOf(user_id), maxTextBytes: 99_999 };
    const { rows } = await (await querySql(ctx, plan, few, null)).execute(ctx.db);
    expect(rows).toHaveLength(500);
    expect(new Set(rows.flatMap((row) => Object.values(row as object)))).toEqual(new Set([null, 100_000]));
  });

  test('cannot be grouped by the same column twice', async () => {
    const { user_id } = await makeUser(app.team);
    const day = { date_trunc: { unit: 'day' } };
    const query = {
      select: [{ group_key: '*' }, { func: 'count', arg: polyline }],
      group_by: [polyline, day, { ...polyline }, { date_trunc: { unit: 'day', value: 1 } }],
    };
    const { status, body } = await ask(user_id, [query]);
    expect([status, body.detail.map(({ loc }) => loc)]).toEqual([
      422,
      [
        ['body', 'queries', 0, 'group_by', 2],
        ['body', 'queries', 0, 'group_by', 3],
      ],
    ]);
    const apart = [polyline, day, { date_trunc: { unit: 'day', value: 2 } }, { date_part: 'day' }];
    expect((await ask(user_id, [{ ...query, group_by: apart }])).status).toBe(200);
  });
});

test('many texts are opened in steps, and a comparison reads few of them', async () => {
  const { user_id } = await makeUser(app.team);
  for (let first = 0; first < 600; first += 100) {
    const some = Array.from({ length: 100 }, (_, n) => run((first + n) * 2, { title: `Way ${first + n}` }));
    expect((await pushSummaries(app.team, user_id, 'workouts', some)).status).toBe(200);
  }
  const ctx = await teamCtx(app.ctx, app.team.id);
  const opens = vi.spyOn(ctx.cipher, 'openJson');
  const seenByOthers = new Set<number>();
  let isOpened = false;
  const look = (): void => {
    seenByOthers.add(opens.mock.calls.length);
    if (!isOpened) setImmediate(look);
  };
  setImmediate(look);
  const plan = planOf({ select: [{ workout: 'title' }] });
  const opened = await openTexts(ctx, plan, scopeOf(user_id), newByteAllowance());
  isOpened = true;
  expect([opens.mock.calls.length, seenByOthers.has(500)]).toEqual([600, true]);
  opens.mockRestore();

  const compares = vi.spyOn(Buffer, 'compare');
  const titles = Array.from({ length: 600 }, (_, n) => `Way ${n}`).sort();
  const positions = titles.map((title) => opened?.positionsOf(title));
  const steps = compares.mock.calls.length;
  compares.mockRestore();
  expect(positions).toEqual(titles.map((_, position) => ({ from: position, to: position + 1 })));
  expect([opened?.positionsOf('A'), opened?.positionsOf('Way 1a'), opened?.positionsOf('Z')]).toEqual([
    { from: 0, to: 0 },
    { from: titles.indexOf('Way 2'), to: titles.indexOf('Way 2') },
    { from: 600, to: 600 },
  ]);
  expect(steps).toBeLessThanOrEqual(600 * 10);
});
