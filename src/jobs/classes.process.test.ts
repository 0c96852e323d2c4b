// No class of background jobs delays another, however many jobs it has. The runner is the same as in the program.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Runner } from 'graphile-worker';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { makeUser } from '../../test/factories.ts';
import { addJobs } from '../db/define-job.ts';
import { openDatabase, type Database } from '../db/open-database.ts';
import { runKind } from '../wearables/ask-for-runs.ts';
import { PROVIDERS } from '../wearables/providers/provider-catalogue.ts';
import { pollKind } from '../wearables/pulls/poll-lease.ts';
import { runJobs } from './run-jobs.ts';

let app: TestApp;
let database: Database;
beforeAll(async () => {
  app = await startTestApp();
  database = openDatabase({ url: app.databaseUrl, poolSize: 6, role: 'phial_app', log: app.ctx.log });
});
afterAll(async () => {
  await database.close();
  await app.close();
});

/** Adds more jobs than can run: runs and polls of users who do not exist end at once. */
function flood(teamId: string): () => Promise<void> {
  let isOver = false;
  const some = () => Array.from({ length: 100 }, () => ({ team_id: teamId, user_id: randomUUID() }));
  const flooding = (async () => {
    while (!isOver) {
      const { rows } = await sql<{ waiting: number }>`
        select count(*)::integer as waiting from graphile_worker._private_jobs
         where locked_at is null and run_at <= now()`.execute(app.db);
      if ((rows[0]?.waiting ?? 0) > 400) await new Promise((resolve) => setTimeout(resolve, 10));
      else
        await app.ctx.db.transaction().execute(async (tx) => {
          const runs = some().map((each) => ({ payload: { ...each, query_id: randomUUID() } }));
          const polls = some().map((each) => ({ payload: { ...each, provider: 'oura' as const } }));
          await addJobs(tx, runKind, runs);
          await addJobs(tx, pollKind, polls);
        });
    }
  })();
  return async () => {
    isOver = true;
    await flooding;
  };
}

test('historical pulls end while continuous queries and polls keep coming', async () => {
  const flooding = await app.makeTeam('Ocotillo');
  const { user_id } = await makeUser(app.team);
  const stops = [flood(flooding.id), flood(app.team.id)];
  const runner: Runner = await runJobs({ ...app.ctx, db: database.db }, database.pool);
  try {
    // Two requests fetch everything of a connection.
    for (const provider of ['freestyle_libre', 'dexcom_v3'])
      await app.team.api('POST', '/v2/link/connect/demo', { user_id, provider });
    await vi.waitFor(async () => {
      const { rows } = await sql<{ status: string }>`select status from pulls where user_id = ${user_id}`.execute(
        app.db,
      );
      expect(rows.map(({ status }) => status)).toEqual(
        [...PROVIDERS.freestyle_libre.resources, ...PROVIDERS.dexcom_v3.resources].map(() => 'success'),
      );
    }, 60_000);
  } finally {
    for (const stop of stops) await stop();
    await runner.stop();
    await vi.waitFor(async () => {
      const { rows } = await sql`select from graphile_worker._private_jobs where locked_at is not null`.execute(app.db);
      expect(rows).toEqual([]);
    }, 10_000);
  }
}, 120_000);
