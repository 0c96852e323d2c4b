import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { orderKit, readOrder, registeredKit, simulate, type OrderBody } from '../../../../test/factories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** Writes an event without the code of the service, as the service's database role could. */
const force = (order: OrderBody, id: number, status: string): Promise<unknown> =>
  sql`
  insert into order_events (user_id, order_id, team_id, id, status)
  values (${order.user_id}, ${order.id}, ${app.team.id}, ${id}, ${status})`.execute(app.db);

const storedStatuses = async (order: OrderBody): Promise<string[]> =>
  (
    await sql<{ status: string }>`
  select status from order_events where order_id = ${order.id} order by id`.execute(app.db)
  ).rows.map((row) => row.status);

describe('an event that is written without the code of the service', () => {
  test.each([
    ['an unknown status', 'received.testkit.unpacked'],
    ['a status under another top level', 'completed.testkit.transit_customer'],
    ['a status of another method', 'received.walk_in_test.requisition_created'],
    ['a laboratory step of a kit that is not sent', 'sample_with_lab.testkit.delivered_to_lab'],
    ['a result of a kit that is not sent', 'completed.testkit.completed'],
    ['a correction of an order that is not completed', 'completed.testkit.corrected'],
    ['the registration without its requisition', 'received.testkit.testkit_registered'],
    ['the status it has already', 'received.testkit.awaiting_registration'],
    ['the first status again', 'received.testkit.ordered'],
  ])('is refused by the database: %s', async (_, status) => {
    const order = await orderKit(app.team);
    await expect(force(order, 3, status)).rejects.toMatchObject({ code: '23514' });
    expect(await storedStatuses(order)).toEqual(['received.testkit.ordered', 'received.testkit.awaiting_registration']);
    expect((await readOrder(app.team, order.id)).events).toEqual(order.events);
  });

  test('is refused where the kit has not been registered: transit to the laboratory', async () => {
    const order = await orderKit(app.team);
    await simulate(app.team, order.id);
    await expect(force(order, 6, 'collecting_sample.testkit.transit_lab')).rejects.toMatchObject({ code: '23514' });
  });

  test('is refused once the order has ended', async () => {
    const order = await registeredKit(app.team);
    await simulate(app.team, order.id, '?final_status=failed.testkit.lost');
    const { events } = await readOrder(app.team, order.id);
    await expect(force(order, events.length + 1, 'collecting_sample.testkit.transit_lab')).rejects.toMatchObject({
      code: '23514',
    });
  });

  test.each([2, 4, 0])('is refused with the id %i after 2', async (id) => {
    const order = await orderKit(app.team);
    await expect(force(order, id, 'collecting_sample.testkit.transit_customer')).rejects.toMatchObject({
      code: '23514',
    });
  });

  test('is accepted if the table allows it', async () => {
    const order = await orderKit(app.team);
    await force(order, 3, 'collecting_sample.testkit.transit_customer');
    expect((await storedStatuses(order)).at(-1)).toBe('collecting_sample.testkit.transit_customer');
  });
});

test.each([
  "status = 'completed.testkit.completed'",
  "created_at = created_at - interval '1 day'",
  "status_detail = 'sample_hemolyzed'",
])('cannot be changed: %s', async (change) => {
  const order = await orderKit(app.team);
  await expect(
    sql`update order_events set ${sql.raw(change)} where order_id = ${order.id}`.execute(app.db),
  ).rejects.toMatchObject({ code: '23514' });
  expect((await readOrder(app.team, order.id)).events).toEqual(order.events);
});
