// PostgreSQL caches the plan of a prepared statement after a few runs. Here it caches the plans while the table of
// retries is empty. They must stay fast when the table is large.
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { steps } from '../../test/invented-events.ts';
import { subscribe } from '../../test/factories.ts';
import { publishTo } from '../../test/publish-event.ts';
import { startEndpoint, type Endpoint } from '../../test/endpoint.ts';

const NOT_DUE = 20_000;

let app: TestApp;
let endpoint: Endpoint;
let owner: Client;
beforeAll(async () => {
  app = await startTestApp();
  endpoint = await startEndpoint({ invented: true });
  owner = new Client({ connectionString: app.databaseUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await app.close();
  await endpoint.close();
});

const deliver = async (events: number): Promise<void> => {
  for (let n = 0; n < events; n += 1) await publishTo(app, app.team, steps, {});
  await app.deliver();
};

test('outcomes are written without reading all retries, with plans from when there were none', async () => {
  await owner.query('alter table retries set (autovacuum_enabled = false)');
  const webhook = await subscribe(app.team, endpoint);
  for (let round = 0; round < 10; round += 1) await deliver(5);
  await owner.query(
    `insert into retries (webhook_id, event_id, team_id, attempt, due_at)
     select $1, gen_random_uuid(), $2, 3, now() + interval '1 hour' from generate_series(1, ${NOT_DUE})`,
    [webhook, app.team.id],
  );
  const received = endpoint.received.length;
  for (let round = 0; round < 5; round += 1) await deliver(5);
  expect(endpoint.received.length - received).toBe(25);
  // We end the other connections, because a connection reports all its reads only when it ends.
  await owner.query(
    'select pg_terminate_backend(pid, 5000) from pg_stat_activity ' +
      'where datname = current_database() and pid <> pg_backend_pid()',
  );
  const { rows } = await owner.query<{ read: number }>(
    `select (seq_tup_read + idx_tup_fetch)::float8 as read from pg_stat_user_tables where relname = 'retries'`,
  );
  // The number is not 0, because the worker reads a few retries whenever it reads the queue.
  expect(rows[0]?.read).toBeLessThan(NOT_DUE / 4);
});
