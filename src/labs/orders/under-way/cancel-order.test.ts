import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../../../../test/test-app.ts';
import {
  lowStatuses,
  makeUser,
  orderKit,
  readOrder,
  register,
  simulate,
  type OrderBody,
} from '../../../../test/factories.ts';
import { untilBlocked } from '../../../../test/until-blocked.ts';
import { appendOrderEvents } from '../status/append-events.ts';
import { insertOrder } from '../create/insert-order.ts';
import { lockOrder } from '../load-order.ts';
import type { CollectionMethod, LowLevelStatus } from '../status/statuses.ts';

type Cancelled = { order: OrderBody; status: string; message: string; code: string };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const cancel = (orderId: string, options: { key?: null } = {}): Promise<Answer<Cancelled>> =>
  app.api<Cancelled>('POST', `/v3/order/${orderId}/cancel`, undefined, options);
const eventIdsOf = (userId: string) => app.db.selectFrom('events').select('id').where('user_id', '=', userId).execute();

/** Inserts an order with this collection method that has had these statuses. Returns its id. */
async function orderWith(method: CollectionMethod, statuses: LowLevelStatus[]): Promise<string> {
  const { user_id } = await makeUser(app.team);
  const { id } = await app.db
    .selectFrom('lab_tests')
    .select('id')
    .where('team_id', '=', app.team.id)
    .where('method', '=', method)
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow();
  return app.db.transaction().execute(async (db) => {
    const ctx = { ...app.ctx, db, team: { id: app.team.id, org_id: app.team.org_id, settings: {} } };
    const order = await insertOrder(ctx, { user_id, lab_test_id: id, method, shipping_details: null, statuses });
    return order.row.id;
  });
}

const before = {
  // For each method, `open` has lists of statuses after which an order can be cancelled. After the statuses of a list
  // in `closed`, it cannot be cancelled.
  testkit: {
    open: [
      ['ordered'],
      ['ordered', 'awaiting_registration'],
      ['ordered', 'awaiting_registration', 'requisition_created'],
      ['ordered', 'awaiting_registration', 'requisition_created', 'testkit_registered'],
      ['ordered', 'requisition_created'],
      ['ordered', 'requisition_bypassed'],
    ],
    closed: [
      ['transit_customer'],
      ['transit_customer', 'out_for_delivery'],
      ['transit_customer', 'problem_in_transit_customer'],
      ['transit_customer', 'lost'],
      ['transit_customer', 'out_for_delivery', 'with_customer', 'transit_lab'],
      ['transit_customer', 'out_for_delivery', 'with_customer', 'transit_lab', 'delivered_to_lab', 'completed'],
    ]
      .map((steps) => ['ordered', 'requisition_created', ...steps])
      .concat([['ordered', 'awaiting_registration', 'transit_customer', 'requisition_created', 'testkit_registered']]),
  },
  walk_in_test: {
    open: [
      ['ordered'],
      ['ordered', 'requisition_created'],
      ['ordered', 'requisition_created', 'appointment_pending', 'appointment_scheduled'],
      ['ordered', 'requisition_created', 'appointment_pending', 'appointment_cancelled'],
      ['ordered', 'requisition_created', 'redraw_available'],
    ],
    closed: [['partial_results'], ['completed'], ['sample_error'], ['completed', 'corrected']].map((steps) => [
      'ordered',
      'requisition_created',
      ...steps,
    ]),
  },
  at_home_phlebotomy: {
    open: [
      ['ordered'],
      ['ordered', 'requisition_created', 'appointment_pending', 'appointment_scheduled', 'draw_completed'],
    ],
    closed: [['partial_results'], ['completed'], ['sample_error']].map((steps) => [
      'ordered',
      'requisition_created',
      'appointment_pending',
      'appointment_scheduled',
      'draw_completed',
      ...steps,
    ]),
  },
  on_site_collection: {
    open: [['ordered'], ['ordered', 'requisition_created'], ['ordered', 'requisition_created', 'draw_completed']],
    closed: [['partial_results'], ['completed'], ['sample_error']].map((steps) => [
      'ordered',
      'requisition_created',
      'draw_completed',
      ...steps,
    ]),
  },
} satisfies Record<CollectionMethod, { open: string[][]; closed: string[][] }>;

const cases = (which: 'open' | 'closed'): [CollectionMethod, string, LowLevelStatus[]][] =>
  Object.entries(before).flatMap(([method, lists]) =>
    lists[which].map((steps) => [method as CollectionMethod, steps.join(', '), steps as LowLevelStatus[]]),
  );

describe('cancelling', () => {
  test.each(cases('open'))(
    'a %s order after %s is cancelled, and a second call is not an error',
    async (method, _, statuses) => {
      const id = await orderWith(method, statuses);
      const first = await cancel(id);
      expect([first.status, first.body.status, first.body.message]).toEqual([200, 'success', 'order cancelled']);
      expect(lowStatuses(first.body.order)).toEqual([...statuses, 'cancelled']);
      expect(first.body.order).toMatchObject({
        status: 'cancelled',
        last_event: { status: `cancelled.${method}.cancelled` },
        order_transaction: { status: 'cancelled' },
      });
      const events = await eventIdsOf(first.body.order.user_id);
      expect(events.length).toBe(statuses.length + 1);
      const second = await cancel(id);
      expect([second.status, second.body]).toEqual([
        200,
        { order: first.body.order, status: 'success', message: 'order already cancelled' },
      ]);
      expect(await eventIdsOf(first.body.order.user_id)).toEqual(events);
    },
  );

  test.each(cases('closed'))('a %s order after %s is refused, and nothing is written', async (method, _, statuses) => {
    const id = await orderWith(method, statuses);
    const order = await readOrder(app.team, id);
    const events = await eventIdsOf(order.user_id);
    const answer = await cancel(id);
    expect([answer.status, answer.body.code]).toEqual([400, 'order_not_cancellable']);
    expect(await readOrder(app.team, id)).toEqual(order);
    expect(await eventIdsOf(order.user_id)).toEqual(events);
  });

  test('an order that was registered on its way is refused, although its status is received', async () => {
    const order = await orderKit(app.team);
    await simulate(app.team, order.id, '?final_status=collecting_sample.testkit.transit_customer');
    const { body } = await register(app.team, { sample_id: (await readOrder(app.team, order.id)).sample_id });
    expect(body.order.status).toBe('received');
    expect((await cancel(order.id)).body.code).toBe('order_not_cancellable');
  });

  test("an unknown order and another team's answer the same 404", async () => {
    const theirs = await orderKit(await app.makeTeam());
    for (const id of [randomUUID(), theirs.id]) {
      const answer = await cancel(id);
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    }
    expect((await cancel('7')).status).toBe(422);
    expect((await cancel(theirs.id, { key: null })).status).toBe(401);
  });

  test('an order of a user that is scheduled for deletion answers 404', async () => {
    const order = await orderKit(app.team);
    await app.api('DELETE', `/v2/user/${order.user_id}`);
    expect((await cancel(order.id)).body.code).toBe('user_scheduled_for_deletion');
  });
});

describe('while another transaction holds the order', () => {
  /** Requests a cancellation while a transaction that gives the order the status `change` is still open. */
  async function cancelDuring(orderId: string, change: LowLevelStatus): Promise<Answer<Cancelled>> {
    const { answer } = await app.db.transaction().execute(async (db) => {
      const ctx = { ...app.ctx, db, team: { id: app.team.id, org_id: app.team.org_id, settings: {} } };
      await appendOrderEvents(ctx, await lockOrder(ctx, orderId), [{ status: change }]);
      const answer = cancel(orderId);
      await untilBlocked(app.db);
      return { answer };
    });
    return answer;
  }

  test('a cancellation waits, and is refused if the kit was sent meanwhile', async () => {
    const order = await orderKit(app.team);
    const answer = await cancelDuring(order.id, 'transit_customer');
    expect([answer.status, answer.body.code]).toEqual([400, 'order_not_cancellable']);
  });

  test('the second of two cancellations finds the order cancelled', async () => {
    const order = await orderKit(app.team);
    expect((await cancelDuring(order.id, 'cancelled')).body.message).toBe('order already cancelled');
  });
});
