// The rules of a laboratory for kits are checked before a kit is sent, and again when its patient is known.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import {
  addAccount,
  kitTestId,
  makeUser,
  orderKit,
  patientAddress,
  patientDetails,
  readOrder,
  register,
  registeredKit,
  shippingAddress,
  simulate,
  type OrderBody,
} from '../../../../test/factories.ts';
import { query } from '../../../../test/global-setup.ts';
import { problemsOf } from '../../../../test/people.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
afterEach(() => setLaboratory(`states = null, order_rules = '{}'`));

const setLaboratory = (what: string): Promise<unknown> =>
  query(app.databaseUrl, `update labs set ${what} where id = 1`);
const order = async (changes: object = {}, team = app.team) =>
  team.api<{ order: OrderBody; code: string }>('POST', '/v3/order/testkit', {
    user_id: (await makeUser(team)).user_id,
    lab_test_id: await kitTestId(team),
    shipping_details: shippingAddress,
    ...changes,
  });
const newYork = { state: 'NY', zip: '10001' };
const said = async (answer: Promise<{ status: number; body: { code?: string } }>): Promise<string> => {
  const { status, body } = await answer;
  return `${status} ${body.code ?? ''}`.trim();
};

test('a kit cannot be sent to, or registered in, a state that its laboratory does not serve', async () => {
  await setLaboratory(`states = '{AZ}'`);
  expect(await said(order({ shipping_details: { ...shippingAddress, ...newYork } }))).toBe('400 state_not_served');
  const { body } = await order();
  await simulate(app.team, body.order.id);
  const { sample_id } = await readOrder(app.team, body.order.id);
  const there = { sample_id, patient_address: { ...patientAddress, ...newYork } };
  expect(await said(register<{ code?: string }>(app.team, there))).toBe('400 state_not_served');
  expect(await said(register<{ code?: string }>(app.team, { sample_id }))).toBe('200');
  await setLaboratory(`states = '{NV}'`);
  expect(await said(register<{ code?: string }>(app.team, { sample_id }))).toBe('200');
});

test('a kit under an account can only go to states in which the account is billed', async () => {
  const lab_account_id = await addAccount(app, app.team);
  const away = { lab_account_id, shipping_details: { ...shippingAddress, ...newYork } };
  expect(await said(order(away))).toBe('400 billing_type_not_allowed');
  const { body } = await order({ lab_account_id });
  await simulate(app.team, body.order.id);
  const { sample_id } = await readOrder(app.team, body.order.id);
  const there = { sample_id, patient_address: { ...patientAddress, ...newYork } };
  expect(await said(register<{ code?: string }>(app.team, there))).toBe('400 billing_type_not_allowed');
  expect(await said(register<{ code?: string }>(app.team, { sample_id }))).toBe('200');
});

test('if a laboratory requires an account, no kit is sent without one', async () => {
  await setLaboratory(`order_rules = '{"account_required": true}'`);
  const team = await app.makeTeam();
  const { user_id } = await makeUser(team);
  const refused = await order({ user_id }, team);
  expect([refused.status, refused.body.code, problemsOf(refused)]).toEqual([
    400,
    'pre_flight_failed',
    ['body.lab_account_id missing'],
  ]);
  const lab_account_id = await addAccount(app, team);
  expect(await said(order({ user_id, lab_account_id }, team))).toBe('200');
  expect((await team.api('GET', `/v3/orders?user_id=${user_id}`)).body).toMatchObject({ total: 1 });
});

test("an unknown kit uses the team's only account if one is required, and is refused if there are two", async () => {
  await setLaboratory(`order_rules = '{"account_required": true}'`);
  const team = await app.makeTeam();
  const { user_id } = await makeUser(team);
  const everybodys = await app.db
    .selectFrom('lab_accounts')
    .select('id')
    .where('lab_id', '=', 1)
    .where('org_id', 'is', null)
    .executeTakeFirstOrThrow();
  const { status, body } = await register<{ code?: string }>(team, { user_id, sample_id: 'OUR-KIT' });
  const made = await app.db.selectFrom('orders').select('lab_account_id').where('user_id', '=', user_id).execute();
  expect([status, body.code, made]).toEqual([200, undefined, [{ lab_account_id: everybodys.id }]]);
  const lab_account_id = await addAccount(app, team);
  const another = () => register<{ code?: string }>(team, { user_id, sample_id: 'OUR-OTHER-KIT' });
  expect(await said(another())).toBe('400 pre_flight_failed');
  await order({ user_id, lab_account_id }, team);
  expect(await said(another())).toBe('200');
});

test('once the sample is on its way to the laboratory, the kit must stay with the same person', async () => {
  const { id } = await registeredKit(app.team);
  const { sample_id } = await readOrder(app.team, id);
  const as = (changes: object) =>
    register<{ order: OrderBody; code?: string }>(app.team, {
      sample_id,
      patient_details: { ...patientDetails, ...changes },
    });
  expect((await as({ first_name: 'Gracie' })).body.order.patient_details).toMatchObject({ first_name: 'Gracie' });
  for (const status of ['collecting_sample.testkit.transit_lab', 'sample_with_lab.testkit.delivered_to_lab']) {
    await simulate(app.team, id, `?final_status=${status}`);
    for (const change of [{}, { dob: '1988-04-13', first_name: 'Gracie' }, { gender: 'male', first_name: 'Gracie' }])
      expect(await said(as(change))).toBe('400 order_not_changeable');
    expect(await said(as({ first_name: 'Gracie', email: `${status.length}@example.com` }))).toBe('200');
  }
  expect((await readOrder(app.team, id)).patient_details).toMatchObject({ first_name: 'Gracie', dob: '1988-04-12' });
  expect((await orderKit(app.team)).patient_details).toBeNull();
});
