import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { createOrder, labTestId, readOrder, registeredKit, simulate, type OrderBody } from '../../../test/factories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const daysOf = (order: OrderBody) => [order['expected_result_by_date'], order['worst_case_result_by_date']];
const after = (moment: string, days: number): string =>
  new Date(Date.parse(moment) + days * 86_400_000).toISOString().slice(0, 10);

test.each([
  ['testkit', 'collecting_sample.testkit.transit_lab', 'sample_with_lab.testkit.delivered_to_lab'],
  [
    'at_home_phlebotomy',
    'collecting_sample.at_home_phlebotomy.appointment_scheduled',
    'collecting_sample.at_home_phlebotomy.draw_completed',
  ],
  [
    'on_site_collection',
    'received.on_site_collection.requisition_created',
    'sample_with_lab.on_site_collection.draw_completed',
  ],
])('results of an order by %s have no expected day at %s, and have one from %s on', async (method, before, taken) => {
  const order =
    method === 'testkit'
      ? await registeredKit(app.team)
      : (await createOrder(app.team, { order_set: { lab_test_ids: [await labTestId(app.team, method)] } })).body.order;
  await simulate(app.team, order.id, `?final_status=${before}`);
  expect(daysOf(await readOrder(app.team, order.id))).toEqual([null, null]);
  await simulate(app.team, order.id, `?final_status=${taken}`);
  const then = await readOrder(app.team, order.id);
  const { created_at } = then.events.find(({ status }) => status === taken) as { created_at: string };
  const { common_tat_days, worst_case_tat_days } = then['lab_test'] as Record<string, number>;
  const expected = [after(created_at, common_tat_days as number), after(created_at, worst_case_tat_days as number)];
  expect(daysOf(then)).toEqual(expected);
  await simulate(app.team, order.id);
  const done = await readOrder(app.team, order.id);
  expect([done.status, ...daysOf(done)]).toEqual(['completed', ...expected]);
});

test('an order that has failed has no expected day', async () => {
  const { id } = await registeredKit(app.team);
  await simulate(app.team, id, '?final_status=sample_with_lab.testkit.delivered_to_lab');
  await simulate(app.team, id, '?final_status=failed.testkit.sample_error');
  expect(daysOf(await readOrder(app.team, id))).toEqual([null, null]);
});
