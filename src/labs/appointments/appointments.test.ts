// An order's appointment from its booking to its end, and the statuses of the order.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { askCenters, askPhlebotomy, bookedOrder, orderBy, phoenix, slotsOf } from '../../../test/collected-orders.ts';
import { lowStatuses, makeUser, readOrder, simulate } from '../../../test/factories.ts';

type Booked = {
  id: string;
  start_at: string | null;
  status: string;
  can_reschedule: boolean;
  appointment_notes: string | null;
  event_status: string;
  event_data: Record<string, unknown> | null;
  events: { status: string; created_at: string }[];
  location: { lat: number };
  address: Record<string, unknown>;
  [key: string]: unknown;
};
type Refusal = { code: string };

const KINDS = [
  ['phlebotomy', 'at_home_phlebotomy'],
  ['psc', 'walk_in_test'],
] as const;
type Kind = (typeof KINDS)[number][0];

const OTHER_REASON = {
  phlebotomy: '0b7f6a52-3c1d-4e8a-9f20-000000000199',
  psc: '0b7f6a52-3c1d-4e8a-9f20-000000000299',
};
const A_REASON = { phlebotomy: '0b7f6a52-3c1d-4e8a-9f20-000000000101', psc: '0b7f6a52-3c1d-4e8a-9f20-000000000201' };

const SCHEDULED = '?final_status=collecting_sample.at_home_phlebotomy.appointment_scheduled';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const offered = async (kind: Kind, team: Team = app.team): Promise<string[]> =>
  slotsOf(kind === 'psc' ? await askCenters(team) : await askPhlebotomy(team)).map(({ booking_key }) => booking_key);
const at = (kind: Kind, id: string, action = ''): string =>
  `/v3/order/${id}/${kind}/appointment${action === '' ? '' : `/${action}`}`;
const book = (kind: Kind, id: string, booking_key = '', more: object = {}) =>
  app.api<Booked & Refusal>('POST', at(kind, id, 'book'), { booking_key, ...more });
const reschedule = (kind: Kind, id: string, booking_key = '', more: object = {}) =>
  app.api<Booked & Refusal>('PATCH', at(kind, id, 'reschedule'), { booking_key, ...more });
const cancel = (kind: Kind, id: string, reason = A_REASON[kind], words?: string) =>
  app.api<Booked & Refusal>(
    'PATCH',
    at(kind, id, 'cancel'),
    kind === 'psc' ? { cancellationReasonId: reason, note: words } : { cancellation_reason_id: reason, notes: words },
  );
const read = (kind: Kind, id: string) => app.api<Booked & Refusal>('GET', at(kind, id));
const said = async (answer: Promise<{ status: number; body: Refusal }>): Promise<string> => {
  const { status, body } = await answer;
  return `${status} ${body.code}`;
};

describe.each(KINDS)('by %s', (kind, method) => {
  test('an appointment is booked, moved, cancelled and booked again, and its order follows', async () => {
    const id = await orderBy(app.team, method);
    const [first, second] = await offered(kind);
    const booked = await book(kind, id, first, { appointment_notes: 'Ring twice' });
    expect(booked.body).toMatchObject({
      order_id: id,
      type: kind === 'psc' ? 'patient_service_center' : 'phlebotomy',
      provider: kind === 'psc' ? 'sonora_quest' : 'getlabs',
      status: 'confirmed',
      event_status: 'scheduled',
      can_reschedule: true,
      iana_timezone: 'America/Phoenix',
      appointment_notes: 'Ring twice',
      address: kind === 'psc' ? { first_line: '100 Example Center Way' } : phoenix,
    });
    expect((await readOrder(app.team, id)).details.data).toMatchObject({ appointment_id: booked.body.id });

    const moved = await reschedule(kind, id, second);
    expect(moved.body).toMatchObject({ id: booked.body.id, status: 'confirmed', appointment_notes: 'Ring twice' });
    expect(moved.body.start_at).not.toBe(booked.body.start_at);

    const cancelled = await cancel(kind, id, OTHER_REASON[kind], 'They moved');
    expect(cancelled.body).toMatchObject({
      status: 'cancelled',
      event_status: 'cancelled',
      event_data: { cancellation_reason_id: OTHER_REASON[kind], notes: 'They moved' },
      can_reschedule: false,
    });
    expect(cancelled.body.events.map(({ status }) => status)).toEqual(['scheduled', 'scheduled', 'cancelled']);
    expect((await cancel(kind, id)).body).toEqual(cancelled.body);
    expect((await read(kind, id)).body).toEqual(cancelled.body);

    const again = await book(kind, id, (await offered(kind))[0]);
    expect(again.body).toMatchObject({ status: 'confirmed', start_at: booked.body.start_at });
    expect(again.body.id).not.toBe(booked.body.id);
    const order = await readOrder(app.team, id);
    expect(order.details.data).toMatchObject({ appointment_id: again.body.id });
    expect(lowStatuses(order)).toEqual([
      'ordered',
      'requisition_created',
      'appointment_pending',
      'appointment_scheduled',
      ...(kind === 'psc' ? ['appointment_pending', 'appointment_scheduled'] : ['appointment_scheduled']),
      'appointment_cancelled',
      'appointment_scheduled',
    ]);
  });

  test('rescheduling to the same slot changes nothing but new notes', async () => {
    const id = await orderBy(app.team, method);
    const [first, second] = await offered(kind);
    await book(kind, id, first, { appointment_notes: 'Ring twice' });
    const moved = await reschedule(kind, id, second);
    const [before, order] = [moved.body, await readOrder(app.team, id)];
    expect((await reschedule(kind, id, second)).body).toEqual(before);
    expect((await reschedule(kind, id, second, { appointment_notes: 'Ring twice' })).body).toEqual(before);
    const noted = (await reschedule(kind, id, second, { appointment_notes: 'Knock' })).body;
    expect(noted).toMatchObject({ id: before.id, start_at: before.start_at, appointment_notes: 'Knock' });
    expect(noted.events.map(({ status }) => status)).toEqual(['scheduled', 'scheduled', 'scheduled']);
    expect((await readOrder(app.team, id)).events).toEqual(order.events);
    const other = await orderBy(app.team, method);
    expect(await said(book(kind, other, second))).toBe('400 slot_taken');
    expect((await book(kind, other, first)).status).toBe(200);
    expect(await said(reschedule(kind, id, first))).toBe('400 slot_taken');
  });

  test('a taken slot is neither offered nor booked twice, and is free again after a cancellation', async () => {
    const [one, two] = [await orderBy(app.team, method), await orderBy(app.team, method)];
    const [key] = await offered(kind);
    const { start_at } = (await book(kind, one, key)).body;
    expect(await said(book(kind, two, key))).toBe('400 slot_taken');
    expect(lowStatuses(await readOrder(app.team, two))).toEqual(['ordered', 'requisition_created']);
    expect(await said(read(kind, two))).toBe('404 not_found');
    const starts = async (): Promise<string[]> =>
      slotsOf(kind === 'psc' ? await askCenters(app.team) : await askPhlebotomy(app.team)).map(({ start }) => start);
    expect(await starts()).not.toContain(start_at);
    await cancel(kind, one);
    expect(await starts()).toContain(start_at);
    expect((await book(kind, two, key)).body.start_at).toBe(start_at);
  });

  test('an order has one appointment at a time, and none after its sample was taken', async () => {
    const id = await bookedOrder(app.team, kind);
    const [key] = await offered(kind);
    expect(await said(book(kind, id, key))).toBe('400 appointment_already_booked');
    expect(await said(book(kind, id, key, { async_confirmation: true }))).toBe('400 appointment_already_booked');
    await simulate(app.team, id);
    expect((await read(kind, id)).body).toMatchObject({ status: 'completed', event_status: 'completed' });
    expect(await said(book(kind, id, key))).toBe('400 order_takes_no_appointment');
    expect(await said(reschedule(kind, id, key))).toBe('400 appointment_not_reschedulable');
    expect(await said(cancel(kind, id))).toBe('400 appointment_not_cancellable');
    expect((await cancel(kind, id)).body).toMatchObject({ detail: expect.stringMatching(/: it is completed\.$/) });
  });

  test('the cancellation of an order cancels its appointment and frees the slot', async () => {
    const id = await bookedOrder(app.team, kind);
    const { start_at } = (await read(kind, id)).body;
    expect((await app.api('POST', `/v3/order/${id}/cancel`)).status).toBe(200);
    expect((await read(kind, id)).body).toMatchObject({ status: 'cancelled', event_status: 'cancelled' });
    const free = slotsOf(kind === 'psc' ? await askCenters(app.team) : await askPhlebotomy(app.team));
    expect(free.map(({ start }) => start)).toContain(start_at);
  });

  test('async_confirmation reserves the slot, and the scheduler confirms it later', async () => {
    const id = await orderBy(app.team, method);
    const [key] = await offered(kind);
    const reserved = await book(kind, id, key, { async_confirmation: true });
    expect(reserved.body).toMatchObject({ status: 'reserved', event_status: 'reserved', can_reschedule: false });
    expect(lowStatuses(await readOrder(app.team, id)).at(-1)).toBe('appointment_pending');
    expect(await said(book(kind, await orderBy(app.team, method), key))).toBe('400 slot_taken');
    await simulate(app.team, id, `?final_status=collecting_sample.${method}.appointment_scheduled`);
    expect((await read(kind, id)).body).toMatchObject({ status: 'confirmed', start_at: reserved.body.start_at });
  });

  test('an appointment that begins too soon can be neither moved nor cancelled', async () => {
    const id = await bookedOrder(app.team, kind);
    const [key] = await offered(kind);
    const setStart = (from: string) =>
      sql`update appointments set start_at = now() + ${from}::interval,
                  end_at = now() + ${from}::interval + interval '1 hour'
           where order_id = ${id}`.execute(app.db);
    await setStart('1 hour');
    expect((await read(kind, id)).body.can_reschedule).toBe(false);
    expect(await said(reschedule(kind, id, key))).toBe('400 appointment_not_reschedulable');
    await setStart('-1 minute');
    expect(await said(cancel(kind, id))).toBe('400 appointment_not_cancellable');
    expect((await cancel(kind, id)).body).toMatchObject({ detail: expect.stringMatching(/: it has begun\.$/) });
  });

  test('a cancellation needs a reason from the list, and some reasons need a note', async () => {
    const id = await bookedOrder(app.team, kind);
    const reasons = await app.api<{ id: string; is_refundable: boolean }[]>(
      'GET',
      `/v3/order/${kind}/appointment/cancellation-reasons`,
    );
    expect(reasons.body.map((reason) => reason.id)).toEqual(
      expect.arrayContaining([A_REASON[kind], OTHER_REASON[kind]]),
    );
    expect(await said(cancel(kind, id, '0b7f6a52-3c1d-4e8a-9f20-000000009999'))).toBe('404 not_found');
    expect(await said(cancel(kind, id, A_REASON[kind === 'psc' ? 'phlebotomy' : 'psc']))).toBe('404 not_found');
    expect(await said(cancel(kind, id, OTHER_REASON[kind]))).toBe('400 cancellation_note_required');
    expect(await said(cancel(kind, id, OTHER_REASON[kind], ' '))).toBe('400 cancellation_note_required');
    expect((await cancel(kind, id)).status).toBe(200);
  });

  test('orders by another method are refused', async () => {
    const other = await orderBy(app.team, 'on_site_collection');
    const [key] = await offered(kind);
    expect(await said(book(kind, other, key))).toBe('400 order_method_mismatch');
    expect(await said(cancel(kind, other))).toBe('400 order_method_mismatch');
    expect(await said(read(kind, other))).toBe('404 not_found');
  });

  test('an appointment follows its order to another user, and is erased with the order', async () => {
    const id = await bookedOrder(app.team, kind);
    const before = (await read(kind, id)).body;
    const { user_id } = await makeUser(app.team);
    await sql`update order_transactions set user_id = ${user_id} where id =
      (select order_transaction_id from orders where id = ${id})`.execute(app.db);
    expect((await read(kind, id)).body).toEqual({ ...before, user_id });
    await sql`delete from order_transactions where id =
      (select order_transaction_id from orders where id = ${id})`.execute(app.db);
    for (const table of ['appointments', 'appointment_events', 'appointment_slots'] as const) {
      const left = await app.db.selectFrom(table).select('order_id').where('order_id', '=', id).execute();
      expect(left, table).toEqual([]);
    }
  });
});

describe('a request without a time', () => {
  const request = (id: string, changes: object = {}) =>
    app.api<Booked & Refusal>('POST', at('phlebotomy', id, 'request'), {
      address: phoenix,
      provider: 'phlebfinders',
      appointment_notes: 'In the morning',
      ...changes,
    });

  test('is pending until the provider confirms it with a time', async () => {
    const id = await orderBy(app.team, 'at_home_phlebotomy');
    const asked = await request(id);
    expect(asked.body).toMatchObject({
      provider: 'phlebfinders',
      status: 'pending',
      event_status: 'pending',
      start_at: null,
      end_at: null,
      can_reschedule: false,
    });
    expect(lowStatuses(await readOrder(app.team, id)).at(-1)).toBe('appointment_pending');
    expect(await said(request(id))).toBe('400 appointment_already_booked');
    await simulate(app.team, id, '?final_status=collecting_sample.at_home_phlebotomy.appointment_scheduled');
    const confirmed = await read('phlebotomy', id);
    expect(confirmed.body).toMatchObject({ id: asked.body.id, status: 'confirmed', provider: 'phlebfinders' });
    expect(Date.parse(confirmed.body.start_at as string)).toBeGreaterThan(Date.now());
  });

  test('is refused while an appointment is booked', async () => {
    const id = await bookedOrder(app.team, 'phlebotomy');
    expect(await said(request(id))).toBe('400 appointment_already_booked');
    await cancel('phlebotomy', id);
    expect((await request(id)).status).toBe(200);
  });

  test('can be cancelled and made again', async () => {
    const id = await orderBy(app.team, 'at_home_phlebotomy');
    await request(id);
    expect((await cancel('phlebotomy', id)).body.status).toBe('cancelled');
    expect((await request(id)).status).toBe(200);
  });

  test('goes only to providers that visit the address', async () => {
    const id = await orderBy(app.team, 'at_home_phlebotomy');
    const anchorage = { ...phoenix, city: 'Anchorage', state: 'AK', zip_code: '99501' };
    expect(await said(request(id, { address: anchorage }))).toBe('400 area_not_served');
    expect(await said(request(id, { provider: 'quest' }))).toBe('400 area_not_served');
    expect(await said(request(id, { provider: 'nobody' }))).toBe('422 validation_failed');
    for (const missing of ['first_line', 'city', 'state', 'zip_code'])
      expect(await said(request(id, { address: { ...phoenix, [missing]: undefined } }))).toBe('422 validation_failed');
  });
});

test('a visit can be moved to the next house at the same time', async () => {
  const id = await orderBy(app.team, 'at_home_phlebotomy');
  const nextDoor = { ...phoenix, first_line: '102 West Test Street' };
  const [[here], [there]] = [slotsOf(await askPhlebotomy(app.team)), slotsOf(await askPhlebotomy(app.team, nextDoor))];
  const booked = await book('phlebotomy', id, here?.booking_key);
  const moved = await reschedule('phlebotomy', id, there?.booking_key);
  expect(moved.body).toMatchObject({ id: booked.body.id, start_at: booked.body.start_at, address: nextDoor });
  expect(lowStatuses(await readOrder(app.team, id)).slice(-2)).toEqual([
    'appointment_scheduled',
    'appointment_scheduled',
  ]);
});

test('an order goes from booking and moving to draw and result', async () => {
  const id = await orderBy(app.team, 'at_home_phlebotomy');
  const [first, second] = await offered('phlebotomy');
  await book('phlebotomy', id, first);
  await reschedule('phlebotomy', id, second);
  expect((await app.api('PATCH', `/v3/order/${id}/draw_completed`)).status).toBe(200);
  expect((await read('phlebotomy', id)).body).toMatchObject({ status: 'completed', event_status: 'completed' });
  await simulate(app.team, id);
  expect(lowStatuses(await readOrder(app.team, id))).toEqual([
    'ordered',
    'requisition_created',
    'appointment_pending',
    'appointment_scheduled',
    'appointment_scheduled',
    'draw_completed',
    'completed',
  ]);
  expect((await app.api('GET', `/v3/order/${id}/result`)).status).toBe(200);
});

test('the service centers of an order are those of its laboratory around its patient', async () => {
  const id = await orderBy(app.team, 'walk_in_test');
  const { body } = await app.api<{ lab_id: number; patient_service_centers: { site_code: string }[] }>(
    'GET',
    `/v3/order/${id}/psc/info?radius=10`,
  );
  expect(body.lab_id).toBe(2);
  expect(body.patient_service_centers[0]?.site_code).toBe('SIM8501');
});

describe('an order that a client moves on in the sandbox', () => {
  test.each([
    ['at_home_phlebotomy', 'phlebotomy'],
    ['walk_in_test', 'psc'],
  ] as const)('by %s has an appointment that fits each status', async (method, kind) => {
    const id = await orderBy(app.team, method);
    const walk = (to: string) => simulate(app.team, id, `?final_status=collecting_sample.${method}.${to}`);
    await walk('appointment_pending');
    expect((await read(kind, id)).body).toMatchObject({ status: 'pending', start_at: null });
    await walk('appointment_scheduled');
    const scheduled = (await read(kind, id)).body;
    expect(scheduled).toMatchObject({ status: 'confirmed', event_status: 'scheduled' });
    expect((await readOrder(app.team, id)).details.data).toMatchObject({ appointment_id: scheduled.id });
    await walk('appointment_cancelled');
    expect((await read(kind, id)).body).toMatchObject({ id: scheduled.id, status: 'cancelled' });
    await walk('appointment_scheduled');
    await simulate(app.team, id);
    const done = (await read(kind, id)).body;
    expect(done).toMatchObject({ status: 'completed', event_status: 'completed' });
    expect(done.id).not.toBe(scheduled.id);
  });
});

test('the sandbox books weeks ahead, frees the slots of completed visits, and refuses when all are taken', async () => {
  const team = await app.makeTeam();
  const first = await orderBy(team, 'at_home_phlebotomy');
  await simulate(team, first, SCHEDULED);
  const takeAll = (days: number) =>
    sql`
      insert into appointment_slots (team_id, site_hash, start_at, user_id, order_id, appointment_id)
      select team_id, site_hash, hours, user_id, order_id, appointment_id
        from appointment_slots,
             generate_series(date_trunc('hour', now()), now() + make_interval(days => ${days}), '1 hour') as hours
       where order_id = ${first}
      on conflict do nothing`.execute(app.db);
  await takeAll(8);
  const next = await orderBy(team, 'at_home_phlebotomy');
  await simulate(team, next, SCHEDULED);
  const { body } = await team.api<Booked>('GET', at('phlebotomy', next));
  expect(Date.parse(body.start_at as string)).toBeGreaterThan(Date.now() + 8 * 86_400_000);
  await takeAll(70);
  const none = await orderBy(team, 'at_home_phlebotomy');
  expect(await said(team.api('POST', `/v3/order/${none}/test${SCHEDULED}`))).toBe('400 slot_taken');
  await team.api('PATCH', `/v3/order/${first}/draw_completed`);
  expect((await team.api('POST', `/v3/order/${none}/test${SCHEDULED}`)).status).toBe(200);
});

test('an order with 250 statuses takes no further appointment, and its appointment can be cancelled', async () => {
  const id = await bookedOrder(app.team, 'phlebotomy');
  const slots = (await offered('phlebotomy')).slice(0, 2);
  expect(await said(reschedule('phlebotomy', id, slots[0]))).toMatch(/^200/);
  // As if the appointment had been moved many times.
  await sql`
    insert into order_events (user_id, order_id, team_id, id, status, created_at)
      select user_id, order_id, team_id, n, status, created_at
        from (select * from order_events where order_id = ${id} order by id desc limit 1) as last,
             generate_series(last.id + 1, 247) as n`.execute(app.db);
  await sql`update orders set last_event_id = 247 where id = ${id}`.execute(app.db);
  let last = '200';
  for (let n = 1; last.startsWith('200'); n += 1) last = await said(reschedule('phlebotomy', id, slots[n % 2]));
  expect(last).toBe('400 order_takes_no_appointment');
  expect((await readOrder(app.team, id)).events).toHaveLength(250);
  expect((await cancel('phlebotomy', id)).status).toBe(200);
});
