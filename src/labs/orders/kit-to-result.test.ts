import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { lowStatuses, orderKit, readOrder, register, simulate, subscribe } from '../../../test/factories.ts';
import { startEndpoint, type Endpoint } from '../../../test/endpoint.ts';

let app: TestApp;
let endpoint: Endpoint;
beforeAll(async () => {
  app = await startTestApp();
  endpoint = await startEndpoint();
});
afterAll(async () => {
  await app.close();
  await endpoint.close();
});

test('a kit goes from order to result, and a signed webhook delivers the order after each step', async () => {
  await subscribe(app.team, endpoint);
  const order = await orderKit(app.team);
  expect(lowStatuses(order)).toEqual(['ordered', 'awaiting_registration']);
  expect((await simulate(app.team, order.id)).body).toBe('Success');
  const shipped = await readOrder(app.team, order.id);
  const registered = await register(app.team, { sample_id: shipped.sample_id });
  expect(registered.status).toBe(200);
  expect((await simulate(app.team, order.id)).status).toBe(200);
  const done = await readOrder(app.team, order.id);
  expect(lowStatuses(done)).toEqual([
    'ordered',
    'awaiting_registration',
    'transit_customer',
    'out_for_delivery',
    'with_customer',
    'requisition_created',
    'testkit_registered',
    'transit_lab',
    'delivered_to_lab',
    'completed',
  ]);
  await app.deliver();
  expect(endpoint.received.length).toBe(10);
  const byLength = endpoint.received.toSorted(
    (a, b) => (a.body.data['events'] as []).length - (b.body.data['events'] as []).length,
  );
  expect(byLength.map((event) => event.body.event_type)).toEqual([
    'labtest.order.created',
    ...Array(9).fill('labtest.order.updated'),
  ]);
  byLength.forEach((event, index) => {
    expect(event.body.data['events']).toEqual(done.events.slice(0, index + 1));
    expect(event.body.data['status']).toBe(done.events[index]?.status.split('.')[0]);
  });
});
