import { sql, type KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { createQuery, runPendingQueries } from '../../test/continuous.ts';
import { makeUser, pushSummaries } from '../../test/factories.ts';
import { teamCtx } from '../../test/team-ctx.ts';
import { untilBlocked } from '../../test/until-blocked.ts';
import { inTransaction } from '../db/transaction.ts';
import { spreadSome } from './aggregate/continuous/runs/spread-query.ts';
import { patchUser } from '../users/patch.ts';
import { askForRuns } from './ask-for-runs.ts';
import type { SampleInputValue } from './timeseries/sample-input.ts';
import { pushSamples } from './timeseries/push-samples.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const today = new Date().toISOString().slice(0, 10);
const heartRate = (value: number) => ({
  resource: 'heartrate',
  provider: 'oura',
  timestamp: `${today}T00:00:00.000Z`,
  unit: 'bpm',
  value,
});
const pushed = (value: number) => [heartRate(value)] as unknown as SampleInputValue[];
const ctxOf = (team: Team) => teamCtx(app.ctx, team.id);
const meanOf = async (team: Team, userId: string, query: string) => {
  const path = `/aggregate/v1/user/${userId}/continuous_query/${query}/result_table`;
  const { body } = await team.api<{ table: Record<string, number[]> }>('GET', path);
  return body.table['mean.heartrate.value'];
};

describe('incoming data', () => {
  test('costs a team without continuous queries one cached look-up and no other statement', async () => {
    const team = await app.makeTeam();
    const { user_id } = await makeUser(team);
    const texts: string[] = [];
    const watch: KyselyPlugin = {
      transformQuery: ({ node }) => {
        texts.push(node.kind);
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const ctx = await ctxOf(team);
    for (let push = 0; push < 3; push += 1) {
      await inTransaction(ctx, (tx) =>
        askForRuns({ ...tx, db: tx.db.withPlugin(watch) }, { id: user_id }, ['heartrate']),
      );
    }
    expect(texts).toEqual(['SelectQueryNode']);
  });

  test('is part of the waiting run, also when its transaction commits after the run has begun', async () => {
    const team = await app.makeTeam();
    const { user_id } = await makeUser(team);
    const { body: query } = await createQuery(team);
    await runPendingQueries(app);
    const ctx = await ctxOf(team);
    await pushSamples(ctx, user_id, pushed(60));
    let running: Promise<void> | undefined;
    await inTransaction(ctx, async (tx) => {
      await pushSamples({ ...ctx, db: tx.db as never }, user_id, pushed(90));
      running = runPendingQueries(app);
      await untilBlocked(app.db);
    });
    await running;
    expect(await meanOf(team, user_id, query.id)).toEqual([90]);
  });

  test('from a provider asks for runs like pushed data', async () => {
    const team = await app.makeTeam();
    const { user_id } = await makeUser(team);
    const { body: query } = await createQuery(team);
    await runPendingQueries(app);
    await team.api('POST', '/v2/link/connect/demo', { user_id, provider: 'oura' });
    await app.runJobs();
    await runPendingQueries(app);
    expect((await meanOf(team, user_id, query.id))?.length).toBeGreaterThan(5);
  });
  test('asks for runs when a sample is deleted at its source', async () => {
    const team = await app.makeTeam();
    const { user_id } = await makeUser(team);
    const { body: query } = await createQuery(team);
    await pushSamples(await ctxOf(team), user_id, pushed(61));
    await runPendingQueries(app);
    expect(await meanOf(team, user_id, query.id)).toEqual([61]);
    const { resource, provider, timestamp } = heartRate(61);
    await team.api('DELETE', `/v2/timeseries/${user_id}/samples`, [{ resource, provider, timestamp }]);
    await runPendingQueries(app);
    // The day of the deleted sample has no samples left. So the result has no row for this day.
    expect(await meanOf(team, user_id, query.id)).toEqual([]);
  });

  test('asks for runs when a summary is deleted at its source', async () => {
    const team = await app.makeTeam();
    const { user_id } = await makeUser(team);
    const sum = { query: { select: [{ func: 'sum', arg: { activity: 'steps' } }] } };
    const { body: query } = await createQuery(team, sum);
    const day = { provider: 'oura', provider_id: 'day-1', calendar_date: today, steps: 4_000 };
    await pushSummaries(team, user_id, 'activity', [day]);
    await runPendingQueries(app);
    const path = `/aggregate/v1/user/${user_id}/continuous_query/${query.id}/result_table`;
    const read = async () => (await team.api<{ table: Record<string, number[]> }>('GET', path)).body.table;
    expect(await read()).toEqual({ 'sum.activity.steps': [4_000] });
    await team.api('DELETE', `/v2/summary/activity/${user_id}`, [{ provider: 'oura', provider_id: 'day-1' }]);
    await runPendingQueries(app);
    expect(await read()).toEqual({ 'sum.activity.steps': [null] });
  });
});

describe('a setting that all runs depend on', () => {
  const waiting = async (team: Team) => {
    const { rows } = await sql<{ runs: number; spreads: number }>`
      select (select count(*)::integer from continuous_query_tasks where team_id = ${team.id}
        and status = 'scheduled') as runs,
             (select count(*)::integer from continuous_queries where team_id = ${team.id}
               and spread_after is not null) as spreads`.execute(app.db);
    return rows[0];
  };
  const choose = async (team: Team, data_type: string, providers: string[]) => {
    const { status } = await team.api('PATCH', '/v2/team/source/priorities', [{ data_type, providers }]);
    expect(status).toBe(200);
  };

  test('the order of providers asks for the runs that follow it', async () => {
    const team = await app.makeTeam();
    const { user_id } = await makeUser(team);
    const { body: query } = await createQuery(team);
    const sum = { title: 'Steps', query: { select: [{ func: 'sum', arg: { activity: 'steps' } }] } };
    await createQuery(team, sum);
    const ctx = await ctxOf(team);
    await pushSamples(ctx, user_id, [heartRate(60), { ...heartRate(90), provider: 'fitbit' }] as never);
    await choose(team, 'timeseries', ['fitbit']);
    await runPendingQueries(app);
    expect(await meanOf(team, user_id, query.id)).toEqual([90]);
    await choose(team, 'timeseries', ['fitbit']);
    await choose(team, 'sleep', ['oura']);
    expect(await waiting(team)).toEqual({ runs: 0, spreads: 0 });
    await choose(team, 'timeseries', ['oura', 'fitbit']);
    expect(await waiting(team)).toEqual({ runs: 0, spreads: 1 });
    await sql`update graphile_worker._private_jobs set run_at = now()
      where run_at < now() + interval '6 seconds'`.execute(app.db);
    await app.runJobs();
    await runPendingQueries(app);
    expect(await meanOf(team, user_id, query.id)).toEqual([60]);
    await choose(team, 'activity', ['oura']);
    expect(await waiting(team)).toEqual({ runs: 0, spreads: 1 });
  });

  test('the time zone of a user asks for the runs of that user', async () => {
    const team = await app.makeTeam();
    const [{ user_id }, other] = [await makeUser(team), await makeUser(team)];
    const byHour = {
      query: {
        select: [{ group_key: '*' }, { func: 'mean', arg: { timeseries: 'heartrate' } }],
        group_by: [{ date_trunc: { unit: 'hour' } }],
      },
    };
    const { body: query } = await createQuery(team, byHour);
    for (const id of [user_id, other.user_id]) await pushSamples(await ctxOf(team), id, pushed(60));
    await runPendingQueries(app);
    const path = `/aggregate/v1/user/${user_id}/continuous_query/${query.id}/result_table`;
    const keys = async () =>
      (await team.api<{ table: Record<string, string[]> }>('GET', path)).body.table['group_key.0'];
    expect(await keys()).toEqual([`${today}T00:00:00`]);
    const move = (zone: string | null) => team.api('PATCH', `/v2/user/${user_id}`, { fallback_time_zone: zone });
    await move('Asia/Tokyo');
    expect(await waiting(team)).toEqual({ runs: 1, spreads: 0 });
    await runPendingQueries(app);
    expect(await keys()).toEqual([`${today}T09:00:00`]);
    await move('Asia/Tokyo');
    await team.api('PATCH', `/v2/user/${user_id}`, { fallback_birth_date: '1990-01-01' });
    expect(await waiting(team)).toEqual({ runs: 0, spreads: 0 });
  });

  test('a run that begins during the change waits for the change', async () => {
    const team = await app.makeTeam();
    const { user_id } = await makeUser(team);
    const { body: query } = await createQuery(team, {
      query: {
        select: [{ func: 'count', arg: { timeseries: 'heartrate' } }, { group_key: '*' }],
        group_by: [{ date_part: 'hour' }],
      },
    });
    await runPendingQueries(app);
    const ctx = await ctxOf(team);
    await pushSamples(ctx, user_id, pushed(60));
    let running: Promise<void> | undefined;
    await inTransaction(ctx, async (tx) => {
      await patchUser({ ...ctx, db: tx.db as never }, user_id, { fallback_time_zone: 'Asia/Tokyo' });
      running = runPendingQueries(app);
      await untilBlocked(app.db);
    });
    await running;
    const path = `/aggregate/v1/user/${user_id}/continuous_query/${query.id}/result_table`;
    const { body } = await team.api<{ table: Record<string, number[]> }>('GET', path);
    expect(body.table['group_key.0']).toEqual([9]);
  });
});

test('a new order of providers adds no row per user, however many users there are', async () => {
  const team = await app.makeTeam();
  await createQuery(team);
  await runPendingQueries(app);
  await sql`
    with made as (
      insert into users (id, team_id, client_user_id)
      select gen_random_uuid(), ${team.id}, n::text from generate_series(1, 1100) as n returning id
    )
    insert into streams (user_id, team_id, resource, provider, source_type)
    select id, ${team.id}, 'heartrate', 'oura', 'ring' from made`.execute(app.db);
  // Creating the query queued a job. This test counts only later jobs.
  await sql`delete from graphile_worker._private_jobs`.execute(app.db);
  const rows = async () => {
    const { rows: counted } = await sql<{ jobs: number; runs: number }>`
      select (select count(*)::integer from graphile_worker._private_jobs) as jobs,
             (select count(*)::integer from continuous_query_tasks where team_id = ${team.id}) as runs`.execute(app.db);
    return counted[0];
  };
  for (const providers of [['oura'], ['fitbit'], ['garmin']])
    await team.api('PATCH', '/v2/team/source/priorities', [{ data_type: 'timeseries', providers }]);
  expect(await rows()).toEqual({ jobs: 1, runs: 0 });
});

test('a new query is spread over the users in steps and takes no more users while very many runs wait', async () => {
  const team = await app.makeTeam();
  await sql`
    with made as (
      insert into users (id, team_id, client_user_id)
      select gen_random_uuid(), ${team.id}, n::text from generate_series(1, 1100) as n returning id
    )
    insert into streams (user_id, team_id, resource, provider, source_type)
    select id, ${team.id}, 'heartrate', 'oura', 'ring' from made`.execute(app.db);
  const { body: query } = await createQuery(team);
  const tasks = async () => {
    const { rows } = await sql`select from continuous_query_tasks where team_id = ${team.id}`.execute(app.db);
    return rows.length;
  };
  const step = async () => {
    await spreadSome(await ctxOf(team), { team_id: team.id, query_id: query.id });
    return tasks();
  };
  expect([await step(), await step(), await step()]).toEqual([500, 1_000, 1_000]);
  await sql`update continuous_query_tasks set status = 'success', ended_at = now()`.execute(app.db);
  expect([await step(), await step()]).toEqual([1_100, 1_100]);
});
