import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { cloneDatabase, databaseUrl, query } from '../../../../test/global-setup.ts';
import type { CollectionMethod, OrderStatus } from './statuses.ts';
import { COLLECTION_METHODS, fullStatus, statusesOf } from './statuses.ts';
import type { OrderProgress } from './status-rules.ts';
import { next, start } from './status-rules.ts';

const DATABASE = `test_${randomUUID().replaceAll('-', '')}`;
const TEAM = randomUUID();
const USER = randomUUID();
const OTHER_USER = randomUUID();
const LAB_TEST = randomUUID();
const EVERY_STATUS = COLLECTION_METHODS.flatMap((method) => statusesOf(method).map((low) => fullStatus(method, low)));

let client: Client;

beforeAll(async () => {
  await cloneDatabase(inject('serverUrl'), DATABASE, inject('template'));
  client = new Client({ connectionString: databaseUrl(inject('serverUrl'), DATABASE) });
  await client.connect();
  const org = randomUUID();
  await client.query('insert into orgs (id, name, plan) values ($1, $2, $3)', [org, 'Desert Health', 'scale']);
  await client.query('insert into teams (id, org_id, name) values ($1, $2, $3)', [TEAM, org, 'Desert Health']);
  await client.query(
    `insert into lab_tests (id, team_id, slug, name, description, sample_type, method, lab_id, price, status)
     select $1, $2, 'kit', 'Kit', 'A kit', 'saliva', 'testkit', min(id), 0, 'active' from labs`,
    [LAB_TEST, TEAM],
  );
  for (const user of [USER, OTHER_USER]) {
    await client.query('insert into users (id, team_id, client_user_id) values ($1, $2, $3)', [user, TEAM, user]);
  }
  await client.query('set role phial_app');
  await client.query(`set phial.team = '${TEAM}'`);
  await client.query(ALLOWED_NEXT);
});

afterAll(async () => {
  await client?.end();
  await query(inject('serverUrl'), `drop database if exists ${DATABASE} with (force)`);
});

async function makeOrder(method: CollectionMethod): Promise<string> {
  const id = randomUUID();
  await client.query('insert into order_transactions (user_id, id, team_id) values ($1, $2, $3)', [USER, id, TEAM]);
  await client.query(
    `insert into orders (user_id, id, team_id, order_transaction_id, origin, lab_test_id, details_id, method,
                         last_status, last_low_level_status)
     values ($1, $2, $3, $2, 'initial', $4, $2, $5, '', '')`,
    [USER, id, TEAM, LAB_TEST, method],
  );
  return id;
}

async function append(
  order: string,
  id: number | null,
  status: string,
): Promise<{ leg: string; registration: string }> {
  const { rows } = await client.query(
    `insert into order_events (user_id, order_id, team_id, id, status, leg, registration)
     values ($1, $2, $3, $4, $5, 'nonsense', 'nonsense') returning leg, registration`,
    [USER, order, TEAM, id, status],
  );
  return rows[0];
}

async function makeOrderWith(method: CollectionMethod, statuses: readonly string[]): Promise<string> {
  const order = await makeOrder(method);
  for (const [index, status] of statuses.entries()) await append(order, index + 1, status);
  return order;
}

type Way = { events: OrderStatus[]; progress: OrderProgress };
type Allowed = { status: string; leg: string; registration: string };

// An SQL function that tries each candidate as the next event of an order, and undoes the insert. It returns the
// candidates that the database accepts.
const ALLOWED_NEXT = `
  create function pg_temp.allowed_next(
    of_user uuid, of_order uuid, of_team uuid, next_id integer, candidates text[]
  ) returns table (status text, leg text, registration text) language plpgsql as $$
  begin
    foreach allowed_next.status in array candidates loop
      begin
        insert into public.order_events as e (user_id, order_id, team_id, id, status)
          values (of_user, of_order, of_team, next_id, allowed_next.status)
          returning e.leg, e.registration into allowed_next.leg, allowed_next.registration;
        raise exception using errcode = 'UNDO1';
      exception
        when check_violation then continue;
        when sqlstate 'UNDO1' then return next;
      end;
    end loop;
  end $$`;

/** Returns every state that an order of this method can have, with the shortest list of events that leads to it. */
function everyWayIn(method: CollectionMethod): Way[] {
  const found = new Map<string, Way>();
  const waiting: Way[] = [{ events: [], progress: start(method) }];
  for (const way of waiting) {
    const key = JSON.stringify(way.progress);
    if (found.has(key)) continue;
    found.set(key, way);
    for (const step of next(way.progress)) {
      waiting.push({ events: [...way.events, fullStatus(method, step.status)], progress: step.progress });
    }
  }
  return [...found.values()];
}

const WAITING_AND_SENT = [
  'received.testkit.ordered',
  'received.testkit.awaiting_registration',
  'collecting_sample.testkit.transit_customer',
];

describe('the database', () => {
  test.each(COLLECTION_METHODS)(
    'allows for %s orders exactly the statuses that the table allows, from every state',
    async (method) => {
      for (const { events, progress } of everyWayIn(method)) {
        const order = await makeOrderWith(method, events);
        const { rows } = await client.query<Allowed>(
          'select * from pg_temp.allowed_next($1, $2, $3, $4, $5) order by status collate "C"',
          [USER, order, TEAM, events.length + 1, EVERY_STATUS],
        );
        const allowed = next(progress).map((step) => ({
          status: fullStatus(method, step.status),
          leg: step.progress.leg ?? '',
          registration: step.progress.registration,
        }));
        expect([events, rows]).toEqual([events, allowed.toSorted((a, b) => (a.status < b.status ? -1 : 1))]);
      }
    },
  );

  test('has a rule that leads to every status of every method', async () => {
    const { rows } = await client.query<{ to_status: string }>('select distinct to_status from order_status_rules');
    expect(rows.map((row) => row.to_status).toSorted()).toEqual(EVERY_STATUS.toSorted());
  });

  test('names both statuses when it refuses one', async () => {
    const order = await makeOrderWith('testkit', WAITING_AND_SENT);
    await expect(append(order, 4, 'collecting_sample.testkit.transit_lab')).rejects.toMatchObject({
      code: '23514',
      table: 'order_events',
      constraint: 'order_events_follow_rules',
      message:
        'status collecting_sample.testkit.transit_lab may not follow collecting_sample.testkit.transit_customer ' +
        "(leg 'transit_customer', registration 'awaiting')",
    });
  });

  test.each([
    'ordered',
    'completed.testkit.ordered',
    'received.testkit.registered',
    'received.testkit.awaiting_registration',
    '',
  ])('refuses "%s" as the first status', async (status) => {
    const order = await makeOrder('testkit');
    await expect(append(order, 1, status)).rejects.toMatchObject({ constraint: 'order_events_follow_rules' });
  });

  test('refuses a status of another collection method than that of the order', async () => {
    const order = await makeOrder('testkit');
    await expect(append(order, 1, 'received.walk_in_test.ordered')).rejects.toMatchObject({
      code: '23514',
      constraint: 'order_events_of_method',
    });
  });

  test.each([2, 0, -1, null])('refuses %s as the id of the first event', async (id) => {
    const order = await makeOrder('testkit');
    await expect(append(order, id, 'received.testkit.ordered')).rejects.toMatchObject({
      code: '23514',
      constraint: 'order_events_in_sequence',
    });
  });

  test.each([3, 5])('refuses %s as the id after 3', async (id) => {
    const order = await makeOrderWith('testkit', WAITING_AND_SENT);
    await expect(append(order, id, 'collecting_sample.testkit.out_for_delivery')).rejects.toMatchObject({
      code: expect.stringMatching(/^23/),
    });
  });

  test('checks each of several events of one statement against the one before it', async () => {
    const insert = `
      with added as (
        insert into order_events (user_id, order_id, team_id, id, status)
        select $1, $2, $3, position, status from unnest($4::text[]) with ordinality as new (status, position)
        order by position returning id
      ) select count(*)::int as added from added`;
    const order = await makeOrder('testkit');
    const { rows } = await client.query(insert, [USER, order, TEAM, WAITING_AND_SENT]);
    expect(rows).toEqual([{ added: 3 }]);

    const second = await makeOrder('testkit');
    const forbidden = [WAITING_AND_SENT[0], 'sample_with_lab.testkit.delivered_to_lab'];
    await expect(client.query(insert, [USER, second, TEAM, forbidden])).rejects.toMatchObject({ code: '23514' });
    const left = await client.query('select from order_events where order_id = $1', [second]);
    expect(left.rowCount).toBe(0);
  });

  test.each([
    "status = 'completed.testkit.completed'",
    'id = id + 1',
    "created_at = created_at - interval '1 day'",
    "leg = 'with_customer'",
    "registration = 'done'",
    "status_detail = 'fulfillment_error'",
  ])('refuses to change an event: %s', async (change) => {
    const order = await makeOrderWith('testkit', WAITING_AND_SENT);
    await expect(
      client.query(`update order_events set ${change} where order_id = $1 and id = 3`, [order]),
    ).rejects.toMatchObject({ code: '23514', constraint: 'order_events_never_change' });
  });

  test('moves the events with an order that moves to another user, and accepts further events there', async () => {
    const order = await makeOrderWith('testkit', WAITING_AND_SENT);
    await client.query('insert into order_transactions (user_id, id, team_id) values ($1, $2, $3)', [
      OTHER_USER,
      order,
      TEAM,
    ]);
    await client.query('update orders set user_id = $1 where id = $2', [OTHER_USER, order]);
    await client.query(
      `insert into order_events (user_id, order_id, team_id, id, status)
       values ($1, $2, $3, 4, 'collecting_sample.testkit.out_for_delivery')`,
      [OTHER_USER, order, TEAM],
    );
    const { rows } = await client.query('select user_id, id from order_events where order_id = $1 order by id', [
      order,
    ]);
    expect(rows).toEqual([1, 2, 3, 4].map((id) => ({ user_id: OTHER_USER, id })));
  });

  test.each([
    "insert into order_status_rules values ('', '', '', 'completed.testkit.completed', '', 'done')",
    "update order_status_rules set to_status = 'completed.testkit.completed' where from_status = ''",
    'delete from order_status_rules',
    'truncate order_status_rules',
  ])('does not let the service change the rules: %s', async (change) => {
    await expect(client.query(change)).rejects.toMatchObject({ code: '42501' });
  });
});
