import { afterAll, beforeAll, expect, test } from 'vitest';
import { bookedOrder, orderBy } from '../../../../test/collected-orders.ts';
import { orderKit, registeredKit, simulate, type OrderBody } from '../../../../test/factories.ts';
import { query } from '../../../../test/global-setup.ts';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { OVERDUE_RULES, type OverdueKind } from './overdue.ts';

type Counts = {
  total: number;
  by_status: Record<string, number>;
  by_low_level_status: { low_level_status: string; count: number }[];
  overdue: Record<OverdueKind | 'total', number>;
  with_open_critical_result: number;
  critical_results: Record<'open' | 'acknowledged' | 'signed_off', number>;
};

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const counts = async (team: Team): Promise<Counts> => (await team.api<Counts>('GET', '/v3/order_counts')).body;
const overdueList = async (team: Team, is = 'true'): Promise<string[]> => {
  const { body } = await team.api<{ orders: OrderBody[]; total: number }>('GET', `/v3/orders?is_overdue=${is}`);
  expect(body.total).toBe(body.orders.length);
  return body.orders.map(({ id }) => id).toSorted();
};
/** Makes the newest event of an order as old as this number of days, less a minute or plus one. */
const age = (orderId: string, days: number, minutes: 1 | -1): Promise<unknown> =>
  query(
    app.databaseUrl,
    `update orders set last_event_at = now() - interval '${days} days' - interval '${minutes} minutes'
      where id = '${orderId}'`,
  );
/** Returns the kinds of overdue orders that a team has, with their numbers. */
async function overdueKinds(team: Team): Promise<Record<string, number>> {
  const { total, ...kinds } = (await counts(team)).overdue;
  expect(total).toBe(Object.values(kinds).reduce((sum, count) => sum + count, 0));
  return Object.fromEntries(Object.entries(kinds).filter(([, count]) => count > 0));
}

test('counts orders by the first and the last part of their status, and open critical results', async () => {
  const team = await app.makeTeam();
  await orderKit(team);
  await orderKit(team);
  const critical = await registeredKit(team);
  await simulate(team, critical.id, '', { interpretation: 'critical' });
  const cancelled = await orderKit(team);
  await team.api('POST', `/v3/order/${cancelled.id}/cancel`);
  const drawn = await orderBy(team, 'at_home_phlebotomy');
  await simulate(team, drawn, '?final_status=collecting_sample.at_home_phlebotomy.draw_completed');
  const onSite = await orderBy(team, 'on_site_collection');
  await simulate(team, onSite, '?final_status=sample_with_lab.on_site_collection.draw_completed');
  await orderKit(await app.makeTeam());
  expect(await counts(team)).toEqual({
    total: 6,
    by_status: { received: 2, collecting_sample: 1, sample_with_lab: 1, completed: 1, failed: 0, cancelled: 1 },
    by_low_level_status: [
      { low_level_status: 'awaiting_registration', count: 2 },
      { low_level_status: 'completed', count: 1 },
      { low_level_status: 'cancelled', count: 1 },
      { low_level_status: 'draw_completed', count: 2 },
    ],
    overdue: {
      total: 0,
      not_sent: 0,
      in_transit: 0,
      with_customer: 0,
      not_collected: 0,
      appointment_missed: 0,
      at_laboratory: 0,
    },
    with_open_critical_result: 1,
    critical_results: { open: 1, acknowledged: 0, signed_off: 0 },
  });
});

test('an empty team has no orders of any kind', async () => {
  const { total, by_low_level_status, with_open_critical_result } = await counts(await app.makeTeam());
  expect([total, by_low_level_status, with_open_critical_result]).toEqual([0, [], 0]);
});

test('orders of a user who is scheduled for deletion do not count until the undo', async () => {
  const team = await app.makeTeam();
  const order = await registeredKit(team);
  await simulate(team, order.id, '', { interpretation: 'critical' });
  const waiting = await orderKit(team, order.user_id);
  await age(waiting.id, 7, 1);
  const before = await counts(team);
  expect([before.total, before.overdue.total, before.with_open_critical_result]).toEqual([2, 1, 1]);
  await team.api('DELETE', `/v2/user/${order.user_id}`);
  const without = await counts(team);
  expect([without.total, without.overdue.total, without.with_open_critical_result]).toEqual([0, 0, 0]);
  expect(without.critical_results).toEqual({ open: 0, acknowledged: 0, signed_off: 0 });
  expect([without.by_status['completed'], without.by_low_level_status]).toEqual([0, []]);
  await team.api('POST', `/v2/user/undo_delete?user_id=${order.user_id}`);
  expect(await counts(team)).toEqual(before);
});

test.each<[OverdueKind, number, (team: Team) => Promise<string>]>([
  ['not_sent', 7, async (team) => (await orderKit(team)).id],
  ['in_transit', 7, async (team) => at(team, await orderKit(team), 'collecting_sample.testkit.transit_customer')],
  ['in_transit', 7, (team) => kitAt(team, 'collecting_sample.testkit.transit_lab')],
  ['with_customer', 14, async (team) => at(team, await orderKit(team), 'collecting_sample.testkit.with_customer')],
  ['with_customer', 14, async (team) => (await registeredKit(team)).id],
  ['not_collected', 30, (team) => orderBy(team, 'walk_in_test')],
  ['not_collected', 30, (team) => orderBy(team, 'at_home_phlebotomy')],
])('an order is %s after %i days without an event', async (kind, days, make) => {
  const team = await app.makeTeam();
  const id = await make(team);
  await age(id, days, -1);
  expect([await overdueKinds(team), await overdueList(team), await overdueList(team, 'false')]).toEqual([{}, [], [id]]);
  await age(id, days, 1);
  expect([await overdueKinds(team), await overdueList(team), await overdueList(team, 'false')]).toEqual([
    { [kind]: 1 },
    [id],
    [],
  ]);
});

async function at(team: Team, { id }: OrderBody, status: string): Promise<string> {
  expect((await simulate(team, id, `?final_status=${status}`)).status).toBe(200);
  return id;
}

const kitAt = async (team: Team, status: string): Promise<string> => at(team, await registeredKit(team), status);

test('a laboratory has 5 days, or the worst case of the lab test if that is longer', async () => {
  const team = await app.makeTeam();
  const id = await kitAt(team, 'sample_with_lab.testkit.delivered_to_lab');
  const worstCase = (days: number | null) =>
    query(
      app.databaseUrl,
      `update lab_tests set worst_case_tat_days = ${days} where id = (select lab_test_id from orders where id = '${id}')`,
    );
  for (const [stated, days] of [
    [null, 5],
    [2, 5],
    [9, 9],
  ] as const) {
    await worstCase(stated);
    await age(id, days, -1);
    expect([stated, await overdueKinds(team), await overdueList(team)]).toEqual([stated, {}, []]);
    await age(id, days, 1);
    expect([stated, await overdueKinds(team), await overdueList(team)]).toEqual([stated, { at_laboratory: 1 }, [id]]);
  }
});

test('an appointment without a draw is missed a day after its end', async () => {
  const team = await app.makeTeam();
  const id = await bookedOrder(team, 'phlebotomy');
  const end = (time: string) =>
    query(
      app.databaseUrl,
      `update appointments set start_at = ${time} - interval '1 hour', end_at = ${time} where order_id = '${id}'`,
    );
  await age(id, 20, 1);
  await end(`now() - interval '23 hours'`);
  expect([await overdueKinds(team), await overdueList(team)]).toEqual([{}, []]);
  await end(`now() - interval '25 hours'`);
  expect([await overdueKinds(team), await overdueList(team)]).toEqual([{ appointment_missed: 1 }, [id]]);
});

test('an order that waits for its day is not overdue, and its time counts from that day', async () => {
  const team = await app.makeTeam();
  const { id } = await orderKit(team);
  await age(id, 60, 1);
  await team.api('PATCH', `/v3/order/${id}`, {
    activate_by: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10),
  });
  expect(await overdueKinds(team)).toEqual({});
  await query(app.databaseUrl, `update orders set activate_by = current_date - 7 where id = '${id}'`);
  expect(await overdueKinds(team)).toEqual({});
  await query(app.databaseUrl, `update orders set activate_by = current_date - 8 where id = '${id}'`);
  expect(await overdueKinds(team)).toEqual({ not_sent: 1 });
});

test('every open status of every method belongs to one kind of overdue orders', async () => {
  const { COLLECTION_METHODS, isOpen, statusesOf } = await import('../status/statuses.ts');
  for (const method of COLLECTION_METHODS)
    for (const status of statusesOf(method).filter(isOpen)) {
      const kinds = Object.entries(OVERDUE_RULES).filter(
        ([, { methods, statuses }]) =>
          (methods as readonly string[]).includes(method) && (statuses as readonly string[]).includes(status),
      );
      expect([method, status, kinds.length]).toEqual([method, status, 1]);
    }
});

test('a completed or cancelled order is never overdue', async () => {
  const team = await app.makeTeam();
  const done = await registeredKit(team);
  await simulate(team, done.id);
  const cancelled = await orderKit(team);
  await team.api('POST', `/v3/order/${cancelled.id}/cancel`);
  for (const { id } of [done, cancelled]) await age(id, 400, 1);
  expect([await overdueKinds(team), await overdueList(team)]).toEqual([{}, []]);
});
