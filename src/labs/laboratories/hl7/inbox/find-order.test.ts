// Tests how many rows the search for the order of a result reads among many numbers, with stale and fresh statistics.
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../../test/test-app.ts';
import { rowsRead } from '../../../../../test/rows-read.ts';
import { orderNumber } from '../messages/order-number.ts';
import type { ReadResult } from '../messages/read-result.ts';
import { findOrder, type MatchedOrder } from './find-order.ts';

const NUMBERS = 20_000;
const TABLES = ['order_numbers', 'laboratory_numbers', 'sample_ids'];

let app: TestApp;
let client: Client;
beforeAll(async () => {
  app = await startTestApp({}, { poolSize: 1 });
  client = new Client({ connectionString: app.databaseUrl });
  await client.connect();
  await client.query('set session_replication_role = replica');
  await client.query(
    `with made as (
       insert into order_numbers (user_id, order_id, team_id, lab_id, number, account_number)
       select gen_random_uuid(), lpad(n::text, 32, '0')::uuid, $1, 1, number, 'ACC-1'
         from unnest($2::text[]) with ordinality as numbers (number, n)
         returning *, right(order_id::text, 5)::integer as n
     ), reported as (
       insert into laboratory_numbers (user_id, order_id, team_id, lab_id, kind, number)
       select user_id, order_id, team_id, 1, kind, substr(upper(kind), 1, 1) || n || test
         from made, (values ('filler'), ('accession')) kinds (kind), (values (''), ('-2')) tests (test))
     insert into sample_ids (sample_id, team_id, order_id) select 'S' || n, team_id, order_id from made`,
    [app.team.id, Array.from({ length: NUMBERS }, (_, n) => orderNumber(BigInt(n + 1)))],
  );
});
afterAll(async () => {
  await client.end();
  await app.close();
});

const NUMBER = orderNumber(777n);
const find = (numbers: Partial<ReadResult>): Promise<MatchedOrder> =>
  app.db.transaction().execute((tx) => findOrder(tx, 1, { ...none, ...numbers } as ReadResult));
const none = { placerNumbers: [], fillerNumbers: [], sampleIds: [], accessionNumbers: [], account: '' };
describe.each(['stale', 'fresh'])('with %s statistics', (statistics) => {
  beforeAll(async () => {
    if (statistics === 'fresh') await client.query('vacuum analyze order_numbers, laboratory_numbers, sample_ids');
  });

  test.each([
    ['our number', { placerNumbers: [NUMBER] }],
    ["the laboratory's number", { fillerNumbers: ['F777'] }],
    ["the laboratory's number of another test", { fillerNumbers: ['F777-2'] }],
    ['the sample id', { sampleIds: ['s777'] }],
    ['the accession number', { accessionNumbers: ['A777'] }],
    [
      'all four',
      { placerNumbers: [NUMBER], fillerNumbers: ['F777'], sampleIds: ['S777'], accessionNumbers: ['A777', 'A777-2'] },
    ],
  ])('an order is found by %s, and at most 20 rows are read', async (_by, numbers) => {
    const found: MatchedOrder[] = [];
    const read = await rowsRead(app.db, TABLES, async () => found.push(await find(numbers)));
    expect(found[0]?.order_id).toMatch(/-0*777$/);
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThanOrEqual(20);
  });

  test.each([
    ['our number and the sample id', { placerNumbers: [NUMBER], sampleIds: ['S778'] }],
    ["the laboratory's number and the sample id", { fillerNumbers: ['F777'], sampleIds: ['S778'] }],
    ['two accession numbers', { accessionNumbers: ['A777', 'A778'] }],
  ])('numbers of two orders find no order: %s', async (_, numbers) => {
    await expect(find(numbers)).rejects.toMatchObject({ code: 'several_orders' });
  });

  test('a number that the laboratory reused does not count next to our number', async () => {
    const { order_id } = await find({ placerNumbers: [NUMBER], fillerNumbers: ['F778'], accessionNumbers: ['A779'] });
    expect(order_id).toMatch(/-0*777$/);
  });

  test.each([
    ['the number of the laboratory', { fillerNumbers: ['F777'] }],
    ['the sample id', { sampleIds: ['S777'] }],
    ['the accession number', { accessionNumbers: ['A777'] }],
  ])('a number of our form that was not issued finds no order, also beside %s of one', async (_, numbers) => {
    const placerNumbers = [orderNumber(BigInt(NUMBERS + 1))];
    await expect(find({ placerNumbers, ...numbers })).rejects.toMatchObject({ code: 'unknown_number' });
  });
});
