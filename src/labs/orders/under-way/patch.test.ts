import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../../../../test/test-app.ts';
import {
  createOrder,
  labTestId,
  lowStatuses,
  orderKit,
  patientAddress,
  patientDetails,
  readOrder,
  register,
  registeredKit,
  simulate,
  type OrderBody,
} from '../../../../test/factories.ts';
import { problemsOf } from '../../../../test/people.ts';

type Patched = { order: OrderBody; status: string; message: string; code: string };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const patch = (id: string, body: object, options: { key?: null } = {}): Promise<Answer<Patched>> =>
  app.api<Patched>('PATCH', `/v3/order/${id}`, body, options);

describe('changing the day of an order', () => {
  test('is read back, null clears it, and no event is published', async () => {
    const order = await orderKit(app.team);
    const { status, body } = await patch(order.id, { activate_by: '2031-02-28' });
    expect([status, body.status, body.message]).toEqual([200, 'success', 'order updated']);
    expect(body.order).toEqual({
      ...order,
      activate_by: '2031-02-28',
      updated_at: expect.any(String),
      details: expect.any(Object),
      order_transaction: expect.any(Object),
    });
    expect(body.order.updated_at > order.updated_at).toBe(true);
    expect((await readOrder(app.team, order.id))['activate_by']).toBe('2031-02-28');
    const cleared = await patch(order.id, { activate_by: null });
    expect(cleared.body.order['activate_by']).toBeNull();
    expect(cleared.body.order.updated_at > body.order.updated_at).toBe(true);
    expect((await app.db.selectFrom('events').select('id').where('user_id', '=', order.user_id).execute()).length).toBe(
      2,
    );
  });

  test('makes updated_at of the next event newer than its own, even if the clock runs behind', async () => {
    const order = await orderKit(app.team);
    await app.db.updateTable('orders').set({ updated_at: '2090-01-01T00:00:00Z' }).where('id', '=', order.id).execute();
    const {
      body: { order: patched },
    } = await patch(order.id, { activate_by: null });
    expect(patched.updated_at).toBe('2090-01-01T00:00:00.001Z');
    const { body } = await app.api<Patched>('POST', `/v3/order/${order.id}/cancel`);
    expect([body.order.updated_at, body.order.events.at(-1)?.created_at]).toEqual([
      '2090-01-01T00:00:00.002Z',
      '2090-01-01T00:00:00.002Z',
    ]);
  });

  test.each([
    [{}, 'body.activate_by missing'],
    [{ activate_by: '2026-02-30' }, 'body.activate_by date_parsing'],
    [{ activate_by: '2026-02-28T00:00:00Z' }, 'body.activate_by date_parsing'],
    [{ activate_by: 7 }, 'body.activate_by string_type'],
  ])('refuses %j', async (body, problem) => {
    const answer = await patch((await orderKit(app.team)).id, body);
    expect([answer.status, problemsOf(answer)]).toEqual([422, [problem]]);
  });

  test('ignores every other key', async () => {
    const order = await orderKit(app.team);
    const { body } = await patch(order.id, {
      activate_by: null,
      status: 'completed',
      interpretation: 'critical',
      user_id: randomUUID(),
    });
    expect(body.order).toMatchObject({ status: 'received', interpretation: null, user_id: order.user_id });
  });

  test.each([
    ['is on its way', '/test?final_status=collecting_sample.testkit.transit_customer'],
    ['was cancelled', '/cancel'],
    ['has failed', '/test?final_status=failed.testkit.lost'],
  ])('is refused for an order that %s, and nothing is written', async (_, step) => {
    const order = await orderKit(app.team);
    await app.api('POST', `/v3/order/${order.id}${step}`);
    const before = await readOrder(app.team, order.id);
    const answer = await patch(order.id, { activate_by: '2031-01-01' });
    expect([answer.status, answer.body.code]).toEqual([400, 'order_not_changeable']);
    expect(await readOrder(app.team, order.id)).toEqual(before);
  });

  test('is refused for a kit that was registered on its way, although its status is received', async () => {
    const order = await orderKit(app.team);
    await simulate(app.team, order.id);
    await register(app.team, { sample_id: (await readOrder(app.team, order.id)).sample_id });
    expect((await patch(order.id, { activate_by: '2031-01-01' })).body.code).toBe('order_not_changeable');
  });

  test('is refused once the order is at its laboratory or imported, but null is accepted', async () => {
    const order_set = { lab_test_ids: [await labTestId(app.team, 'walk_in_test')] };
    const sent = (await createOrder(app.team, { order_set, activate_by: '2020-01-31' })).body.order;
    const imported = await app.api<Patched>('POST', '/v3/order/import', {
      user_id: sent.user_id,
      billing_type: 'client_bill',
      order_set,
      collection_method: 'walk_in_test',
      patient_details: patientDetails,
      patient_address: patientAddress,
      sample_id: `PATCHED-${sent.id}`,
    });
    for (const order of [sent, imported.body.order, await registeredKit(app.team)])
      expect((await patch(order.id, { activate_by: '2031-01-01' })).body.code).toBe('order_not_changeable');
    for (const order of [sent, imported.body.order]) {
      expect((await patch(order.id, { activate_by: null })).body.order['activate_by']).toBeNull();
      expect(lowStatuses(await readOrder(app.team, order.id))).toEqual(lowStatuses(order));
    }
    const scheduled = await app.api<{ orders: OrderBody[] }>(
      'GET',
      `/v3/orders?order_activation_types=scheduled&user_id=${sent.user_id}`,
    );
    expect(scheduled.body.orders).toEqual([]);
  });

  test("an unknown order and another team's answer 404; a malformed id 422; no key 401", async () => {
    const theirs = await orderKit(await app.makeTeam());
    for (const id of [randomUUID(), theirs.id]) {
      const answer = await patch(id, { activate_by: null });
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    }
    expect(problemsOf(await patch('7', {}))).toEqual(['body.activate_by missing', 'path.order_id uuid_parsing']);
    expect((await patch(theirs.id, { activate_by: null }, { key: null })).status).toBe(401);
  });
});
