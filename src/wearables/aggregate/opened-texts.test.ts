import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { makeUser, pushSummaries } from '../../../test/factories.ts';
import { teamCtx } from '../../../test/team-ctx.ts';
import { openTexts } from './opened-texts.ts';
import { querySql } from './query-sql.ts';
import { planOf } from './read-query.ts';
import type { QueryScope } from './scope.ts';

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

test('a text that is kept sealed is no part of a statement and none of its parameters', async () => {
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
  const scope: QueryScope = {
    userId,
    teamId: app.team.id,
    from: '2026-01-05',
    until: '2026-01-06',
    window: null,
    timeZone: 'UTC',
    weekStartsOn: 'monday',
    providers: [],
    limit: 100,
  };
  const opened = await openTexts(ctx, plan, scope);
  const statement = (await querySql(ctx, plan, scope, opened)).compile(ctx.db);
  expect(JSON.stringify([statement.sql, statement.parameters])).not.toMatch(/hill|sea/);
  expect([opened?.textAt(0), opened?.textAt(1)]).toEqual(['Round the hill', 'To the sea']);
});

test('more than 16 MiB of them are refused before they are read', async () => {
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
