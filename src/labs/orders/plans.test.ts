// How many rows the statements of orders read in large tables, with stale statistics and with fresh ones.
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { rowsRead } from '../../../test/rows-read.ts';
import { subtractLeavingUsers } from '../../totals/subtract-leaving-users.ts';
import { kitTestId, makeUser, orderKit, readOrder, type OrderBody } from '../../../test/factories.ts';

const ORDERS = 40_000;

let app: TestApp;
let team: Team;
let order: OrderBody;
/** The user who has most of the orders. */
let userOfMany = '018f0000-0000-7000-8000-000000000000';

beforeAll(async () => {
  app = await startTestApp({}, { poolSize: 1 });
  team = app.team;
  // PostgreSQL prepares the statements while the tables are nearly empty. It caches a plan at the sixth call.
  for (let times = 0; times < 6; times += 1) {
    order = await orderKit(team);
    await readOrder(team, order.id);
    for (const query of PAGES) await list(query);
  }
  userOfMany = await fill(team, ORDERS);
  await fill(await app.makeTeam(), 4_000);
}, 300_000);
afterAll(() => app.close());

/** Inserts orders of one user, with one event each. Triggers do not run, unlike when the service inserts orders. */
async function fill(of: Team, orders: number): Promise<string> {
  const { user_id } = await makeUser(of);
  const lab_test_id = await kitTestId(of);
  const client = new Client({ connectionString: app.databaseUrl });
  await client.connect();
  await client.query('set session_replication_role = replica');
  await client.query(
    `insert into order_transactions (user_id, id, team_id)
     select $1, gen_random_uuid(), $2 from generate_series(1, ${orders})`,
    [user_id, of.id],
  );
  await client.query(
    `insert into orders (user_id, id, team_id, order_transaction_id, origin, lab_test_id, details_id, method,
       last_status, last_low_level_status, last_event_id, interpretation)
     select user_id, id, team_id, id, 'initial', $2, id, 'testkit', 'received.testkit.ordered',
       case when random() < 0.001 then 'lost' else 'ordered' end, 1, case when random() < 0.001 then 'critical' end
       from order_transactions where user_id = $1`,
    [user_id, lab_test_id],
  );
  await client.query(
    `insert into order_events (user_id, order_id, team_id, id, status)
     select user_id, id, team_id, 1, 'received.testkit.ordered' from orders where user_id = $1`,
    [user_id],
  );
  await client.query(
    `insert into totals (team_id, list, part, backend, rows)
     select team_id, 'orders', array[last_low_level_status, method, interpretation], -1, count(*)
       from orders where user_id = $1 group by 1, 3`,
    [user_id],
  );
  await client.end();
  return user_id;
}

/** Inserts this many users with one order each. These orders are newer than all other orders. */
async function fillUsers(of: Team, users: number): Promise<void> {
  const lab_test_id = await kitTestId(of);
  const client = new Client({ connectionString: app.databaseUrl });
  await client.connect();
  await client.query('set session_replication_role = replica');
  await client.query(
    `with made as (
       insert into users (id, team_id, client_user_id)
       select overlay(gen_random_uuid()::text placing 'f0000000-0000-7' from 1 for 15)::uuid, $1, 'of plans ' || n
         from generate_series(1, ${users}) as n returning id
     ), begun as (
       insert into order_transactions (user_id, id, team_id) select id, id, $1 from made
     )
     insert into orders (user_id, id, team_id, order_transaction_id, origin, lab_test_id, details_id, method,
       last_status, last_low_level_status, last_event_id)
     select id, id, $1, id, 'initial', $2, id, 'testkit', 'received.testkit.ordered', 'ordered', 1 from made`,
    [of.id, lab_test_id],
  );
  await client.end();
}

type Page = { total: number; orders: OrderBody[] };
const list = async (query: string): Promise<Page> => {
  const { status, body } = await team.api<Page>('GET', `/v3/orders?size=10${query.replace('OF_MANY', userOfMany)}`);
  expect([query, status]).toEqual([query, 200]);
  return body;
};

/** Queries for pages. For each of them, an index has the orders in the sequence of the page. */
const PAGES = [
  '',
  '&page=20',
  '&order_direction=asc',
  '&order_key=last_status',
  '&order_key=last_status&order_direction=asc',
  '&order_key=last_status&status=lost',
  '&order_key=last_status&status=lost,ordered',
  '&order_key=last_status&interpretation=critical',
  '&status=lost',
  '&status=lost&order_direction=asc',
  '&status=lost&interpretation=critical',
  '&interpretation=normal&is_critical=true',
  '&status=lost,ordered',
  '&status=ordered&interpretation=null',
  '&interpretation=critical',
  '&is_critical=true&status=ordered',
  '&is_critical=false',
  '&order_type=testkit',
  '&order_type=walk_in_test,on_site_collection',
  '&order_activation_types=current',
  '&start_date=2020-01-01&status=ordered',
  '&user_id=OF_MANY',
  '&user_id=OF_MANY&status=ordered',
];

const ordersRead = (work: () => Promise<unknown>): Promise<number> =>
  rowsRead(app.db, ['orders', 'order_events'], work);

describe.each(['stale', 'fresh'])('with %s statistics', (statistics) => {
  beforeAll(async () => {
    if (statistics === 'stale') return;
    const client = new Client({ connectionString: app.databaseUrl });
    await client.connect();
    await client.query('vacuum analyze orders, order_events');
    await client.end();
  });

  test.each(PAGES)('a page of%s reads few rows besides its orders', async (query) => {
    const total = await list(query);
    const counted = await ordersRead(() => list(`${query.replace('&page=20', '')}&page=1000000`));
    const read = await ordersRead(() => list(query));
    expect(total.orders.length).toBe(Math.min(10, total.total));
    expect(read - counted).toBeLessThan(1_000);
    // If no total is stored for the filters, the service counts the orders one by one.
    expect(counted).toBeLessThan(/user_id|date|activation/.test(query) ? total.total * 1.1 + 1_000 : 1_000);
  });

  test('an order is created, read and cancelled without reading others', async () => {
    const read = await ordersRead(async () => {
      const made = await orderKit(team, order.user_id);
      await readOrder(team, made.id);
      await team.api('POST', `/v3/order/${made.id}/cancel`);
    });
    expect(read).toBeLessThan(200);
  });

  test('a window to send again reads only events of orders that were created by its end', async () => {
    const { created_at } = order.events[0] as OrderBody['events'][number];
    const window = { start_at: created_at, end_at: created_at };
    const found: string[][] = [];
    const read = await ordersRead(async () => {
      const { body } = await team.api<{ order_ids: string[] }>('POST', '/v3/order/resend_events', window);
      found.push(body.order_ids);
    });
    expect(found).toEqual([[order.id]]);
    // The statement reads the orders that changed since the start of the window, and almost no events.
    expect(read).toBeLessThan(ORDERS * 1.2);
  });
});

describe('a page of 40,000 orders', () => {
  test('reads only the users of its orders, although the statistics know none of them', async () => {
    await fillUsers(team, 10_000);
    await list('');
    const read = await rowsRead(app.db, ['orders', 'users'], async () => {
      for (const query of [
        '',
        '&status=lost',
        '&status=lost,ordered',
        '&interpretation=critical',
        '&order_type=testkit',
      ])
        expect((await list(query)).orders.length).toBe(10);
    });
    expect(read).toBeLessThan(1_000);
  });

  test('is counted without reading the users who are scheduled for deletion, after the job has run', async () => {
    await sql`
      update users set deleted_at = now() - interval '2 minutes' where id in (
        select id from users where team_id = ${team.id} order by id desc limit 3000)`.execute(app.db);
    // This page is after the last one and thus empty. So the service reads all rows for the total.
    const readForTotal = () => rowsRead(app.db, ['orders', 'users'], () => list('&page=1000000'));
    expect(await readForTotal()).toBeGreaterThan(3_000);
    await subtractLeavingUsers(app.ctx);
    // While another snapshot is open, for example of an automatic analyze, the index also has the old rows.
    await expect.poll(readForTotal).toBeLessThan(100);
    // A new order and its new status change the stored totals, and few rows are read for that.
    const changed = rowsRead(app.db, ['orders', 'users'], async () => {
      const { id } = await orderKit(team, order.user_id);
      await team.api('POST', `/v3/order/${id}/cancel`);
    });
    expect(await changed).toBeLessThan(200);
    await sql`update users set deleted_at = null where team_id = ${team.id}`.execute(app.db);
  });

  test('has the newest orders, and all are counted', async () => {
    const page = await list('');
    expect(page.orders.length).toBe(10);
    expect(page.total).toBeGreaterThan(ORDERS);
  });

  test('with filters that indexes serve is found without reading the others', async () => {
    const queries = [
      '&status=lost',
      '&interpretation=critical',
      '&is_critical=true',
      '&start_date=2020-01-01&end_date=2020-01-02',
      '&updated_start_date=2020-01-01&updated_end_date=2020-01-02',
      '&patient_name=Nobody',
      '&search_input=018f0000-0000-7000-8000-000000000000',
      '&search_input=Nobody%20Here',
      '&search_input=2000-01-01',
      '&shipping_recipient_name=Nobody',
      '&order_type=on_site_collection',
      '&order_activation_types=scheduled',
      '&is_overdue=true',
      '&order_transaction_id=018f0000-0000-7000-8000-000000000000',
      '&order_ids=018f0000-0000-7000-8000-000000000000',
      '&user_id=018f0000-0000-7000-8000-000000000000',
    ];
    const found: number[] = [];
    const read = await ordersRead(async () => {
      for (const query of queries) found.push((await list(query)).total);
    });
    expect(found[0]).toBeGreaterThan(0);
    expect(read).toBeLessThan(20_000);
  });
});
