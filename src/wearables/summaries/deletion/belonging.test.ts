// Any number of cycles can belong to a sleep. Deleting or erasing them must not delay other requests.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { makeUser, pushSummaries } from '../../../../test/factories.ts';
import { longestStall } from '../../../../test/longest-stall.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { findTeamScopeOrNull, forTeam } from '../../../tenancy/teams/team-scope.ts';
import type { TeamCtx } from '../../../context.ts';
import { eraseSomeOfProvider } from '../erase.ts';

let app: TestApp;
let team: Team;
let user_id: string;
let sleep_id: string;
let cycle: object;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
  ({ user_id } = await makeUser(team));
  const source = { provider: 'oura', source_type: 'ring' };
  const session = ['2026-01-05T01:00:00Z', '2026-01-05T09:00:00Z'];
  const times = { duration: 28_800, total: 28_800, awake: 0, light: 28_800, rem: 0, deep: 0 };
  const { body } = await pushSummaries(team, user_id, 'sleep', [
    { ...source, bedtime_start: session[0], bedtime_stop: session[1], ...times },
  ]);
  sleep_id = body.items[0]?.id as string;
  cycle = {
    ...source,
    sleep_id,
    session_start: session[0],
    session_end: session[1],
    stage_start_offset_second: [0],
    stage_end_offset_second: [60],
    stage_type: [2],
  };
  await pushSummaries(team, user_id, 'sleep_cycle', [cycle]);
});

/** Stores `many` copies of the sleep cycle. It writes to the database, since the API limits the cycles of a sleep. */
const copies = (many: number) =>
  sql`
    insert into summaries (user_id, id, team_id, resource, provider, source_type, key, calendar_date, start_at, end_at,
                           values, raw, content_hash, raw_hash)
    select user_id, gen_random_uuid(), team_id, resource, provider, source_type, 'copy ' || n, calendar_date, start_at,
      end_at,
           values, raw, content_hash, raw_hash
      from summaries cross join generate_series(1, ${many}::integer) as n
     where user_id = ${user_id} and resource = 'sleep_cycle'`.execute(app.db);
const left = async (): Promise<number> => {
  const { rows } = await sql`select from summaries where user_id = ${user_id}`.execute(app.db);
  return rows.length;
};
const remove = (path: string, ...deletions: object[]) =>
  team.api<{ deleted: number; code: string }>('DELETE', `/v2/summary/${path}/${user_id}`, deletions);

test('a sleep is deleted with 10,000 cycles without delaying other requests, and refused with more', async () => {
  await copies(10_000);
  const refused = await remove('sleep', { id: sleep_id });
  expect([refused.status, refused.body.code, await left()]).toEqual([400, 'too_many_matches', 10_002]);
  const [{ id }] = (
    await sql<{
      id: string;
    }>`select id from summaries where user_id = ${user_id} and resource = 'sleep_cycle' limit 1`.execute(app.db)
  ).rows as [{ id: string }];
  expect((await remove('sleep_cycle', { id })).body.deleted).toBe(1);
  const stall = await longestStall(async () => {
    expect((await remove('sleep', { id: sleep_id })).body.deleted).toBe(1);
  });
  expect(await left()).toBe(0);
  // The time counts all threads of the process. If one transaction deletes all cycles, it is 1.7 s.
  expect(stall).toBeLessThan(400);
  const { rows } = await sql`select from events where event_type = 'daily.data.sleep_cycle.deleted'`.execute(app.db);
  expect(rows.length).toBe(10_001);
});

test('the data of a provider is erased with all cycles, some hundreds in a step', async () => {
  await copies(3_000);
  const scope = (await findTeamScopeOrNull(app.ctx, team.id)) as TeamCtx['team'];
  const step = (): Promise<boolean> =>
    inTransaction(forTeam(app.ctx, scope), (tx) =>
      eraseSomeOfProvider(tx, { id: user_id, client_user_id: 'x' }, 'oura'),
    );
  const stall = await longestStall(async () => {
    expect(await step()).toBe(true);
    expect(await left()).toBeGreaterThanOrEqual(3_002 - 500);
    while (await step());
  });
  expect(await left()).toBe(0);
  // The time counts all threads of the process. If one transaction deletes all cycles, it is 1.7 s.
  expect(stall).toBeLessThan(400);
});

test('a sleep has at most 2,000 pushed cycles', async () => {
  await copies(1_998);
  const at = (minute: number) => ({ ...cycle, session_start: `2026-01-05T01:${minute}:00Z` });
  expect((await pushSummaries(team, user_id, 'sleep_cycle', [at(10)])).status).toBe(200);
  const refused = await team.api<{ code: string }>('POST', `/v2/summary/sleep_cycle/${user_id}`, [at(11)]);
  expect([refused.status, refused.body.code, await left()]).toEqual([403, 'limit_reached', 2_001]);
  expect((await pushSummaries(team, user_id, 'sleep_cycle', [at(10)])).body.unchanged).toBe(1);
});
