import { afterAll, beforeAll, expect, test } from 'vitest';
import { bookedOrder } from '../../../../test/collected-orders.ts';
import { patientDetails } from '../../../../test/factories.ts';
import { query } from '../../../../test/global-setup.ts';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';

type Appointment = Record<string, unknown> & { id: string; order_id: string; start_at: string; user_id: string };
type Page = { data: Appointment[]; next_cursor: string | null };

let app: TestApp;
let team: Team;
/** Orders whose appointments begin in this order. */
let orders: string[];
beforeAll(async () => {
  app = await startTestApp();
  team = await app.makeTeam();
  const early = await bookedOrder(team, 'phlebotomy');
  const late = await bookedOrder(team, 'psc');
  const next = await bookedOrder(team, 'phlebotomy');
  // Midnight in Phoenix is 07:00 in UTC.
  await startAt(early, '2026-03-10T07:00:00Z');
  await startAt(late, '2026-03-11T06:59:59Z');
  await startAt(next, '2026-03-11T07:00:00Z');
  orders = [early, late, next];
});
afterAll(() => app.close());

const startAt = (orderId: string, time: string): Promise<unknown> =>
  query(
    app.databaseUrl,
    `update appointments set start_at = '${time}', end_at = timestamptz '${time}' + interval '1 hour'
      where order_id = '${orderId}'`,
  );
const list = (of: string, by: Team = team) => by.api<Page>('GET', `/v3/appointment${of}`);
const found = async (of: string): Promise<string[]> => (await list(of)).body.data.map(({ order_id }) => order_id);
const zone = 'time_zone=America/Phoenix';

test('a day begins and ends in the given time zone', async () => {
  const [early, late, next] = orders as [string, string, string];
  expect(await found(`?date=2026-03-10&${zone}`)).toEqual([early, late]);
  expect(await found(`?date=2026-03-11&${zone}`)).toEqual([next]);
  expect(await found('?date=2026-03-10')).toEqual([early]);
  expect(await found('?date=2026-03-11&time_zone=UTC')).toEqual([late, next]);
  expect(await found(`?start_date=2026-03-10&end_date=2026-03-11&${zone}`)).toEqual(orders);
  expect(await found(`?date=2026-03-09&${zone}`)).toEqual([]);
});

test('without a date it is today', async () => {
  const other = await app.makeTeam();
  const id = await bookedOrder(other, 'phlebotomy');
  expect((await list('', other)).body.data).toEqual([]);
  await startAt(id, `${new Date().toISOString().slice(0, 10)}T12:00:00Z`);
  expect((await list('', other)).body.data.map(({ order_id }) => order_id)).toEqual([id]);
});

test('an appointment is shown as its order shows it, without texts that people wrote', async () => {
  const [early] = orders as [string];
  const { body } = await team.api<Appointment>('GET', `/v3/order/${early}/phlebotomy/appointment`);
  expect(body['appointment_notes']).toBe('Ring twice');
  const [listed] = (await list(`?date=2026-03-10&${zone}`)).body.data;
  expect(listed).toEqual({
    ...body,
    appointment_notes: null,
    address: { ...(body['address'] as object), access_notes: null },
    client_user_id: expect.any(String),
    order: {
      lab_test_name: expect.any(String),
      patient: { first_name: null, last_name: null, dob: patientDetails.dob, gender: patientDetails.gender },
    },
  });
});

test('pages follow each other, and filters by status and type combine', async () => {
  const [early, late, next] = orders as [string, string, string];
  const range = `?start_date=2026-03-10&end_date=2026-03-11&${zone}`;
  const first = (await list(`${range}&limit=2`)).body;
  const second = (await list(`${range}&limit=2&next_cursor=${first.next_cursor}`)).body;
  expect([first.data, second.data].map((page) => page.map(({ order_id }) => order_id))).toEqual([
    [early, late],
    [next],
  ]);
  expect(second.next_cursor).toBe(null);
  expect(await found(`${range}&type=phlebotomy`)).toEqual([early, next]);
  expect(await found(`${range}&type=patient_service_center&status=confirmed`)).toEqual([late]);
  expect(await found(`${range}&status=cancelled,pending`)).toEqual([]);
  expect(await found(`${range}&status=someday`)).toEqual([]);
});

test.each([
  ['?date=2026-03-10&start_date=2026-03-10'],
  ['?start_date=2026-03-10'],
  ['?end_date=2026-03-10'],
  ['?start_date=2026-03-10&end_date=2026-03-09'],
  ['?start_date=2026-03-01&end_date=2026-04-01'],
  ['?date=soon'],
  ['?time_zone=Mars/Olympus'],
  ['?limit=101'],
  ['?next_cursor=abc'],
])('%s is not valid', async (of) => {
  expect((await list(of)).status).toBe(422);
});

test('a range has up to 31 days', async () => {
  expect((await list('?start_date=2026-03-01&end_date=2026-03-31')).status).toBe(200);
});

test('another team and users who are scheduled for deletion have none', async () => {
  expect((await list(`?date=2026-03-10&${zone}`, app.team)).body.data).toEqual([]);
  const other = await app.makeTeam();
  const id = await bookedOrder(other, 'phlebotomy');
  await startAt(id, '2026-03-10T12:00:00Z');
  const [listed] = (await list('?date=2026-03-10', other)).body.data;
  await other.api('DELETE', `/v2/user/${listed?.user_id}`);
  expect((await list('?date=2026-03-10', other)).body.data).toEqual([]);
});
