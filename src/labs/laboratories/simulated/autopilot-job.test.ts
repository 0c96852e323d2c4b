import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { lowStatuses, orderKit, readOrder, register, type OrderBody } from '../../../../test/factories.ts';

const TO_DOOR = ['ordered', 'awaiting_registration', 'transit_customer', 'out_for_delivery', 'with_customer'];

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ PHIAL_SANDBOX_AUTOPILOT_SECONDS: '3600' });
});
afterAll(() => app.close());

const read = (orderId: string): Promise<OrderBody> => readOrder(app.team, orderId);

async function timePasses(): Promise<void> {
  await sql`update graphile_worker._private_jobs set run_at = now() - interval '1 second'`.execute(app.db);
  await app.runJobs();
}

describe('with PHIAL_SANDBOX_AUTOPILOT_SECONDS', () => {
  test('an order moves by itself to its user, and after the registration to its result', async () => {
    const order = await orderKit(app.team);
    expect(lowStatuses(order)).toEqual(TO_DOOR.slice(0, 2));
    const lengths: number[] = [];
    for (let times = 0; times < 5; times += 1) {
      await app.runJobs();
      lengths.push((await read(order.id)).events.length);
      await timePasses();
    }
    expect(lengths).toEqual([3, 4, 5, 5, 5]);
    const door = await read(order.id);
    expect(lowStatuses(door)).toEqual(TO_DOOR);
    await register(app.team, { sample_id: door.sample_id });
    for (let times = 0; times < 4; times += 1) await timePasses();
    expect(lowStatuses(await read(order.id)).slice(TO_DOOR.length)).toEqual([
      'requisition_created',
      'testkit_registered',
      'transit_lab',
      'delivered_to_lab',
      'completed',
    ]);
  });

  test('an order waits the configured seconds between steps', async () => {
    const order = await orderKit(app.team);
    await app.runJobs();
    const { delay_seconds, next_step } = await app.db
      .selectFrom('simulations')
      .select(['delay_seconds', 'next_step'])
      .where('order_id', '=', order.id)
      .executeTakeFirstOrThrow();
    expect([delay_seconds, next_step]).toEqual([3600, 1]);
    await app.runJobs();
    expect((await read(order.id)).events.length).toBe(3);
  });

  test('an order that is registered during its delivery moves on to its result', async () => {
    const order = await orderKit(app.team);
    await app.runJobs();
    await register(app.team, { sample_id: (await read(order.id)).sample_id });
    for (let times = 0; times < 6; times += 1) await timePasses();
    expect(lowStatuses(await read(order.id))).toEqual([
      'ordered',
      'awaiting_registration',
      'transit_customer',
      'requisition_created',
      'testkit_registered',
      'out_for_delivery',
      'with_customer',
      'transit_lab',
      'delivered_to_lab',
      'completed',
    ]);
  });

  test('cancelled orders and orders of users scheduled for deletion do not move', async () => {
    const cancelled = await orderKit(app.team);
    await app.api('POST', `/v3/order/${cancelled.id}/cancel`);
    const gone = await orderKit(app.team);
    await app.api('DELETE', `/v2/user/${gone.user_id}`);
    await timePasses();
    expect(lowStatuses(await read(cancelled.id)).at(-1)).toBe('cancelled');
    await app.api('POST', `/v2/user/undo_delete?user_id=${gone.user_id}`);
    expect((await read(gone.id)).events.length).toBe(2);
    const { rows: failed } = await sql`select from graphile_worker._private_jobs where last_error is not null`.execute(
      app.db,
    );
    expect(failed).toEqual([]);
  });
});

test('without PHIAL_SANDBOX_AUTOPILOT_SECONDS no order moves by itself', async () => {
  const still = await startTestApp();
  try {
    const order = await orderKit(still.team);
    await still.runJobs();
    const { rows: jobs } = await sql`select from graphile_worker._private_jobs`.execute(still.db);
    expect([jobs.length, (await readOrder(still.team, order.id)).events.length]).toEqual([0, 2]);
  } finally {
    await still.close();
  }
});
