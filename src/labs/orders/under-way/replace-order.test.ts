import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { orderBy } from '../../../../test/collected-orders.ts';
import {
  lowStatuses,
  orderKit,
  register,
  readOrder,
  registeredKit,
  simulate,
  type OrderBody,
} from '../../../../test/factories.ts';
import { query } from '../../../../test/global-setup.ts';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';

type Answered = { order: OrderBody & { parent_id?: string }; code: string; detail: string; message: string };
type Listed = { id: string; origin: string; parent_id: string | null };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const replace = (id: string) => app.api<Answered>('POST', `/v3/order/${id}/replacement`);
async function reach(order: { id: string }, status: string): Promise<void> {
  expect((await simulate(app.team, order.id, `?final_status=${status}`)).status).toBe(200);
}

test('a lost kit gets a new kit in its order transaction, and only one', async () => {
  const kit = await registeredKit(app.team);
  await reach(kit, 'failed.testkit.lost');
  const { status, body } = await replace(kit.id);
  expect([status, body.message, body.order['origin'], body.order.sample_id]).toEqual([
    200,
    'order created',
    'recreation',
    null,
  ]);
  expect(lowStatuses(body.order)).toEqual(['ordered', 'requisition_created']);
  const { order_transaction, patient_details, user_id } = await readOrder(app.team, kit.id);
  expect(body.order).toMatchObject({ patient_details, user_id });
  expect((order_transaction as unknown as { orders: Listed[] }).orders).toMatchObject([
    { id: kit.id, origin: 'initial', parent_id: null },
    { id: body.order.id, origin: 'recreation', parent_id: kit.id },
  ]);
  const again = await replace(kit.id);
  expect([again.status, again.body.code, again.body.detail.includes(body.order.id)]).toEqual([
    409,
    'order_already_replaced',
    true,
  ]);
});

test('a damaged kit that is with the customer is replaced, and its own order stays open', async () => {
  const kit = await orderKit(app.team);
  await reach(kit, 'collecting_sample.testkit.with_customer');
  const { body } = await replace(kit.id);
  expect([body.order['origin'], lowStatuses(body.order)]).toEqual(['recreation', ['ordered', 'awaiting_registration']]);
  expect(lowStatuses(await readOrder(app.team, kit.id)).at(-1)).toBe('with_customer');
  await query(app.databaseUrl, `update orders set last_event_at = now() - interval '20 days' where id = '${kit.id}'`);
  const overdue = await app.api<{ orders: OrderBody[] }>('GET', `/v3/orders?is_overdue=true&order_ids=${kit.id}`);
  expect(overdue.body.orders).toEqual([]);
});

test('a sample that the laboratory could not use has its redraw already, and gets no second one', async () => {
  const order = await orderBy(app.team, 'on_site_collection');
  await simulate(app.team, order, '?final_status=failed.on_site_collection.sample_error');
  expect(lowStatuses(await readOrder(app.team, order)).at(-1)).toBe('sample_error');
  const { status, body } = await replace(order);
  expect([status, body.code]).toEqual([409, 'order_already_replaced']);
});

test.each([
  ['a new kit', async () => (await orderKit(app.team)).id],
  [
    'a kit that was registered before it was sent',
    async () => {
      const { id, user_id } = await orderKit(app.team);
      await register(app.team, { sample_id: `EARLY-${id}`, user_id });
      return id;
    },
  ],
  [
    'a completed kit',
    async () => {
      const kit = await registeredKit(app.team);
      await simulate(app.team, kit.id);
      return kit.id;
    },
  ],
  ['an order for a walk-in', () => orderBy(app.team, 'walk_in_test')],
])('%s is not replaced', async (_, make) => {
  const id = await make();
  const { status, body } = await replace(id);
  expect([status, body.code]).toEqual([400, 'order_not_replaceable']);
  expect((await readOrder(app.team, id)).order_transaction).toMatchObject({ orders: [{ id }] });
});

test("an unknown order and another team's answer 404", async () => {
  const other = await app.makeTeam();
  const theirs = await registeredKit(other);
  await simulate(other, theirs.id, '?final_status=failed.testkit.lost');
  for (const id of [theirs.id, randomUUID()]) expect((await replace(id)).status).toBe(404);
});
