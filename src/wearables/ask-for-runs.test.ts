import { sql, type KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/app.ts';
import { createQuery, settleQueries } from '../../test/continuous.ts';
import { makeUser, pushSummaries } from '../../test/factories.ts';
import { teamCtx } from '../../test/team-ctx.ts';
import { untilBlocked } from '../../test/until-blocked.ts';
import { inTransaction } from '../db/transaction.ts';
import { spreadSome } from './aggregate/continuous/runs/spread.ts';
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

describe('what comes in', () => {
  test('costs a team without continuous queries one look-up in a while, and no statement else', async () => {
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

  test('is computed with by the run that waits, also where it is committed after that begins', async () => {
    const team = await app.makeTeam();
    const { user_id } = await makeUser(team);
    const { body: query } = await createQuery(team);
    await settleQueries(app);
    const ctx = await ctxOf(team);
    await pushSamples(ctx, user_id, pushed(60));
    let running: Promise<void> | undefined;
    await inTransaction(ctx, async (tx) => {
      await pushSamples({ ...ctx, db: tx.db as never }, user_id, pushed(90));
      running = settleQueries(app);
      await untilBlocked(app.db);
    });
    await running;
    expect(await meanOf(team, user_id, query.id)).toEqual([90]);
  });

  test('from a provider asks as what is pushed does', async () => {
    const team = await app.makeTeam();
    const { user_id } = await makeUser(team);
    const { body: query } = await createQuery(team);
    await settleQueries(app);
    await team.api('POST', '/v2/link/connect/demo', { user_id, provider: 'oura' });
    await app.runJobs();
    await settleQueries(app);
    expect((await meanOf(team, user_id, query.id))?.length).toBeGreaterThan(5);
  });
  test('asks also where a sample is deleted at its source', async () => {
    const team = await app.makeTeam();
    const { user_id } = await makeUser(team);
    const { body: query } = await createQuery(team);
    await pushSamples(await ctxOf(team), user_id, pushed(61));
    await settleQueries(app);
    expect(await meanOf(team, user_id, query.id)).toEqual([61]);
    const { resource, provider, timestamp } = heartRate(61);
    await team.api('DELETE', `/v2/timeseries/${user_id}/samples`, [{ resource, provider, timestamp }]);
    await settleQueries(app);
    // Its day has no samples any more, and so no row.
    expect(await meanOf(team, user_id, query.id)).toEqual([]);
  });

  test('asks also where a summary is deleted at its source', async () => {
    const team = await app.makeTeam();
    const { user_id } = await makeUser(team);
    const sum = { query: { select: [{ func: 'sum', arg: { activity: 'steps' } }] } };
    const { body: query } = await createQuery(team, sum);
    const day = { provider: 'oura', provider_id: 'day-1', calendar_date: today, steps: 4_000 };
    await pushSummaries(team, user_id, 'activity', [day]);
    await settleQueries(app);
    const path = `/aggregate/v1/user/${user_id}/continuous_query/${query.id}/result_table`;
    const read = async () => (await team.api<{ table: Record<string, number[]> }>('GET', path)).body.table;
    expect(await read()).toEqual({ 'sum.activity.steps': [4_000] });
    await team.api('DELETE', `/v2/summary/activity/${user_id}`, [{ provider: 'oura', provider_id: 'day-1' }]);
    await settleQueries(app);
    expect(await read()).toEqual({ 'sum.activity.steps': [null] });
  });
});

test('a new query is spread over the users in steps, and takes none while very many runs wait', async () => {
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
