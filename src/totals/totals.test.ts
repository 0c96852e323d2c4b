import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { kitTestId, makeUser, orderKit, registeredKit, shippingAddress, simulate } from '../../test/factories.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { inTransaction } from '../db/transaction.ts';
import { eraseUsers } from '../../test/erase-due-users.ts';
import { teamCtx } from '../../test/team-ctx.ts';
import { insertOrder } from '../labs/orders/create/insert-order.ts';
import { dropExpired } from './erase.ts';
import { subtractLeavingUsers } from './subtract-leaving-users.ts';

let app: TestApp;
let team: Team;
beforeAll(async () => {
  app = await startTestApp();
  team = app.team;
});
afterAll(() => app.close());

const totalOf = async (query: string, of: Team = team): Promise<number> =>
  (await of.api<{ total: number }>('GET', `/v3/orders?size=1${query}`)).body.total;
const usersOf = async (of: Team = team): Promise<number> =>
  (await of.api<{ total: number }>('GET', '/v2/user?limit=1')).body.total;

/** Every filter for which a total is read, with the condition that counts the same rows one by one. */
const FILTERS: [query: string, condition: string][] = [
  ['', 'true'],
  ['&status=completed', `last_low_level_status = 'completed'`],
  ['&status=completed,cancelled,ordered', `last_low_level_status in ('completed', 'cancelled', 'ordered')`],
  ['&status=unheard_of', 'false'],
  ['&order_type=testkit', `method = 'testkit'`],
  ['&order_type=walk_in_test', `method = 'walk_in_test'`],
  ['&interpretation=critical', `interpretation = 'critical'`],
  ['&interpretation=normal', `interpretation = 'normal'`],
  ['&interpretation=null', 'interpretation is null'],
  ['&is_critical=true', `interpretation is not distinct from 'critical'`],
  ['&is_critical=false', `interpretation is distinct from 'critical'`],
  ['&status=completed&interpretation=critical', `last_low_level_status = 'completed' and interpretation = 'critical'`],
];

async function expectTotals(): Promise<number[]> {
  const [reported, counted]: number[][] = [[], []];
  for (const [query, condition] of FILTERS) {
    reported?.push(await totalOf(query));
    const { rows } = await sql<{ many: number }>`
      select count(*) as many from orders join users on users.id = orders.user_id
       where orders.team_id = ${team.id} and users.deleted_at is null and ${sql.raw(condition)}`.execute(app.db);
    counted?.push(rows[0]?.many ?? -1);
  }
  expect(reported).toEqual(counted);
  const { rows } = await sql<{ many: number }>`
    select count(*) as many from users where team_id = ${team.id} and deleted_at is null`.execute(app.db);
  expect(await usersOf()).toBe(rows[0]?.many);
  return reported as number[];
}

test('totals are exact after every kind of change, separately for each team', async () => {
  expect(await expectTotals()).toEqual(FILTERS.map(() => 0));
  const orders = await Promise.all(Array.from({ length: 8 }, () => registeredKit(team)));
  await orderKit(await app.makeTeam());
  const all = await expectTotals();
  expect(all[0]).toBe(8);
  const [critical, normal, cancelled, leaving, erased] = orders.map(({ id, user_id }) => ({ id, user_id }));
  await Promise.all([
    simulate(team, critical?.id as string, '', { interpretation: 'critical' }),
    simulate(team, normal?.id as string, '', { interpretation: 'normal' }),
    team.api('POST', `/v3/order/${cancelled?.id}/cancel`),
  ]);
  expect((await expectTotals())[6]).toBe(1);

  await team.api('DELETE', `/v2/user/${critical?.user_id}`);
  await team.api('DELETE', `/v2/user/${leaving?.user_id}`);
  expect((await expectTotals()).slice(0, 2)).toEqual([6, 1]);
  await team.api('POST', `/v2/user/undo_delete?user_id=${critical?.user_id}`);
  expect((await expectTotals()).slice(0, 2)).toEqual([7, 2]);

  await team.api('DELETE', `/v2/user/${erased?.user_id}`);
  await sql`update users set deleted_at = now() - interval '8 days' where deleted_at is not null`.execute(app.db);
  await eraseUsers(app.ctx);
  expect((await expectTotals())[0]).toBe(6);
  expect((await team.api<{ number_of_ordered_tests: number }>('GET', '/v2/user/metrics')).body).toMatchObject({
    number_of_ordered_tests: 6,
    number_of_users: await usersOf(),
  });
});

/**
 * Moves the deletions of users into the past, and subtracts these users from the totals. Returns how many users of the
 * team are subtracted.
 */
async function leaveOutNow(): Promise<number> {
  await sql`update users set deleted_at = deleted_at - interval '2 minutes' where deleted_at is not null`.execute(
    app.db,
  );
  await subtractLeavingUsers(app.ctx);
  const { rows } = await sql<{ many: number }>`
    select count(*) as many from users where team_id = ${team.id} and orders_left_out`.execute(app.db);
  return rows[0]?.many ?? -1;
}

test('a user who is scheduled for deletion leaves the totals a minute later, and totals stay exact', async () => {
  const orders = await Promise.all(Array.from({ length: 4 }, () => registeredKit(team)));
  const [back, erased, changed] = orders.map(({ id, user_id }) => ({ id, user_id }));
  const before = await expectTotals();
  const users = await usersOf();
  await Promise.all(orders.map(({ user_id }) => team.api('DELETE', `/v2/user/${user_id}`)));
  expect(await usersOf()).toBe(users - 4);
  await subtractLeavingUsers(app.ctx);
  const { rows } = await sql`select from users where orders_left_out`.execute(app.db);
  expect(rows).toEqual([]);
  expect(await leaveOutNow()).toBe(4);
  expect([(await expectTotals())[0], await usersOf()]).toEqual([(before[0] as number) - 4, users - 4]);
  expect(await leaveOutNow()).toBe(4);

  // The service never does this. Totals would stay exact even then.
  await sql`update orders set interpretation = 'critical' where id = ${changed?.id}`.execute(app.db);
  await expectTotals();

  await team.api('POST', `/v2/user/undo_delete?user_id=${back?.user_id}`);
  expect([(await expectTotals())[0], await usersOf()]).toEqual([(before[0] as number) - 3, users - 3]);
  await team.api('POST', `/v3/order/${back?.id}/cancel`);
  await expectTotals();

  await sql`update users set deleted_at = now() - interval '8 days' where id = ${erased?.user_id}`.execute(app.db);
  await eraseUsers(app.ctx);
  expect((await sql`select from users where id = ${erased?.user_id}`.execute(app.db)).rows).toEqual([]);
  expect([(await expectTotals())[0], await usersOf()]).toEqual([(before[0] as number) - 3, users - 3]);
  await team.api('POST', `/v2/user/undo_delete?user_id=${changed?.user_id}`);
  expect([(await expectTotals())[6], await usersOf()]).toEqual([(before[6] as number) + 1, users - 2]);
});

test('the removal of a user waits for a concurrent change of an order, and counts the changed order', async () => {
  const order = await registeredKit(team);
  await team.api('DELETE', `/v2/user/${order.user_id}`);
  let counting: Promise<number> | undefined;
  await inTransaction(await teamCtx(app.ctx, team.id), async ({ db }) => {
    await sql`update orders set interpretation = 'critical' where id = ${order.id}`.execute(db);
    counting = leaveOutNow();
    await untilSomebodyWaits();
  });
  expect(await counting).toBeGreaterThan(0);
  await expectTotals();
  await team.api('POST', `/v2/user/undo_delete?user_id=${order.user_id}`);
  await expectTotals();
});

async function untilSomebodyWaits(): Promise<void> {
  for (;;) {
    const { rows } = await sql`select from pg_locks where not granted`.execute(app.db);
    if (rows.length > 0) return;
  }
}

test('rows that are rolled back are not counted', async () => {
  const before = await expectTotals();
  const { user_id } = await makeUser(team);
  const lab_test_id = await kitTestId(team);
  const undone = inTransaction(await teamCtx(app.ctx, team.id), async (ctx) => {
    await insertOrder(ctx, {
      user_id,
      lab_test_id,
      method: 'testkit',
      statuses: ['ordered'],
      shipping_details: shippingAddress,
    } as never);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await expectTotals()).toEqual(before);
});

test('an open transaction that has counted blocks no other order of its team', async () => {
  const { user_id } = await makeUser(team);
  const lab_test_id = await kitTestId(team);
  const before = await totalOf('');
  await inTransaction(await teamCtx(app.ctx, team.id), async (ctx) => {
    await insertOrder(ctx, {
      user_id,
      lab_test_id,
      method: 'testkit',
      statuses: ['ordered'],
      shipping_details: shippingAddress,
    } as never);
    await orderKit(team);
    expect(await totalOf('')).toBe(before + 1);
  });
  expect(await totalOf('')).toBe(before + 2);
});

test('counts of ended backends are added to one row, and totals stay the same', async () => {
  await orderKit(team);
  await sql`
    update totals set backend = n from (
      select ctid as row_id, -row_number() over () as n from totals where team_id = ${team.id}) as numbered
     where totals.ctid = numbered.row_id`.execute(app.db);
  const before = await expectTotals();
  await dropExpired(acrossTeams(app.ctx));
  expect(await expectTotals()).toEqual(before);
  const { rows } = await sql<{ backend: number }>`
    select distinct backend from totals where team_id = ${team.id}`.execute(app.db);
  expect(rows).toEqual([{ backend: 0 }]);
});
