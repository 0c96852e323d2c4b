import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../../../../test/test-app.ts';
import {
  lowStatuses,
  orderKit,
  readOrder,
  register,
  registeredKit,
  simulate as simulateUnread,
  type OrderBody,
} from '../../../../test/factories.ts';
import { problemsOf } from '../../../../test/people.ts';

type Body = { code: string };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const simulate = (orderId: string, query = '', flags?: object) =>
  simulateUnread(app.team, orderId, query, flags) as Promise<Answer<Body>>;
const read = (orderId: string): Promise<OrderBody> => readOrder(app.team, orderId);
const eventsFor = (order: OrderBody) =>
  app.db
    .selectFrom('events')
    .select('event_type')
    .where('user_id', '=', order.user_id)
    .where('event_type', 'like', 'labtest.order.%')
    .execute();
const waiting = (orderId: string) =>
  app.db.selectFrom('simulations').selectAll().where('order_id', '=', orderId).executeTakeFirst();

const TO_DOOR = ['ordered', 'awaiting_registration', 'transit_customer', 'out_for_delivery', 'with_customer'];
const REGISTERED = [...TO_DOOR, 'requisition_created', 'testkit_registered'];

describe('the simulation of an unregistered kit', () => {
  test("without a final status moves it to its user's door, with a webhook for each step", async () => {
    const order = await orderKit(app.team);
    const answer = await simulate(order.id);
    expect([answer.status, answer.body]).toEqual([200, 'Success']);
    const walked = await read(order.id);
    expect(lowStatuses(walked)).toEqual(TO_DOOR);
    expect((await eventsFor(order)).length).toBe(5);
    expect(walked.sample_id).toMatch(/^SIM[0-9A-Z]{12}$/);
    expect(walked.details.data.shipment).toMatchObject({
      outbound_tracking_number: expect.stringMatching(/^SIM/),
      outbound_tracking_url: expect.stringMatching(/^https:/),
      outbound_courier: 'usps',
      inbound_tracking_number: null,
      inbound_tracking_url: null,
      inbound_courier: null,
      notes: null,
    });
    expect(await waiting(order.id)).toBeUndefined();
  });

  test('changes nothing the second time', async () => {
    const order = await orderKit(app.team);
    await simulate(order.id);
    const before = await read(order.id);
    expect((await simulate(order.id)).status).toBe(200);
    expect(await read(order.id)).toEqual(before);
  });

  test.each([
    ['collecting_sample.testkit.problem_in_transit_customer', ['transit_customer', 'problem_in_transit_customer']],
    [
      'failed.testkit.failure_to_deliver_to_customer',
      ['transit_customer', 'problem_in_transit_customer', 'failure_to_deliver_to_customer'],
    ],
    ['failed.testkit.lost', ['transit_customer', 'lost']],
    ['cancelled.testkit.cancelled', ['cancelled']],
    ['cancelled.testkit.do_not_process', ['do_not_process']],
    ['collecting_sample.testkit.out_for_delivery', ['transit_customer', 'out_for_delivery']],
    ['received.testkit.awaiting_registration', []],
  ])('reaches %s', async (finalStatus, steps) => {
    const order = await orderKit(app.team);
    expect((await simulate(order.id, `?final_status=${finalStatus}`)).status).toBe(200);
    expect(lowStatuses(await read(order.id))).toEqual(['ordered', 'awaiting_registration', ...steps]);
  });

  test.each([
    'collecting_sample.testkit.transit_lab',
    'sample_with_lab.testkit.delivered_to_lab',
    'completed.testkit.completed',
    'completed.testkit.corrected',
    'failed.testkit.sample_error',
    'failed.testkit.failure_to_deliver_to_lab',
    'received.testkit.registered',
    'received.testkit.testkit_registered',
    'received.testkit.requisition_created',
  ])('does not invent a patient to reach %s', async (finalStatus) => {
    const order = await orderKit(app.team);
    const answer = await simulate(order.id, `?final_status=${finalStatus}`);
    expect([answer.status, answer.body.code]).toEqual([400, 'registration_required']);
    expect(await read(order.id)).toEqual({ ...order, health_insurace_id: null });
    expect((await eventsFor(order)).length).toBe(2);
  });
});

describe('the simulation of a registered kit', () => {
  test.each([
    ['', ['transit_lab', 'delivered_to_lab', 'completed'], null],
    ['?final_status=completed.testkit.corrected', ['transit_lab', 'delivered_to_lab', 'completed', 'corrected'], null],
    ['?final_status=collecting_sample.testkit.problem_in_transit_lab', ['transit_lab', 'problem_in_transit_lab'], null],
    [
      '?final_status=failed.testkit.failure_to_deliver_to_lab',
      ['transit_lab', 'problem_in_transit_lab', 'failure_to_deliver_to_lab'],
      null,
    ],
    ['?final_status=failed.testkit.lost', ['transit_lab', 'lost'], null],
    [
      '?final_status=sample_with_lab.testkit.lab_processing_blocked',
      ['transit_lab', 'delivered_to_lab', 'lab_processing_blocked'],
      'date_of_collection_unspecified',
    ],
    [
      '?final_status=failed.testkit.sample_error',
      ['transit_lab', 'delivered_to_lab', 'sample_error'],
      'sample_quantity_not_sufficient',
    ],
    ['?final_status=received.testkit.registered', [], null],
  ])('with "%s" takes the steps %j', async (query, steps, detail) => {
    const order = await registeredKit(app.team);
    expect((await simulate(order.id, query)).status).toBe(200);
    const walked = await read(order.id);
    expect(lowStatuses(walked)).toEqual([...REGISTERED, ...steps]);
    expect(walked.events.at(-1)?.status_detail).toBe(detail);
    // A redraw follows an unusable sample, and has events of its own.
    const redraw = steps.at(-1) === 'sample_error' ? 2 : 0;
    expect((await eventsFor(order)).length).toBe(walked.events.length + redraw);
    if (steps.length > 0)
      expect(walked.details.data.shipment).toMatchObject({
        inbound_tracking_number: expect.stringMatching(/^SIM/),
        inbound_courier: 'usps',
      });
  });

  test('moves on from a problem in transit, and from a blocked sample to the result', async () => {
    const order = await registeredKit(app.team);
    await simulate(order.id, '?final_status=collecting_sample.testkit.problem_in_transit_lab');
    await simulate(order.id, '?final_status=sample_with_lab.testkit.lab_processing_blocked');
    await simulate(order.id);
    expect(lowStatuses(await read(order.id)).slice(REGISTERED.length)).toEqual([
      'transit_lab',
      'problem_in_transit_lab',
      'transit_lab',
      'delivered_to_lab',
      'lab_processing_blocked',
      'completed',
    ]);
  });

  test.each([
    'received.testkit.ordered',
    'collecting_sample.testkit.with_customer',
    'cancelled.testkit.cancelled',
    'completed.walk_in_test.completed',
    'collecting_sample.at_home_phlebotomy.draw_completed',
  ])('cannot reach %s, which is an earlier status or one of another method', async (finalStatus) => {
    const order = await registeredKit(app.team);
    const answer = await simulate(order.id, `?final_status=${finalStatus}`);
    expect([answer.status, answer.body.code]).toEqual([400, 'status_not_reachable']);
    expect(await read(order.id)).toEqual({ ...order, health_insurace_id: null });
  });

  test('refuses an order that has ended', async () => {
    const order = await registeredKit(app.team);
    await simulate(order.id, '?final_status=failed.testkit.lost');
    for (const query of ['', '?final_status=collecting_sample.testkit.transit_lab']) {
      expect((await simulate(order.id, query)).body.code).toBe('status_not_reachable');
    }
    expect((await simulate(order.id, '?final_status=failed.testkit.lost')).status).toBe(200);
  });
});

describe('a simulation with a delay', () => {
  /** Makes every waiting job and simulation due. */
  async function timePasses(): Promise<void> {
    await sql`update graphile_worker._private_jobs set run_at = now() - interval '1 second'`.execute(app.db);
    await app.runJobs();
  }

  test('takes the first step at once and each further one in its own job', async () => {
    const order = await registeredKit(app.team);
    expect((await simulate(order.id, '?delay=3600&final_status=completed.testkit.completed')).status).toBe(200);
    const seen = [lowStatuses(await read(order.id)).length];
    const {
      rows: [job],
    } = await sql<{ seconds: number }>`
      select extract(epoch from run_at - now())::float8 as seconds from graphile_worker._private_jobs
       where payload ->> 'order_id' = ${order.id}`.execute(app.db);
    expect(job?.seconds).toBeGreaterThan(3590);
    expect(job?.seconds).toBeLessThanOrEqual(3600);
    await app.runJobs();
    seen.push(lowStatuses(await read(order.id)).length);
    for (let step = 0; step < 3; step += 1) {
      await timePasses();
      seen.push(lowStatuses(await read(order.id)).length);
    }
    expect(seen).toEqual([8, 8, 9, 10, 10]);
    expect(await waiting(order.id)).toBeUndefined();
    expect((await eventsFor(order)).length).toBe(10);
  });

  test('replaces an unfinished simulation', async () => {
    const order = await registeredKit(app.team);
    await simulate(order.id, '?delay=3600');
    await simulate(order.id, '?delay=3600&final_status=failed.testkit.lost');
    await timePasses();
    await timePasses();
    expect(lowStatuses(await read(order.id)).slice(REGISTERED.length)).toEqual(['transit_lab', 'lost']);
    expect(await waiting(order.id)).toBeUndefined();
  });

  test('leaves an unfinished simulation as it is when it is refused', async () => {
    const order = await orderKit(app.team);
    await simulate(order.id, '?delay=3600');
    const before = await waiting(order.id);
    expect((await simulate(order.id, '?final_status=completed.testkit.completed')).status).toBe(400);
    expect(await waiting(order.id)).toEqual(before);
  });

  test('ends when the order is cancelled', async () => {
    const order = await orderKit(app.team);
    const done = await app.db
      .insertInto('simulations')
      .values({
        user_id: order.user_id,
        order_id: order.id,
        id: randomUUID(),
        team_id: app.team.id,
        steps: ['transit_customer'],
        delay_seconds: 3600,
        due_at: sql`now()`,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await app.api('POST', `/v3/order/${order.id}/cancel`);
    expect(await waiting(order.id)).toBeUndefined();
    const step = JSON.stringify({ team_id: app.team.id, order_id: order.id, simulation_id: done.id, step: 0 });
    await sql`select graphile_worker.add_job('simulation_step', ${step}::json)`.execute(app.db);
    await app.runJobs();
    expect(lowStatuses(await read(order.id)).at(-1)).toBe('cancelled');
  });

  test('goes on after a registration between two steps', async () => {
    const order = await orderKit(app.team);
    await simulate(order.id, '?delay=3600');
    await register(app.team, { sample_id: (await read(order.id)).sample_id });
    await timePasses();
    await timePasses();
    expect(lowStatuses(await read(order.id))).toEqual([
      'ordered',
      'awaiting_registration',
      'transit_customer',
      'requisition_created',
      'testkit_registered',
      'out_for_delivery',
      'with_customer',
    ]);
  });

  test('ends without an error when the order does not allow a step', async () => {
    const order = await registeredKit(app.team);
    await simulate(order.id, '?delay=3600');
    await sql`
      with lost as (
        insert into order_events (user_id, order_id, team_id, id, status)
        select user_id, id, team_id, last_event_id + 1, 'failed.testkit.lost' from orders where id = ${order.id}
        returning id
      ) update orders set last_event_id = lost.id, last_low_level_status = 'lost', last_status = 'failed.testkit.lost'
          from lost
         where orders.id = ${order.id}`.execute(app.db);
    await timePasses();
    expect([lowStatuses(await read(order.id)).at(-1), await waiting(order.id)]).toEqual(['lost', undefined]);
  });

  test('pauses while the user is scheduled for deletion and goes on after the undo', async () => {
    const order = await registeredKit(app.team);
    await simulate(order.id, '?delay=3600');
    await app.api('DELETE', `/v2/user/${order.user_id}`);
    await timePasses();
    const { rows: failed } = await sql`select from graphile_worker._private_jobs where last_error is not null`.execute(
      app.db,
    );
    expect(failed).toEqual([]);
    expect((await eventsFor(order)).length).toBe(8);
    await app.api('POST', `/v2/user/undo_delete?user_id=${order.user_id}`);
    await sql`update simulations set due_at = now() - interval '1 minute' where order_id = ${order.id}`.execute(app.db);
    await sql`select graphile_worker.add_job('resume_simulations')`.execute(app.db);
    await timePasses();
    expect(lowStatuses(await read(order.id)).at(-1)).toBe('delivered_to_lab');
  });
});

describe('a bad request', () => {
  test('gets all of its problems in the answer', async () => {
    const { id } = await orderKit(app.team);
    const answer = await simulate(id, '?final_status=completed.testkit.done&delay=-1', {
      interpretation: 'awful',
      result_types: ['picture'],
      has_missing_results: 'no',
    });
    expect([answer.status, problemsOf(answer)]).toEqual([
      422,
      [
        'body.has_missing_results bool_type',
        'body.interpretation enum',
        'body.result_types.0 enum',
        'query.delay greater_than_equal',
        'query.final_status enum',
      ],
    ]);
    expect(problemsOf(await simulate(id, '?delay=soon'))).toEqual(['query.delay int_parsing']);
    expect(problemsOf(await simulate('7'))).toEqual(['path.order_id uuid_parsing']);
  });

  test("gets the same 404 for an unknown order and another team's order, and 401 without a key", async () => {
    const theirs = await orderKit(await app.makeTeam());
    for (const id of [randomUUID(), theirs.id]) {
      const answer = await simulate(id);
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    }
    expect((await app.api('POST', `/v3/order/${theirs.id}/test`, undefined, { key: null })).status).toBe(401);
  });
});

test('production refuses simulations', async () => {
  const production = await startTestApp({
    PHIAL_ENVIRONMENT: 'production',
  });
  try {
    const answer = (await simulateUnread(production.team, randomUUID())) as Answer<Body>;
    expect([answer.status, answer.body.code]).toEqual([403, 'sandbox_only']);
  } finally {
    await production.close();
  }
});

test('each further correction of an order adds an event and a version of its results', async () => {
  const order = await registeredKit(app.team);
  for (let round = 0; round < 3; round += 1) {
    expect((await simulate(order.id, '?final_status=completed.testkit.corrected')).status).toBe(200);
  }
  expect(lowStatuses(await read(order.id)).slice(-4)).toEqual(['completed', 'corrected', 'corrected', 'corrected']);
  const versions = await app.db
    .selectFrom('lab_results')
    .select('version')
    .where('order_id', '=', order.id)
    .orderBy('version')
    .execute();
  expect(versions.map((row) => row.version)).toEqual([1, 2, 3, 4]);
});

test('the simulation of an order goes on at once when the deletion of its user is undone', async () => {
  const order = await orderKit(app.team);
  await simulate(order.id, '?delay=1');
  await app.api('DELETE', `/v2/user/${order.user_id}`);
  await sql`update graphile_worker._private_jobs set run_at = now()`.execute(app.db);
  await sql`update simulations set due_at = now() - interval '1 second'`.execute(app.db);
  await app.runJobs();
  await app.api('POST', `/v2/user/undo_delete?user_id=${order.user_id}`);
  await app.runJobs();
  expect(lowStatuses(await read(order.id)).length).toBeGreaterThan(3);
});

test('an order with 250 statuses refuses a further simulation, and its answer has all 250 events', async () => {
  const kit = await registeredKit(app.team);
  const loop = ['lab_processing_blocked', 'delivered_to_lab'].map(
    (low) => `?final_status=sample_with_lab.testkit.${low}`,
  );
  await simulate(kit.id, loop[1]);
  let last = await simulate(kit.id, loop[0]);
  for (let n = 1; last.status === 200; n += 1) last = await simulate(kit.id, loop[n % 2]);
  expect([last.status, last.body.code]).toEqual([400, 'status_not_reachable']);
  expect((await read(kit.id)).events).toHaveLength(250);
  expect((await simulate(kit.id)).body.code).toBe('status_not_reachable');
});
