// Tests how many rows the search for the next order reads while thousands of orders wait. PostgreSQL's statistics are
// first from a time at which no order waited, and then fresh.
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../../test/test-app.ts';
import { rowsRead } from '../../../../../test/rows-read.ts';
import { nextWaiting, type WaitingMessage } from './take-waiting.ts';

const WAITING = 5_000;
const NOT_YET = "now() + interval '1 hour'";

let app: TestApp;
let client: Client;
beforeAll(async () => {
  app = await startTestApp({}, { poolSize: 1 });
  client = new Client({ connectionString: app.databaseUrl });
  await client.connect();
  await client.query('set session_replication_role = replica');
  const insert = (state: string, from: number, to: number): Promise<unknown> =>
    client.query(
      `insert into laboratory_outbox (user_id, id, order_id, team_id, lab_id, action, state)
       select gen_random_uuid(), lpad(to_hex(n), 32, '0')::uuid, gen_random_uuid(), $1, 1, 'new', $2
         from generate_series($3::integer, $4) n`,
      [app.team.id, state, from, to],
    );
  await insert('accepted', WAITING + 1, 5 * WAITING);
  await client.query('vacuum analyze laboratory_outbox');
  await insert('waiting', 1, WAITING);
  // The oldest order is deferred and not due yet.
  await client.query(
    `update laboratory_outbox set set_aside = true, due_at = ${NOT_YET} where id = lpad('1', 32, '0')::uuid`,
  );
});
afterAll(async () => {
  await client.end();
  await app.close();
});

test.each(['old', 'fresh'])(
  'the oldest due order is found with %s statistics, and fewer than 20 rows are read',
  async (statistics) => {
    if (statistics === 'fresh') await client.query('vacuum analyze laboratory_outbox');
    const next: (WaitingMessage | null)[] = [];
    const read = await rowsRead(app.db, ['laboratory_outbox'], async () => next.push(await nextWaiting(app.ctx, 1)));
    expect(next[0]?.id).toBe('00000000-0000-0000-0000-000000000002');
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(20);
  },
);
