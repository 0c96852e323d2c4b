import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../../../../test/test-app.ts';
import {
  createOrder,
  labTestId,
  lowStatuses,
  makeUser,
  patientAddress,
  patientDetails,
  readOrder,
  registeredKit,
  simulate,
  type OrderBody,
} from '../../../../test/factories.ts';
import { query } from '../../../../test/global-setup.ts';
import { person, problemsOf } from '../../../../test/people.ts';
import { addJob } from '../../../db/define-job.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { dueOrders } from './activate.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

type OrderAnswer = Answer<{ order: OrderBody; code: string; message: string }>;

const asOwner = (text: string): Promise<unknown> => query(app.databaseUrl, text);
const orderBy = async (method: string, changes: Record<string, unknown> = {}): Promise<OrderBody> =>
  (await createOrder(app.team, { order_set: { lab_test_ids: [await labTestId(app.team, method)] }, ...changes })).body
    .order;

describe('a scheduled order', () => {
  const listed = async (type: string, order: OrderBody): Promise<string[]> =>
    (
      await app.api<{ orders: OrderBody[] }>(
        'GET',
        `/v3/orders?order_activation_types=${type}&user_id=${order.user_id}`,
      )
    ).body.orders.map(({ id }) => id);
  const lookForDue = async (): Promise<void> => {
    await inTransaction(app.ctx, ({ db }) => addJob(db, dueOrders, {}));
    await app.runJobs();
  };

  test('waits for its day, then moves on once, and the list filters it as scheduled and then as current', async () => {
    const order = await orderBy('walk_in_test', { activate_by: '2099-01-31' });
    expect(lowStatuses(order)).toEqual(['ordered']);
    expect([await listed('scheduled', order), await listed('current', order)]).toEqual([[order.id], []]);
    await lookForDue();
    expect(lowStatuses(await readOrder(app.team, order.id))).toEqual(['ordered']);
    await asOwner(`update orders set activate_by = (now() at time zone 'UTC')::date where id = '${order.id}'`);
    await lookForDue();
    await lookForDue();
    expect(lowStatuses(await readOrder(app.team, order.id))).toEqual(['ordered', 'requisition_created']);
    expect([await listed('scheduled', order), await listed('current', order)]).toEqual([[], [order.id]]);
  });

  test('moves on at once if its day is removed or becomes past, and can be cancelled', async () => {
    for (const activate_by of [null, '2020-01-31']) {
      const order = await orderBy('walk_in_test', { activate_by: '2099-01-31' });
      const { body }: OrderAnswer = await app.api('PATCH', `/v3/order/${order.id}`, { activate_by });
      expect(lowStatuses(body.order)).toEqual(['ordered', 'requisition_created']);
    }
    const order = await orderBy('testkit', { activate_by: '2099-01-31' });
    const { body }: OrderAnswer = await app.api('POST', `/v3/order/${order.id}/cancel`);
    expect(lowStatuses(body.order)).toEqual(['ordered', 'cancelled']);
    await asOwner(`update orders set activate_by = '2020-01-01' where id = '${order.id}'`);
    await lookForDue();
    expect(lowStatuses(await readOrder(app.team, order.id))).toEqual(['ordered', 'cancelled']);
  });

  test('with a day in the past is not scheduled', async () => {
    expect(lowStatuses(await orderBy('walk_in_test', { activate_by: '2020-01-31' }))).toEqual([
      'ordered',
      'requisition_created',
    ]);
  });
});

describe('draw_completed', () => {
  const complete = (id: string): Promise<OrderAnswer> => app.api('PATCH', `/v3/order/${id}/draw_completed`);

  test('is recorded once for an order on site, even if it is called twice', async () => {
    const order = await orderBy('on_site_collection');
    const [first, second] = [await complete(order.id), await complete(order.id)];
    expect(first.body.message).toBe('order updated');
    expect(lowStatuses(second.body.order)).toEqual(['ordered', 'requisition_created', 'draw_completed']);
    expect(second.body.order.last_event.status).toBe('sample_with_lab.on_site_collection.draw_completed');
  });

  test('is accepted for a visit, booked here or not, and refused for other methods', async () => {
    const [own, visit] = [await orderBy('at_home_phlebotomy'), await orderBy('at_home_phlebotomy')];
    expect(lowStatuses((await complete(own.id)).body.order)).toEqual([
      'ordered',
      'requisition_created',
      'draw_completed',
    ]);
    await simulate(app.team, visit.id, '?final_status=collecting_sample.at_home_phlebotomy.appointment_scheduled');
    expect((await complete(visit.id)).status).toBe(200);
    for (const method of ['walk_in_test', 'testkit']) {
      const { status, body } = await complete((await orderBy(method)).id);
      expect([status, body.code]).toEqual([400, 'draw_not_expected']);
    }
  });
});

describe('an imported order', () => {
  const importOrder = async (changes: Record<string, unknown> = {}): Promise<OrderAnswer> =>
    app.api('POST', '/v3/order/import', {
      user_id: (await makeUser(app.team)).user_id,
      billing_type: 'client_bill',
      order_set: { lab_test_ids: [await labTestId(app.team, 'walk_in_test')] },
      collection_method: 'walk_in_test',
      patient_details: patientDetails,
      patient_address: patientAddress,
      sample_id: `lab-${Math.random().toString(36).slice(2)}`,
      ...changes,
    });

  test('has the sample id of its laboratory from its first event on, and needs no requisition', async () => {
    const { status, body } = await importOrder({ sample_id: 'lab-4711' });
    expect([status, body.order.sample_id, lowStatuses(body.order)]).toEqual([
      200,
      'LAB-4711',
      ['ordered', 'requisition_bypassed'],
    ]);
    const found = await app.api<{ orders: OrderBody[] }>('GET', '/v3/orders?search_input=LAB-4711');
    expect(found.body.orders.map(({ id }) => id)).toEqual([body.order.id]);
    await simulate(app.team, body.order.id);
    expect((await readOrder(app.team, body.order.id)).status).toBe('completed');
  });

  test('keeps the receiver of its address, and if billed to insurance uses the newest primary record', async () => {
    const { receiver_name: _, ...nobodys } = patientAddress;
    const refused = await importOrder({ patient_address: nobodys });
    expect([refused.status, problemsOf(refused)]).toEqual([422, ['body.patient_address.receiver_name missing']]);
    const { user_id } = await makeUser(app.team);
    const billed = { user_id, billing_type: 'commercial_insurance' };
    expect((await importOrder(billed)).body.order['health_insurance_id']).toBeNull();
    const insurance = { payor_code: 'SBX00001', member_id: 'XYZ1', relationship: 'Self', insured: person };
    for (const is_primary of [true, false])
      await app.api('POST', `/v2/user/${user_id}/insurance`, { ...insurance, is_primary });
    const primary = await app.db
      .selectFrom('insurances')
      .select('id')
      .where('user_id', '=', user_id)
      .where('is_primary', '=', true)
      .executeTakeFirstOrThrow();
    expect((await importOrder(billed)).body.order['health_insurance_id']).toBe(primary.id);
    expect((await importOrder({ user_id })).body.order['health_insurance_id']).toBeNull();
  });

  test('is refused if another order of this team or another has its sample', async () => {
    await importOrder({ sample_id: 'LAB-4712' });
    expect((await importOrder({ sample_id: 'lab-4712' })).body.code).toBe('sample_already_registered');
    const other = await app.makeTeam();
    const theirs: OrderAnswer = await other.api('POST', '/v3/order/import', {
      user_id: (await makeUser(other)).user_id,
      billing_type: 'client_bill',
      order_set: { lab_test_ids: [await labTestId(other, 'walk_in_test')] },
      collection_method: 'walk_in_test',
      patient_details: patientDetails,
      patient_address: patientAddress,
      sample_id: 'LAB-4712',
    });
    expect([theirs.status, theirs.body.code]).toEqual([400, 'sample_already_registered']);
  });

  test('is refused under a sample id of the form that a deployment generates', async () => {
    for (const sample_id of ['KP000000A7', 'kp000000a8'])
      expect((await importOrder({ sample_id })).body.code).toBe('sample_already_registered');
  });
});

describe('a redraw', () => {
  type Sibling = { id: string; origin: string; parent_id: string | null };
  const siblings = (order: OrderBody): Sibling[] =>
    (order.order_transaction as unknown as { orders: Sibling[] }).orders;

  test.each([
    ['testkit', 'failed.testkit.sample_error'],
    ['walk_in_test', 'collecting_sample.walk_in_test.redraw_available'],
    ['walk_in_test', 'failed.walk_in_test.sample_error'],
    ['on_site_collection', 'failed.on_site_collection.sample_error'],
  ])('of a %s order follows %s, in the same transaction, and is published as created', async (method, status) => {
    const order =
      method === 'testkit' ? await registeredKit(app.team) : await orderBy(method, { passthrough: 'case-4711' });
    await simulate(app.team, order.id, `?final_status=${status}`);
    const parent = await readOrder(app.team, order.id);
    const [first, second] = siblings(parent);
    expect(first).toMatchObject({ id: order.id, origin: 'initial', parent_id: null });
    expect(second).toMatchObject({ origin: 'redraw', parent_id: order.id });
    expect(parent.order_transaction.status).toBe('active');
    const redraw = await readOrder(app.team, second?.id as string);
    expect(lowStatuses(redraw)).toEqual(['ordered', 'requisition_created']);
    expect(redraw).toMatchObject({
      origin: 'redraw',
      user_id: order.user_id,
      sample_id: null,
      patient_details: patientDetails,
      passthrough: order['passthrough'],
    });
    expect(siblings(redraw).map(({ id }) => id)).toEqual([order.id, redraw.id]);
    const events = await app.db
      .selectFrom('events')
      .select('event_type')
      .where('user_id', '=', order.user_id)
      .where('event_type', '=', 'labtest.order.created')
      .execute();
    expect(events).toHaveLength(2);
    await simulate(app.team, redraw.id);
    expect((await readOrder(app.team, redraw.id)).status).toBe('completed');
  });

  test('is created once for an order, and a redraw that fails gets another one', async () => {
    const order = await orderBy('walk_in_test');
    await simulate(app.team, order.id, '?final_status=collecting_sample.walk_in_test.redraw_available');
    await simulate(app.team, order.id, '?final_status=failed.walk_in_test.sample_error');
    const [, redraw] = siblings(await readOrder(app.team, order.id));
    await simulate(app.team, redraw?.id as string, '?final_status=failed.walk_in_test.sample_error');
    expect(siblings(await readOrder(app.team, order.id)).map(({ parent_id }) => parent_id)).toEqual([
      null,
      order.id,
      redraw?.id,
    ]);
  });

  test('that is completed replaces the order with the unusable sample, also through another redraw', async () => {
    const order = await orderBy('walk_in_test');
    const transaction = async (): Promise<string[]> => {
      const { id, status } = (await readOrder(app.team, order.id)).order_transaction;
      const { body } = await app.api<{ status: string }>('GET', `/v3/order_transaction/${id}`);
      return [status, body.status];
    };
    const newest = async (): Promise<string> => siblings(await readOrder(app.team, order.id)).at(-1)?.id as string;
    const taken = '?final_status=collecting_sample.walk_in_test.redraw_available';
    await simulate(app.team, order.id, taken);
    const first = await newest();
    await simulate(app.team, first, taken);
    const second = await newest();
    expect(new Set([order.id, first, second]).size).toBe(3);
    await simulate(app.team, second, '?final_status=sample_with_lab.walk_in_test.partial_results');
    expect(await transaction()).toEqual(['active', 'active']);
    await simulate(app.team, second);
    expect(await transaction()).toEqual(['completed', 'completed']);
    await simulate(app.team, second, '?final_status=completed.walk_in_test.corrected');
    expect(await transaction()).toEqual(['completed', 'completed']);
    // The laboratory reports results of the first order after all, so the first order is open again.
    await simulate(app.team, order.id, '?final_status=sample_with_lab.walk_in_test.partial_results');
    expect(await transaction()).toEqual(['active', 'active']);
  });

  test('that is cancelled or fails leaves the transaction active', async () => {
    for (const last of ['cancelled.walk_in_test.cancelled', 'failed.walk_in_test.sample_error']) {
      const order = await orderBy('walk_in_test');
      await simulate(app.team, order.id, '?final_status=collecting_sample.walk_in_test.redraw_available');
      const [, redraw] = siblings(await readOrder(app.team, order.id));
      await simulate(app.team, redraw?.id as string, `?final_status=${last}`);
      expect((await readOrder(app.team, order.id)).order_transaction.status).toBe('active');
    }
  });
});

describe('a laboratory that is connected by messages', () => {
  const sent = (orderId: string) =>
    app.db
      .selectFrom('laboratory_outbox')
      .select(['action', 'lab_id', 'state'])
      .where('order_id', '=', orderId)
      .orderBy('id')
      .execute();

  test('gets ready orders and their cancellations, and nothing of orders that wait or were not sent', async () => {
    expect(await sent((await orderBy('walk_in_test')).id)).toEqual([]);
    await asOwner(`update labs set connection = 'hl7' where id = 2`);
    const order = await orderBy('walk_in_test');
    expect(lowStatuses(order)).toEqual(['ordered', 'requisition_bypassed']);
    expect(await sent(order.id)).toEqual([{ action: 'new', lab_id: 2, state: 'waiting' }]);
    await asOwner(`update laboratory_outbox set sent_at = now() where order_id = '${order.id}'`);
    await app.api('POST', `/v3/order/${order.id}/cancel`);
    expect((await sent(order.id)).map(({ action, state }) => [action, state])).toEqual([
      ['new', 'withdrawn'],
      ['cancel', 'waiting'],
    ]);
    const unsent = await orderBy('walk_in_test');
    await app.api('POST', `/v3/order/${unsent.id}/cancel`);
    expect(await sent(unsent.id)).toEqual([{ action: 'new', lab_id: 2, state: 'withdrawn' }]);
    const scheduled = await orderBy('walk_in_test', { activate_by: '2099-01-31' });
    expect(await sent(scheduled.id)).toEqual([]);
    await app.api('PATCH', `/v3/order/${scheduled.id}`, { activate_by: null });
    expect((await sent(scheduled.id)).map(({ action }) => action)).toEqual(['new']);
    const never = await orderBy('walk_in_test', { activate_by: '2099-01-31' });
    await app.api('POST', `/v3/order/${never.id}/cancel`);
    expect(await sent(never.id)).toEqual([]);
    await asOwner(`update labs set connection = 'simulated' where id = 2`);
  });
});
