import { run } from 'graphile-worker';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { query } from '../../test/global-setup.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { workerLogger } from './run-jobs.ts';
import { withRepeatableEnds } from './repeatable-ends.ts';

let app: TestApp;
let pool: pg.Pool;
beforeAll(async () => {
  app = await startTestApp();
  // One connection listens for new jobs. The other one does all the rest.
  pool = new pg.Pool({ connectionString: app.databaseUrl, max: 2, connectionTimeoutMillis: 300 });
  pool.on('error', () => undefined);
});
afterAll(async () => {
  await pool.end();
  await app.close();
});

/** The jobs that the queue still has. */
const left = (): Promise<unknown[]> =>
  query(
    app.databaseUrl,
    `select attempts, locked_at from graphile_worker.jobs where task_identifier = 'takes_the_last_connection'`,
  );

test.each(['succeeded', 'failed'])('a job that %s ends later, if no connection is free at its end', async (how) => {
  let runs = 0;
  const runner = await run({
    pgPool: withRepeatableEnds(pool),
    concurrency: 1,
    noHandleSignals: true,
    pollInterval: 200,
    logger: workerLogger(app.ctx.log),
    taskList: {
      takes_the_last_connection: async () => {
        runs += 1;
        const taken = await pool.connect();
        setTimeout(() => taken.release(), 1000);
        if (how === 'failed') throw new Error('no');
      },
    },
  });
  try {
    await runner.addJob('takes_the_last_connection', {}, { maxAttempts: 1 });
    await expect.poll(() => runs).toBe(1);
    await expect.poll(left).toEqual(how === 'failed' ? [{ attempts: 1, locked_at: null }] : []);
    expect(runs).toBe(1);
  } finally {
    await runner.stop();
  }
});

test('the end of a job is not repeated after the end of the pool', async () => {
  const ended = new pg.Pool({ connectionString: app.databaseUrl });
  const jobs = withRepeatableEnds(ended);
  await ended.end();
  const connected = jobs.connect().then(() => 'connected');
  expect(await Promise.race([connected, new Promise((resolve) => setTimeout(() => resolve('waits'), 50))])).toBe(
    'waits',
  );
});
