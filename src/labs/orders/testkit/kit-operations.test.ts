import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import {
  consents,
  kitTestId,
  makeUser,
  orderKit,
  patientAddress,
  patientDetails,
  physician,
  readOrder,
  registeredKit,
  shippingAddress,
  simulate,
} from '../../../../test/factories.ts';

let app: TestApp;
let team: Team;
beforeAll(async () => {
  app = await startTestApp();
  team = app.team;
});
afterAll(() => app.close());

type Answered = { sample_ids: string[]; code: string; success: boolean };
const base = (of: Team = team): string => `/v1/org/${of.org_id}/team/${of.id}/sandbox`;
const issue = (count: unknown, of = team) => of.api<Answered>('POST', `${base(of)}/kit`, { count });
const ship = (order: string, body: object) => team.api<Answered>('POST', `${base()}/order/${order}/ship_kit`, body);

test('issued ids register kits of their team, and of no other', async () => {
  const { sample_ids } = (await issue(3)).body;
  expect(new Set(sample_ids).size).toBe(3);
  const { user_id } = await makeUser(team);
  const order = await team.api<{ order: { id: string } }>('POST', '/v3/order/testkit', {
    user_id,
    lab_test_id: await kitTestId(team),
    shipping_details: shippingAddress,
  });
  const registration = {
    sample_id: sample_ids[0],
    user_id,
    patient_details: patientDetails,
    patient_address: patientAddress,
    consents,
    physician,
  };
  const other = await app.makeTeam();
  const outsider = await makeUser(other);
  const refused = await other.api('POST', '/v3/order/testkit/register', { ...registration, user_id: outsider.user_id });
  expect(refused.status).toBeGreaterThanOrEqual(400);
  const answer = await team.api<{ order: { id: string } }>('POST', '/v3/order/testkit/register', registration);
  expect([answer.status, answer.body.order.id]).toEqual([200, order.body.order.id]);
  for (const count of [0, 1_001, 1.5]) expect([count, (await issue(count)).status]).toEqual([count, 422]);
  expect((await issue(1, { ...team, id: other.id })).status).toBe(404);
});

test('a team has at most 100,000 ids that nobody has registered', async () => {
  const of = await app.makeTeam();
  await sql`
    insert into sample_ids (sample_id, team_id)
    select 'LIMIT' || n, ${of.id} from generate_series(1, 99999) as n`.execute(app.db);
  const [more, last, none] = [await issue(2, of), await issue(1, of), await issue(1, of)];
  expect([more.status, more.body.code, last.status, none.status]).toEqual([403, 'limit_reached', 200, 403]);
});

test('tracking numbers of a kit are shown by its order, and a later number replaces the one before', async () => {
  const { id } = await orderKit(team);
  const shipment = async (): Promise<unknown> => (await readOrder(team, id))['details'];
  expect((await ship(id, { outbound_tracking_number: '9400 1118 9922 3197', courier: 'usps' })).body.success).toBe(
    true,
  );
  expect(JSON.stringify(await shipment())).toContain('9400 1118 9922 3197');
  await ship(id, { outbound_tracking_number: '1Z999AA10123456784', inbound_tracking_number: '794644790132' });
  const text = JSON.stringify(await shipment());
  expect([text.includes('9400 1118'), text.includes('1Z999AA10123456784'), text.includes('794644790132')]).toEqual([
    false,
    true,
    true,
  ]);
});

test('a number that is no number, one parcel for both ways, and an order that has ended are refused', async () => {
  const { id } = await orderKit(team);
  for (const body of [
    {},
    { courier: 'usps' },
    { outbound_tracking_number: '12345' },
    { outbound_tracking_number: '1Z999AA1<script>' },
    { outbound_tracking_number: '1Z999AA10123456784', inbound_tracking_number: '1z-999-aa10123456784' },
    { outbound_tracking_number: '1Z999AA10123456784', courier: 'pigeon' },
  ])
    expect([body, (await ship(id, body)).status]).toEqual([body, 422]);
  const ended = await registeredKit(team);
  await simulate(team, ended.id, '', {});
  const refused = await ship(ended.id, { outbound_tracking_number: '1Z999AA10123456784' });
  expect([refused.status, refused.body.code]).toEqual([400, 'order_not_changeable']);
  const theirs = await orderKit(await app.makeTeam());
  expect((await ship(theirs.id, { outbound_tracking_number: '1Z999AA10123456784' })).status).toBe(404);
});
