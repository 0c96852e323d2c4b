import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { orderKit, readOrder, registeredKit, simulate } from '../../../test/factories.ts';
import { newId } from '../../ids.ts';

type Transaction = {
  id: string;
  team_id: string;
  status: string;
  orders: { id: string; last_status: string }[];
  code: string;
};

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const read = (id: string, options: { key?: null } = {}) =>
  app.api<Transaction>('GET', `/v3/order_transaction/${id}`, undefined, options);

/** Stores a redraw of an order (a repetition with a new sample), whose newest status is `last`. Returns its id. */
async function redrawOf(orderId: string, last: string): Promise<string> {
  const id = newId();
  const changes = JSON.stringify({ id, origin: 'redraw', sample_id: null, last_low_level_status: last });
  await sql`
    insert into orders select (jsonb_populate_record(orders, ${changes}::jsonb)).*
      from orders where id = ${orderId}`.execute(app.db);
  return id;
}

describe('an order transaction', () => {
  test('has its order with the newest status', async () => {
    const order = await orderKit(app.team);
    const { status, body } = await read(order.order_transaction.id);
    expect([status, body]).toEqual([
      200,
      {
        id: order.order_transaction.id,
        team_id: app.team.id,
        status: 'active',
        orders: [
          {
            id: order.id,
            origin: 'initial',
            parent_id: null,
            last_status: 'awaiting_registration',
            last_status_created_at: order.events[1]?.created_at,
            created_at: order['created_at'],
            updated_at: order.updated_at,
          },
        ],
      },
    ]);
  });

  test.each([
    ['completed', 'completed.testkit.completed', 'completed'],
    ['completed', 'failed.testkit.lost', 'lost'],
    ['completed', 'completed.testkit.corrected', 'corrected'],
    ['active', 'sample_with_lab.testkit.lab_processing_blocked', 'lab_processing_blocked'],
  ])('is %s at %s', async (status, finalStatus, last) => {
    const order = await registeredKit(app.team);
    await simulate(app.team, order.id, `?final_status=${finalStatus}`);
    const { body } = await read(order.order_transaction.id);
    expect([body.status, body.orders[0]?.last_status]).toEqual([status, last]);
    expect((await readOrder(app.team, order.id)).order_transaction.status).toBe(status);
  });

  test.each(['cancelled', 'do_not_process'])('is cancelled when its only order is at %s', async (last) => {
    const order = await orderKit(app.team);
    await simulate(app.team, order.id, `?final_status=cancelled.testkit.${last}`);
    expect((await read(order.order_transaction.id)).body.status).toBe('cancelled');
  });

  test.each([
    ['active', 'completed.testkit.completed', 'ordered'],
    ['active', 'failed.testkit.lost', 'transit_lab'],
    ['completed', 'failed.testkit.lost', 'cancelled'],
    ['completed', 'completed.testkit.completed', 'completed'],
  ])('is %s with an order at %s and its redraw at %s', async (status, finalStatus, redraw) => {
    const order = await registeredKit(app.team);
    await simulate(app.team, order.id, `?final_status=${finalStatus}`);
    const id = await redrawOf(order.id, redraw);
    const { body } = await read(order.order_transaction.id);
    expect([body.status, body.orders.map((one) => one.id)]).toEqual([status, [order.id, id]]);
  });

  test("an unknown one and another team's answer 404; a malformed id 422; no key 401", async () => {
    const theirs = await orderKit(await app.makeTeam());
    for (const id of [randomUUID(), theirs.order_transaction.id]) {
      const answer = await read(id);
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    }
    expect((await read('7')).status).toBe(422);
    expect((await read(theirs.order_transaction.id, { key: null })).status).toBe(401);
  });

  test('disappears with its user', async () => {
    const order = await orderKit(app.team);
    await app.api('DELETE', `/v2/user/${order.user_id}`);
    expect((await read(order.order_transaction.id)).body.code).toBe('user_scheduled_for_deletion');
  });
});
