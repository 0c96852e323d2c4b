// Appointments in production, through a scheduler that is connected over a real socket. On the scheduler's side, the
// package `svix` signs requests and verifies ours.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { askPhlebotomy, phoenix, slotsOf } from '../../../test/collected-orders.ts';
import {
  lowStatuses,
  makeUser,
  patientAddress,
  patientDetails,
  physician,
  readOrder,
} from '../../../test/factories.ts';
import { query } from '../../../test/global-setup.ts';
import { addLabTest, byMllp, connectTestLaboratory } from '../../../test/hl7-deployment.ts';
import { publishedTo } from '../../../test/publish-event.ts';
import {
  connectStandIn,
  newSecret,
  startScheduler,
  type StandInScheduler,
} from '../../../test/appointment-scheduler.ts';

type Booked = {
  id: string;
  code: string;
  status: string;
  start_at: string | null;
  external_id: string | null;
  can_reschedule: boolean;
  event_status: string;
  event_data: Record<string, unknown> | null;
  appointment_notes: string | null;
};

let scheduler: StandInScheduler;
let app: TestApp;
let visit: string;
let walkIn: string;
beforeAll(async () => {
  scheduler = await startScheduler();
  app = await startTestApp({ PHIAL_ENVIRONMENT: 'production' });
  await connectTestLaboratory(app.databaseUrl, { orders: byMllp(1) });
  await connectStandIn(app, scheduler, { states: ['AZ'] });
  await connectStandIn(app, scheduler, { provider: 'quest', name: 'Desert Draw Centers' });
  visit = await addLabTest(app, app.team, 'at_home_phlebotomy');
  walkIn = await addLabTest(app, app.team, 'walk_in_test');
  await query(
    app.databaseUrl,
    `insert into service_centers (lab_id, site_code, name, first_line, city, state, zip_code, lat, lng,
      iana_timezone, capabilities,
             scheduling_provider)
    select id, 'MESA-1', 'Mesa Main Street', '1 Example Way', 'Mesa', 'AZ', '85201', 33.42, -111.83, 'America/Phoenix',
           '{appointment_scheduling_via_junction}', 'quest' from labs where slug = 'saguaro-lab'`,
  );
});
beforeEach(() => {
  scheduler.play(null);
  scheduler.asked.length = 0;
});
afterAll(async () => {
  await app.close();
  await scheduler.close();
});

async function orderOf(labTest = visit): Promise<string> {
  const { user_id } = await makeUser(app.team);
  const { body } = await app.team.api<{ order: { id: string } }>('POST', '/v3/order', {
    user_id,
    order_set: { lab_test_ids: [labTest] },
    patient_details: patientDetails,
    patient_address: patientAddress,
    physician,
  });
  return body.order.id;
}
const path = (id: string, action = '', kind = 'phlebotomy'): string =>
  `/v3/order/${id}/${kind}/appointment${action === '' ? '' : `/${action}`}`;
const call = (method: string, id: string, action: string, body?: object) =>
  app.api<Booked>(method, path(id, action), body);
const read = async (id: string): Promise<Booked> => (await app.api<Booked>('GET', path(id))).body;
const keys = async (): Promise<string[]> =>
  slotsOf(await askPhlebotomy(app.team)).map(({ booking_key }) => booking_key);
const statuses = async (id: string): Promise<string[]> =>
  lowStatuses(await readOrder(app.team, id)).filter(
    (status) => status.startsWith('appointment') || status.startsWith('draw'),
  );
const book = async (id: string, key?: string): Promise<Booked> =>
  (await call('POST', id, 'book', { booking_key: key ?? (await keys())[0], appointment_notes: 'Ring twice' })).body;
/** Makes every request that waits for another attempt due. */
const makeDue = async (): Promise<void> => {
  await sql`update scheduler_calls set due_at = now()`.execute(app.db);
  await sql`update graphile_worker._private_jobs set run_at = now()`.execute(app.db);
};
const waiting = async (id: string) =>
  (
    await sql<{ kind: string; by_hand: boolean; last_error: string | null }>`
    select kind, by_hand, last_error from scheduler_calls where order_id = ${id} order by id`.execute(app.db)
  ).rows;
const updateOf = (appointment_id: string, status: string, more: object = {}) => ({
  appointment_id,
  status,
  occurred_at: new Date().toISOString(),
  ...more,
});

describe('a visit by a connected scheduler', () => {
  test('has the slots and prices of the scheduler, in the states that it visits', async () => {
    const offered = slotsOf(await askPhlebotomy(app.team));
    expect(offered.length).toBeGreaterThan(10);
    expect(offered[0]).toMatchObject({ price: 12.5, num_appointments_available: 2 });
    const { id, ...question } = scheduler.asked[0] as never as { id: string; path: string; body: object };
    expect(id).toMatch(/^[\w-]+$/);
    expect(question).toEqual({
      path: 'availability',
      body: {
        type: 'phlebotomy',
        address: { ...phoenix, second_line: null },
        from: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
        to: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
        time_zone: 'America/Phoenix',
      },
    });
    const area = (zip: string) =>
      app.api<{ phlebotomy: object }>('GET', `/v3/order/area/info?zip_code=${zip}`).then(({ body }) => body.phlebotomy);
    expect(await area('85004')).toEqual({
      is_served: true,
      providers: [{ name: 'getlabs', service_types: ['appointment-ready', 'appointment-request'] }],
    });
    expect(await area('10001')).toEqual({ is_served: false, providers: [] });
  });

  test('is pending until the scheduler confirms it, and only then scheduled', async () => {
    const id = await orderOf();
    const booked = await book(id);
    expect(booked).toMatchObject({ status: 'pending', external_id: null, can_reschedule: false });
    expect(await statuses(id)).toEqual(['appointment_pending']);
    scheduler.asked.length = 0;
    await app.runJobs();
    expect(await read(id)).toMatchObject({
      id: booked.id,
      status: 'confirmed',
      start_at: booked.start_at,
      external_id: `EXT-${booked.id.slice(-6)}`,
      can_reschedule: true,
    });
    expect(await statuses(id)).toEqual(['appointment_pending', 'appointment_scheduled']);
    expect(scheduler.asked).toHaveLength(1);
    expect(scheduler.asked[0]?.body).toMatchObject({
      appointment_id: booked.id,
      order_id: id,
      type: 'phlebotomy',
      start: booked.start_at,
      notes: 'Ring twice',
      address: { first_line: '100 West Test Street', zip_code: '85004' },
      site_code: null,
      patient: patientDetails,
      lab_test: { name: 'Metabolic health', lab: 'saguaro-lab' },
    });
    expect(scheduler.unsigned).toBe(0);
  });

  test('that the scheduler refuses is cancelled with the reason, and another slot can be booked', async () => {
    const [first, second] = await keys();
    await book(await orderOf(), first);
    await app.runJobs();
    const id = await orderOf();
    await book(id, first);
    await app.runJobs();
    expect(await read(id)).toMatchObject({ status: 'cancelled', event_data: { refused: 'slot_taken' } });
    expect(await statuses(id)).toEqual(['appointment_pending', 'appointment_cancelled']);
    expect(await waiting(id)).toEqual([]);
    await book(id, second);
    await app.runJobs();
    expect(await read(id)).toMatchObject({ status: 'confirmed' });
  });

  test('is requested again under the same ids until the scheduler answers, and booked once', async () => {
    const id = await orderOf();
    const booked = await book(id, (await keys())[3]);
    const replies = [
      { status: 503 },
      { status: 200, text: 'not json' },
      { status: 200, json: { status: 'no such status' } },
      { status: 401 },
    ];
    scheduler.asked.length = 0;
    scheduler.play(() => replies.shift() ?? null);
    for (let n = 0; n < 5; n += 1) {
      await app.runJobs();
      await makeDue();
    }
    expect(new Set(scheduler.asked.map(({ id: request }) => request)).size).toBe(1);
    expect(scheduler.asked).toHaveLength(5);
    expect(await read(id)).toMatchObject({ id: booked.id, status: 'confirmed' });
    expect(await waiting(id)).toEqual([]);
  });

  test('without an answer is given up after eight attempts, and cancelled at the scheduler as well', async () => {
    const id = await orderOf();
    const booked = await book(id, (await keys())[4]);
    scheduler.asked.length = 0;
    scheduler.play(({ path: asked }) => (asked.endsWith('/cancel') ? null : { status: 500 }));
    for (let n = 0; n < 10; n += 1) {
      await app.runJobs();
      await makeDue();
    }
    expect(await read(id)).toMatchObject({ status: 'cancelled', event_data: { refused: 'scheduler_no_answer' } });
    expect(scheduler.asked.map(({ path: asked }) => asked)).toEqual([
      ...Array.from({ length: 8 }, () => 'appointments'),
      `appointments/${booked.id}/cancel`,
    ]);
    expect(await waiting(id)).toEqual([]);
  });

  test('moves after the scheduler has moved it, and keeps its time if the scheduler refuses', async () => {
    const [first, second, third] = (await keys()).slice(5);
    const other = await orderOf();
    await book(other, third);
    const id = await orderOf();
    const booked = await book(id, first);
    await app.runJobs();
    const asked = await call('PATCH', id, 'reschedule', { booking_key: second });
    expect([asked.status, asked.body.status, asked.body.start_at]).toEqual([200, 'confirmed', booked.start_at]);
    const again = await call('PATCH', id, 'reschedule', { booking_key: second });
    expect([again.status, again.body.code]).toEqual([400, 'appointment_not_reschedulable']);
    await app.runJobs();
    const moved = await read(id);
    expect(moved.start_at).not.toBe(booked.start_at);
    expect(await statuses(id)).toEqual(['appointment_pending', 'appointment_scheduled', 'appointment_scheduled']);
    await call('PATCH', id, 'reschedule', { booking_key: third });
    await app.runJobs();
    expect(await read(id)).toMatchObject({
      status: 'confirmed',
      start_at: moved.start_at,
      event_data: { refused: 'slot_taken' },
    });
  });

  test('that is cancelled, alone or with its order, is cancelled at the scheduler until it answers', async () => {
    const [byItself, withOrder] = [await orderOf(), await orderOf()];
    const [first, second] = (await keys()).slice(-2);
    const [one, two] = [await book(byItself, first), await book(withOrder, second)];
    await app.runJobs();
    expect([...scheduler.booked.keys()]).toEqual(expect.arrayContaining([one.id, two.id]));
    const reason = { cancellation_reason_id: '0b7f6a52-3c1d-4e8a-9f20-000000000101' };
    expect((await call('PATCH', byItself, 'cancel', reason)).body.status).toBe('cancelled');
    expect((await app.api('POST', `/v3/order/${withOrder}/cancel`)).status).toBe(200);
    scheduler.play(() => ({ status: 502 }));
    await app.runJobs();
    expect(await waiting(byItself)).toEqual([{ kind: 'cancel', by_hand: false, last_error: 'status_502' }]);
    scheduler.play(null);
    await makeDue();
    await app.runJobs();
    expect(scheduler.booked.has(one.id) || scheduler.booked.has(two.id)).toBe(false);
    expect([await waiting(byItself), await waiting(withOrder)]).toEqual([[], []]);
  });

  test('whose cancellation the scheduler refuses is left to the operator', async () => {
    const id = await orderOf();
    await book(id, (await keys())[9]);
    await app.runJobs();
    await call('PATCH', id, 'cancel', { cancellation_reason_id: '0b7f6a52-3c1d-4e8a-9f20-000000000101' });
    scheduler.play(() => ({ status: 409, json: { code: 'too_late' } }));
    await app.runJobs();
    expect(await waiting(id)).toEqual([{ kind: 'cancel', by_hand: true, last_error: 'too_late' }]);
  });

  test('that is cancelled before the scheduler was asked is never booked', async () => {
    const id = await orderOf();
    const booked = await book(id, (await keys())[10]);
    await call('PATCH', id, 'cancel', { cancellation_reason_id: '0b7f6a52-3c1d-4e8a-9f20-000000000101' });
    scheduler.asked.length = 0;
    await app.runJobs();
    expect(scheduler.asked.map(({ path: asked }) => asked)).toEqual([`appointments/${booked.id}/cancel`]);
    expect(await waiting(id)).toEqual([]);
  });

  test('without a time is confirmed by an update with a time', async () => {
    const id = await orderOf();
    const asked = await call('POST', id, 'request', { address: phoenix, provider: 'getlabs' });
    expect(asked.body).toMatchObject({ status: 'pending', start_at: null });
    await app.runJobs();
    expect(await statuses(id)).toEqual(['appointment_pending']);
    const time = { start: '2031-02-03T09:00:00-07:00', end: '2031-02-03T10:00:00-07:00' };
    expect(await scheduler.sendUpdate(app, updateOf(asked.body.id, 'confirmed'))).toBe('422 scheduler_news_invalid');
    expect(await scheduler.sendUpdate(app, updateOf(asked.body.id, 'confirmed', time))).toBe('200');
    expect(await read(id)).toMatchObject({ status: 'confirmed', start_at: '2031-02-03T16:00:00.000Z' });
    expect(await statuses(id)).toEqual(['appointment_pending', 'appointment_scheduled']);
  });
});

describe('an update of a scheduler', () => {
  async function confirmed(at = 11): Promise<{ id: string; appointment: string }> {
    const id = await orderOf();
    const { id: appointment } = await book(id, (await keys())[at]);
    await app.runJobs();
    scheduler.booked.clear();
    return { id, appointment };
  }
  const ago = (seconds: number) => ({ occurred_at: new Date(Date.now() - seconds * 1_000).toISOString() });

  test('moves the appointment and its order, and publishes an event for each change', async () => {
    const { id, appointment } = await confirmed();
    expect(await scheduler.sendUpdate(app, updateOf(appointment, 'in_progress', ago(30)))).toBe('200');
    expect((await read(id)).status).toBe('in_progress');
    expect(await scheduler.sendUpdate(app, updateOf(appointment, 'completed', ago(20)))).toBe('200');
    expect((await read(id)).status).toBe('completed');
    expect(await statuses(id)).toEqual(['appointment_pending', 'appointment_scheduled', 'draw_completed']);
    const published = (await publishedTo(app, app.team))
      .filter(({ event_type }) => event_type.startsWith('labtest.appointment'))
      .map(({ body }) => (JSON.parse(body) as { data: { id: string; status: string } }).data)
      .filter((data) => data.id === appointment);
    expect(published.map(({ status }) => status)).toEqual(['pending', 'confirmed', 'in_progress', 'completed']);
  });

  test('that is repeated, late or after the end of the appointment changes nothing', async () => {
    const { id, appointment } = await confirmed();
    const cancelled = updateOf(appointment, 'cancelled', { ...ago(10), reason: 'no_show' });
    expect(await scheduler.sendUpdate(app, updateOf(appointment, 'confirmed', ago(5)))).toBe('200');
    expect(await scheduler.sendUpdate(app, cancelled)).toBe('200');
    expect((await read(id)).status).toBe('confirmed');
    const now = updateOf(appointment, 'cancelled', { reason: 'no_show' });
    for (let n = 0; n < 2; n += 1) expect(await scheduler.sendUpdate(app, now)).toBe('200');
    expect(await read(id)).toMatchObject({
      status: 'cancelled',
      event_data: { cancelled_by: 'scheduler', reason: 'no_show' },
    });
    expect(await scheduler.sendUpdate(app, updateOf(appointment, 'completed'))).toBe('200');
    expect(await statuses(id)).toEqual(['appointment_pending', 'appointment_scheduled', 'appointment_cancelled']);
    expect(await waiting(id)).toEqual([]);
  });

  test('is refused unsigned, under another secret, unknown, malformed or from another scheduler', async () => {
    const { appointment } = await confirmed();
    const right = updateOf(appointment, 'cancelled');
    expect(await scheduler.sendUpdate(app, right, { secret: newSecret() })).toBe('401 signature_refused');
    expect(await scheduler.sendUpdate(app, right, { provider: 'quest' })).toBe('404 not_found');
    expect(await scheduler.sendUpdate(app, right, { provider: 'phlebfinders' })).toBe('404 not_found');
    expect(await scheduler.sendUpdate(app, updateOf('0199aaaa-aaaa-7aaa-8aaa-aaaaaaaaaaaa', 'cancelled'))).toBe(
      '404 not_found',
    );
    for (const raw of [
      '{',
      '[]',
      JSON.stringify({ ...right, status: 'gone' }),
      JSON.stringify({ ...right, occurred_at: '2031-01-01T00:00:00Z' }),
    ])
      expect(await scheduler.sendUpdate(app, {}, { raw })).toBe('422 scheduler_news_invalid');
    const unsigned = await fetch(`${app.baseUrl}/hooks/scheduler/getlabs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(right),
    });
    expect(unsigned.status).toBe(401);
  });

  test('that comes before the answer to the booking stands after that answer', async () => {
    const id = await orderOf();
    const booked = await book(id, (await keys())[12]);
    let answer = (): void => undefined;
    const wait = new Promise<void>((resolve) => {
      answer = resolve;
    });
    scheduler.asked.length = 0;
    scheduler.play(() => ({ status: 409, json: { code: 'slot_taken' }, wait }));
    const jobs = app.runJobs();
    await expect.poll(() => scheduler.asked.length, { interval: 5 }).toBe(1);
    expect(await scheduler.sendUpdate(app, updateOf(booked.id, 'confirmed'))).toBe('200');
    answer();
    await jobs;
    expect((await read(id)).status).toBe('confirmed');
    expect(await statuses(id)).toEqual(['appointment_pending', 'appointment_scheduled']);
  });
});

describe('at a service center', () => {
  test('an appointment is booked, confirmed and completed, and the order waits for the laboratory', async () => {
    const id = await orderOf(walkIn);
    const { body } = await app.api<{ slots: { location: { code: string }; slots: { booking_key: string }[] }[] }>(
      'POST',
      '/v3/order/psc/appointment/availability?lab=quest&zip_code=85201',
    );
    expect(body.slots[0]?.location.code).toBe('MESA-1');
    const booking_key = body.slots[0]?.slots[0]?.booking_key;
    const booked = await app.api<Booked>('POST', path(id, 'book', 'psc'), { booking_key });
    expect(booked.body).toMatchObject({ status: 'pending', provider: 'quest', provider_id: 'MESA-1' });
    await app.runJobs();
    expect(scheduler.asked.at(-1)?.body).toMatchObject({
      type: 'patient_service_center',
      site_code: 'MESA-1',
      address: null,
    });
    expect(await scheduler.sendUpdate(app, updateOf(booked.body.id, 'completed'), { provider: 'quest' })).toBe('200');
    expect((await app.api<Booked>('GET', path(id, '', 'psc'))).body.status).toBe('completed');
    expect(await statuses(id)).toEqual(['appointment_pending', 'appointment_scheduled']);
  });
});

describe('a scheduler that does not answer', () => {
  test('leads to a refusal in time, and an answer that is too large or invalid counts as none', async () => {
    const never = new Promise<void>(() => undefined);
    const many = Array.from({ length: 1_001 }, (_, n) => ({
      slot_id: `${n}`,
      start: '2031-01-01T00:00:00Z',
      end: '2031-01-01T01:00:00Z',
    }));
    const replies = [
      { status: 200, wait: never },
      { status: 500 },
      { status: 200, text: 'x'.repeat(300_000) },
      { status: 200, json: { slots: many } },
    ];
    for (const reply of replies) {
      scheduler.play(() => reply);
      const answer = await app.api<{ code: string }>('POST', '/v3/order/phlebotomy/appointment/availability', phoenix);
      expect([answer.status, answer.body.code]).toEqual([503, 'scheduler_unavailable']);
      expect(answer.headers.get('retry-after')).toBe('5');
    }
  });
});
