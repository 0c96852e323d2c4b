// What the look-up of a result's order reads among many numbers: by statistics as stale as they can be and by fresh ones.
import { Client } from 'pg';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../../test/app.ts';
import { orderNumber } from '../messages/order-number.ts';
import type { ReadResult } from '../messages/read-result.ts';
import { findOrder, type MatchedOrder } from './find-order.ts';

const NUMBERS = 20_000;

let app: TestApp;
let client: Client;
beforeAll(async () => {
  // A connection tells PostgreSQL what it read when it is asked to: one, so that it is the one that is asked.
  app = await startTestApp({}, { poolSize: 1 });
  client = new Client({ connectionString: app.databaseUrl });
  await client.connect();
  await client.query('set session_replication_role = replica');
  await client.query(
    `with made as (
       insert into order_numbers (user_id, order_id, team_id, lab_id, number, account_number, filler_number)
       select gen_random_uuid(), gen_random_uuid(), $1, 1, number, 'ACC-1', 'F' || n
         from unnest($2::text[]) with ordinality as numbers (number, n) returning *)
     insert into sample_ids (sample_id, team_id, order_id) select 'S' || filler_number, team_id, order_id from made`,
    [app.team.id, Array.from({ length: NUMBERS }, (_, n) => orderNumber(BigInt(n + 1)))],
  );
});
afterAll(async () => {
  await client.end();
  await app.close();
});

async function rowsRead(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(app.db);
  await sql`select pg_stat_clear_snapshot()`.execute(app.db);
  const { rows } = await sql<{ rows: number }>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows from pg_stat_user_tables
     where relname in ('order_numbers', 'sample_ids')`.execute(app.db);
  return rows[0]?.rows ?? NaN;
}

const NUMBER = orderNumber(777n);
const find = (told: Partial<ReadResult>): Promise<MatchedOrder> =>
  app.db.transaction().execute((tx) => findOrder(tx, 1, { ...none, ...told } as ReadResult));
const none = { placerNumbers: [], fillerNumbers: [], sampleIds: [], account: '' };
describe.each(['stale', 'fresh'])('with %s statistics', (statistics) => {
  beforeAll(async () => {
    if (statistics === 'fresh') await client.query('vacuum analyze order_numbers, sample_ids');
  });

  test.each([
    ['the number of ours', { placerNumbers: [NUMBER] }],
    ['its own number', { fillerNumbers: ['F777'] }],
    ['the sample', { sampleIds: ['sf777'] }],
    ['all three', { placerNumbers: [NUMBER], fillerNumbers: ['F777'], sampleIds: ['SF777'] }],
  ])('an order is found by %s, and no other is read', async (_by, told) => {
    const before = await rowsRead();
    const found = await find(told);
    const read = (await rowsRead()) - before;
    expect(found.filler_number).toBe('F777');
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThanOrEqual(10);
  });

  test('numbers of two orders find none', async () => {
    await expect(find({ placerNumbers: [NUMBER], sampleIds: ['SF778'] })).rejects.toMatchObject({
      code: 'several_orders',
    });
  });
});
