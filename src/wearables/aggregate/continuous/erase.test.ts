import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { createQuery, queriesPath, runPendingQueries } from '../../../../test/continuous.ts';
import { makeUser } from '../../../../test/factories.ts';
import { teamCtx } from '../../../../test/team-ctx.ts';
import { untilBlocked } from '../../../../test/until-blocked.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { askForRuns } from '../../ask-for-runs.ts';
import { eraseQuery } from './erase.ts';
import { resumeRuns } from './runs/resume-runs.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

async function queryOfATeam() {
  const team = await app.makeTeam();
  const { user_id } = await makeUser(team);
  const { body: query } = await createQuery(team);
  await runPendingQueries(app);
  return { team, user_id, query, ctx: await teamCtx(app.ctx, team.id) };
}
const deleteQuery = (team: Team, id: string) => team.api('DELETE', `${queriesPath(team)}/${id}`);
const rowsOf = async (queryId: string): Promise<number> => {
  const { rows } = await sql`
    select from continuous_queries where id = ${queryId}
    union all select from continuous_query_tasks where query_id = ${queryId}`.execute(app.db);
  return rows.length;
};

test('a query is erased with runs that a transaction scheduled after it found the query', async () => {
  const { team, user_id, query, ctx } = await queryOfATeam();
  let erasing: Promise<void> | undefined;
  await inTransaction(ctx, async (tx) => {
    await askForRuns(tx, { id: user_id }, ['heartrate']);
    await deleteQuery(team, query.id);
    erasing = eraseQuery(ctx, { team_id: team.id, query_id: query.id });
    await untilBlocked(app.db);
  });
  await erasing;
  expect(await rowsOf(query.id)).toBe(0);
});

/** Erases the query. `meanwhile` begins before the commit and has to wait for it. */
async function whileErased(queryId: string, meanwhile: () => Promise<unknown>): Promise<void> {
  let waiting: Promise<unknown> | undefined;
  await inTransaction({ ...app.ctx, db: app.db }, async ({ db }) => {
    await sql`delete from continuous_query_results where query_id = ${queryId}`.execute(db);
    await sql`delete from continuous_queries where id = ${queryId}`.execute(db);
    waiting = meanwhile();
    await untilBlocked(app.db);
  });
  await waiting;
}

test('data that comes in while a query is erased is stored and schedules no run', async () => {
  const { team, user_id, query } = await queryOfATeam();
  const sample = { resource: 'heartrate', provider: 'oura', timestamp: '2026-01-05T00:00:00Z', unit: 'bpm', value: 60 };
  await whileErased(query.id, async () => {
    const { status } = await team.api('POST', `/v2/timeseries/${user_id}/samples`, [sample]);
    expect(status).toBe(200);
  });
  expect(await rowsOf(query.id)).toBe(0);
});

test('an interrupted run of a deleted query is not scheduled again', async () => {
  const { team, user_id, query, ctx } = await queryOfATeam();
  await inTransaction(ctx, (tx) => askForRuns(tx, { id: user_id }, ['heartrate']));
  await sql`update continuous_query_tasks set status = 'in_progress', started_at = now() - interval '1 hour'`.execute(
    app.db,
  );
  await deleteQuery(team, query.id);
  await resumeRuns(app.ctx);
  const { rows } = await sql`
    select status from continuous_query_tasks where query_id = ${query.id} order by number`.execute(app.db);
  expect(rows).toEqual([{ status: 'failure' }]);
});
