import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../../../../test/test-app.ts';
import {
  createOrder,
  labTestId,
  orderKit,
  patientAddress,
  patientDetails,
  readOrder,
  registeredKit,
  simulate,
  type OrderBody,
} from '../../../../test/factories.ts';
import { query } from '../../../../test/global-setup.ts';
import { guarantor, problemsOf } from '../../../../test/people.ts';

type Corrected = { order: OrderBody; code: string; detail: unknown };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const renamed = { ...patientDetails, first_name: 'Gracia', dob: '1988-12-04', email: 'gracia@example.com' };
const correct = (id: string, body: object = { patient_details: renamed }): Promise<Answer<Corrected>> =>
  app.api<Corrected>('PATCH', `/v3/order/${id}/patient_details`, body);
const refusal = async (id: string, body?: object) => {
  const answer = await correct(id, body);
  return [answer.status, answer.body.code];
};
const known = async (method: string, changes: object = {}): Promise<OrderBody> =>
  (await createOrder(app.team, { order_set: { lab_test_ids: [await labTestId(app.team, method)] }, ...changes })).body
    .order;
const search = async (name: string): Promise<string[]> =>
  (await app.api<{ orders: { id: string }[] }>('GET', `/v3/orders?patient_name=${name}`)).body.orders.map(
    ({ id }) => id,
  );

describe('correcting the patient of an order', () => {
  test('changes what is named, keeps the rest, and the order is found by the new name only', async () => {
    const medical_proxy = { ...guarantor, email: 'proxy@example.com' };
    const order = await known('walk_in_test', {
      patient_details: { ...patientDetails, first_name: 'Misspelled', race: 'white_caucasian', medical_proxy },
      patient_address: { ...patientAddress, receiver_name: 'Misspelled Palmer', access_notes: 'Ring twice' },
    });
    const patient_details = { first_name: 'Corrected', dob: '1988-12-04', medical_proxy: null };
    const { status, body } = await correct(order.id, { patient_details });
    expect(status).toBe(200);
    expect(body.order.patient_details).toMatchObject({
      ...patientDetails,
      ...patient_details,
      race: 'white_caucasian',
    });
    expect(body.order['patient_address']).toMatchObject({
      first_line: patientAddress.first_line,
      receiver_name: 'Corrected Palmer',
      access_notes: 'Ring twice',
    });
    expect(await readOrder(app.team, order.id)).toMatchObject({ patient_details: body.order.patient_details });
    expect([await search('Misspelled'), await search('Corrected')]).toEqual([[], [order.id]]);
  });

  test('publishes no event, and the same correction again changes nothing', async () => {
    const order = await known('walk_in_test');
    const first = await correct(order.id);
    expect((await correct(order.id)).body.order).toEqual(first.body.order);
    const events = app.db.selectFrom('events').select('id').where('user_id', '=', order.user_id);
    expect([first.body.order.events, (await events.execute()).length]).toEqual([order.events, order.events.length]);
  });

  test('sends a kit that has not left to the corrected address', async () => {
    const order = await known('testkit');
    const patient_address = { ...patientAddress, first_line: '2 Ocotillo Street' };
    const { body } = await correct(order.id, { patient_details: renamed, patient_address });
    expect(body.order['shipping_details']).toMatchObject({ first_line: '2 Ocotillo Street' });
    await simulate(app.team, order.id, '?final_status=collecting_sample.testkit.with_customer');
    const arrived = await correct(order.id, { patient_details: renamed, patient_address });
    expect(arrived.body.order['shipping_details']).toEqual(body.order['shipping_details']);
    const moved = await correct(order.id, { patient_details: renamed, patient_address: patientAddress });
    expect([moved.body.order['patient_address'], moved.body.order['shipping_details']]).toMatchObject([
      { first_line: patientAddress.first_line },
      { first_line: '2 Ocotillo Street' },
    ]);
  });

  test('is allowed while a registered kit is with its customer, and refused after it was sent back', async () => {
    const { id } = await registeredKit(app.team);
    expect((await correct(id)).status).toBe(200);
    await simulate(app.team, id, '?final_status=collecting_sample.testkit.transit_lab');
    expect(await refusal(id, { patient_details: patientDetails })).toEqual([400, 'order_not_changeable']);
    expect((await correct(id)).status).toBe(200);
  });

  test('is refused for a kit that nobody has registered', async () => {
    const { id } = await orderKit(app.team);
    expect(await refusal(id)).toEqual([400, 'registration_required']);
  });

  test.each([
    ['walk_in_test', 'sample_with_lab.walk_in_test.partial_results'],
    ['at_home_phlebotomy', 'collecting_sample.at_home_phlebotomy.draw_completed'],
    ['on_site_collection', 'sample_with_lab.on_site_collection.draw_completed'],
    ['walk_in_test', 'completed.walk_in_test.completed'],
  ])('is refused for an order by %s at %s', async (method, status) => {
    const { id } = await known(method);
    await simulate(app.team, id, `?final_status=${status}`);
    expect(await refusal(id)).toEqual([400, 'order_not_changeable']);
    expect((await readOrder(app.team, id)).patient_details).toMatchObject(patientDetails);
  });

  test('is refused for a cancelled order', async () => {
    const { id } = await known('walk_in_test');
    await app.api('POST', `/v3/order/${id}/cancel`);
    expect(await refusal(id)).toEqual([400, 'order_not_changeable']);
  });

  test.each([
    ['waiting', null, null, 200],
    ['waiting', 'now()', null, 'order_sent_to_laboratory'],
    ['committed', 'now()', null, 'order_sent_to_laboratory'],
    ['refused', 'now()', 'now()', 200],
  ])('of an order whose message is %s, sent at %s, answered at %s: %s', async (state, sent, answered, outcome) => {
    const { id } = await known('walk_in_test');
    await query(
      app.databaseUrl,
      `insert into laboratory_outbox (user_id, id, order_id, team_id, lab_id, action, state, sent_at, answered_at)
       select user_id, gen_random_uuid(), id, team_id, 2, 'new', '${state}', ${sent}, ${answered}
         from orders where id = '${id}'`,
    );
    const answer = await correct(id);
    expect(answer.body.code ?? answer.status).toBe(outcome);
  });

  test('is checked as an order is: state, age and what the laboratory takes', async () => {
    const { id } = await known('at_home_phlebotomy');
    const minor = { ...patientDetails, dob: '2015-01-01' };
    expect(problemsOf(await correct(id, { patient_details: minor }))).toEqual([
      'body.patient_details.medical_proxy missing',
    ]);
    expect(await refusal(id, { patient_details: { ...minor, medical_proxy: guarantor } })).toEqual([
      400,
      'minor_ordering_disabled',
    ]);
    const long = { ...patientDetails, first_name: 'G'.repeat(31) };
    const answer = await correct(id, { patient_details: long });
    expect([answer.body.code, problemsOf(answer)]).toEqual([
      'pre_flight_failed',
      ['body.patient_details.first_name string_too_long'],
    ]);
    await query(app.databaseUrl, `update labs set states = '{AZ}' where id = 2`);
    const patient_address = { ...patientAddress, state: 'NY', zip: '10001' };
    const elsewhere = { patient_details: patientDetails, patient_address };
    expect(await refusal((await known('walk_in_test')).id, elsewhere)).toEqual([400, 'state_not_served']);
    expect(problemsOf(await correct(id, { patient_details: { email: null }, patient_address: { zip: '1' } }))).toEqual([
      'body.patient_address.zip string_pattern_mismatch',
      'body.patient_details.email string_type',
    ]);
  });

  test("an unknown order and another team's answer 404", async () => {
    const theirs = await registeredKit(await app.makeTeam());
    for (const id of [randomUUID(), theirs.id]) expect(await refusal(id)).toEqual([404, 'not_found']);
  });

  test('leaves its audit line without the data', async () => {
    const { id } = await known('walk_in_test');
    const { status } = await correct(id);
    const lines = await app.db.selectFrom('audit_log').selectAll().where('action', '=', 'correct_patient_details');
    const line = (await lines.orderBy('id', 'desc').limit(1).execute())[0];
    expect([status, JSON.stringify(line)]).toEqual([200, expect.not.stringContaining('racia')]);
    expect(JSON.stringify(line)).toContain(id);
  });
});
