import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../../test/test-app.ts';
import {
  kitTestId,
  lowStatuses,
  makeUser,
  orderKit,
  readOrder,
  shippingAddress,
  type OrderBody,
} from '../../../../test/factories.ts';
import { problemsOf } from '../../../../test/people.ts';
import { forTeam } from '../../../tenancy/teams/team-scope.ts';
import { createTestkitOrder } from './create.ts';

type Created = { order: OrderBody; status: string; message: string; code: string };

let app: TestApp;
let other: Team;
let labTestId: string;
let userId: string;

beforeAll(async () => {
  app = await startTestApp();
  other = await app.makeTeam('Mesa Labs');
  labTestId = await kitTestId(app.team);
  userId = (await makeUser(app.team)).user_id;
});
afterAll(() => app.close());

const bodyWith = (changes: object = {}): Record<string, unknown> => ({
  user_id: userId,
  lab_test_id: labTestId,
  shipping_details: shippingAddress,
  ...changes,
});
const create = (
  changes: object = {},
  options: { headers?: Record<string, string>; key?: null } = {},
): Promise<Answer<Created>> => app.api<Created>('POST', '/v3/order/testkit', bodyWith(changes), options);
const shipTo = (changes: object): Promise<Answer<Created>> =>
  create({ shipping_details: { ...shippingAddress, ...changes } });

const without = (from: object, name: string): object =>
  Object.fromEntries(Object.entries(from).filter(([key]) => key !== name));

async function rows(): Promise<number[]> {
  return Promise.all(
    (['order_transactions', 'orders', 'order_events', 'events', 'order_name_words'] as const).map(
      async (table) => (await app.db.selectFrom(table).select('team_id').execute()).length,
    ),
  );
}

describe('ordering a kit', () => {
  test('answers the order with its first two events', async () => {
    const { status, body } = await create({ passthrough: 'ward 7' });
    expect([status, body.status, body.message]).toEqual([200, 'success', 'order created']);
    const { order } = body;
    expect(order).toMatchObject({
      user_id: userId,
      team_id: app.team.id,
      patient_details: null,
      patient_address: null,
      sample_id: null,
      notes: null,
      health_insurance_id: null,
      requisition_form_url: null,
      has_abn: false,
      interpretation: null,
      status: 'received',
      passthrough: 'ward 7',
      billing_type: 'client_bill',
      origin: 'initial',
      priority: false,
      activate_by: null,
      details: { type: 'testkit', data: { shipment: null } },
    });
    expect(order.events.map(({ id, status, status_detail }) => [id, status, status_detail])).toEqual([
      [1, 'received.testkit.ordered', null],
      [2, 'received.testkit.awaiting_registration', null],
    ]);
    expect(order.last_event).toEqual(order.events[1]);
    expect(order.updated_at).toBe(order.events[1]?.created_at);
  });

  test('answers every key that the interface requires, and reading it returns the misspelt one too', async () => {
    const {
      body: { order },
    } = await create();
    for (const name of [
      'user_id',
      'id',
      'team_id',
      'patient_details',
      'patient_address',
      'lab_test',
      'details',
      'sample_id',
      'notes',
      'clinical_notes',
      'created_at',
      'updated_at',
      'events',
      'status',
      'last_event',
      'physician',
      'health_insurance_id',
      'requisition_form_url',
      'priority',
      'shipping_details',
      'activate_by',
      'passthrough',
      'billing_type',
      'icd_codes',
      'has_abn',
      'interpretation',
      'has_missing_results',
      'expected_result_by_date',
      'worst_case_result_by_date',
      'origin',
      'order_transaction',
    ]) {
      expect(order).toHaveProperty(name);
    }
    expect(order).not.toHaveProperty('health_insurace_id');
    expect(await readOrder(app.team, order.id)).toEqual({ ...order, health_insurace_id: null });
  });

  test('the lab test is answered whole', async () => {
    const {
      body: { order },
    } = await create();
    const { body: labTest } = await app.api<object>('GET', `/v3/lab_tests/${labTestId}`);
    expect(order['lab_test']).toEqual(labTest);
    expect(order['lab_test']).toMatchObject({
      id: labTestId,
      method: 'testkit',
      name: expect.any(String),
      description: expect.any(String),
    });
  });

  test('the transaction has the order as its only one', async () => {
    const {
      body: { order },
    } = await create();
    expect(order.order_transaction).toEqual({
      id: expect.any(String),
      status: 'active',
      orders: [
        {
          id: order.id,
          low_level_status: 'awaiting_registration',
          low_level_status_created_at: order.events[1]?.created_at,
          origin: 'initial',
          parent_id: null,
          created_at: order['created_at'],
          updated_at: order.updated_at,
        },
      ],
    });
  });

  test('a country code goes in, the full name comes out, and a phone number comes out as E.164', async () => {
    const answer = await shipTo({ country: 'us', phone_number: '(602) 555-0123', zip: '85004-1234' });
    expect(answer.body.order['shipping_details']).toEqual({
      ...shippingAddress,
      country: 'United States',
      phone_number: '+16025550123',
      zip: '85004-1234',
    });
  });

  test.each([
    ['left out', without(shippingAddress, 'second_line')],
    ['null', { ...shippingAddress, second_line: null }],
  ])('a second_line that is %s is answered as the empty string', async (_, shipping_details) => {
    expect((await create({ shipping_details })).body.order['shipping_details']).toMatchObject({ second_line: '' });
  });

  test('text is trimmed and unknown keys are ignored', async () => {
    const {
      body: { order },
    } = await create({
      color: 'red',
      status: 'completed',
      shipping_details: { ...shippingAddress, receiver_name: '  Grace Palmer ', planet: 'Mars' },
    });
    expect(order['shipping_details']).toEqual({ ...shippingAddress, country: 'United States' });
    expect(lowStatuses(order)).toEqual(['ordered', 'awaiting_registration']);
  });
});

describe('a bad request', () => {
  test.each(['user_id', 'lab_test_id', 'shipping_details'])('needs %s', async (name) => {
    const answer = await app.api('POST', '/v3/order/testkit', without(bodyWith(), name));
    expect([answer.status, problemsOf(answer)]).toEqual([422, [`body.${name} missing`]]);
  });

  test.each(['receiver_name', 'first_line', 'city', 'state', 'zip', 'country', 'phone_number'])(
    'needs shipping_details.%s',
    async (name) => {
      const answer = await create({ shipping_details: without(shippingAddress, name) });
      expect([answer.status, problemsOf(answer)]).toEqual([422, [`body.shipping_details.${name} missing`]]);
    },
  );

  test('lists all of its problems at once, and nothing is written', async () => {
    const before = await rows();
    const answer = await app.api('POST', '/v3/order/testkit', {
      user_id: 'me',
      lab_test_id: 7,
      passthrough: 'a\nb',
      shipping_details: {
        receiver_name: 'Grace\nPalmer',
        first_line: '',
        city: 7,
        state: 'XX',
        zip: '1234',
        country: 'XX',
        phone_number: '+15555550123',
      },
    });
    expect(answer.status).toBe(422);
    expect(problemsOf(answer)).toEqual([
      'body.lab_test_id string_type',
      'body.passthrough string_pattern_mismatch',
      'body.shipping_details.city string_type',
      'body.shipping_details.country value_error',
      'body.shipping_details.first_line string_too_short',
      'body.shipping_details.phone_number value_error',
      'body.shipping_details.receiver_name string_pattern_mismatch',
      'body.shipping_details.state value_error',
      'body.shipping_details.zip string_pattern_mismatch',
      'body.user_id uuid_parsing',
    ]);
    expect(JSON.stringify(answer.body)).not.toMatch(/Palmer|5555550123|1234"/);
    expect(await rows()).toEqual(before);
  });

  test.each(['DC', 'PR', 'GU'])('may hold the state %s', async (state) => {
    expect((await shipTo({ state })).status).toBe(200);
  });

  test('without a body answers 422', async () => {
    const answer = await app.api('POST', '/v3/order/testkit');
    expect([answer.status, problemsOf(answer)]).toEqual([422, ['body missing']]);
  });

  test('without a key answers 401', async () => {
    expect((await create({}, { key: null })).status).toBe(401);
  });
});

describe('what an order refers to', () => {
  test('unknown ids and those of another team answer 404', async () => {
    const theirUser = (await makeUser(other)).user_id;
    const theirTest = await kitTestId(other);
    for (const changes of [
      { user_id: randomUUID() },
      { user_id: theirUser },
      { lab_test_id: randomUUID() },
      { lab_test_id: theirTest },
      { lab_account_id: randomUUID() },
    ]) {
      const answer = await create(changes);
      expect([changes, answer.status, answer.body.code]).toEqual([changes, 404, 'not_found']);
    }
  });

  test('a user that is scheduled for deletion answers 404 with its own code', async () => {
    const { user_id } = await makeUser(app.team);
    await app.api('DELETE', `/v2/user/${user_id}`);
    const answer = await create({ user_id });
    expect([answer.status, answer.body.code]).toEqual([404, 'user_scheduled_for_deletion']);
  });

  test.each(['walk_in_test', 'at_home_phlebotomy', 'on_site_collection'])(
    'a lab test by %s cannot be ordered as a kit',
    async (method) => {
      const {
        body: { data },
      } = await app.api<{ data: { id: string }[] }>('GET', `/v3/lab_test?collection_method=${method}`);
      const before = await rows();
      const answer = await create({ lab_test_id: data[0]?.id });
      expect([answer.status, answer.body.code]).toEqual([400, 'lab_test_not_orderable']);
      expect(await rows()).toEqual(before);
    },
  );

  test.each(['inactive', 'pending_approval'])('a lab test that is %s cannot be ordered', async (status) => {
    const team = await app.makeTeam();
    const lab_test_id = await kitTestId(team);
    await app.db.updateTable('lab_tests').set({ status }).where('id', '=', lab_test_id).execute();
    const { user_id } = await makeUser(team);
    const answer = await team.api<Created>('POST', '/v3/order/testkit', {
      user_id,
      lab_test_id,
      shipping_details: shippingAddress,
    });
    expect([answer.status, answer.body.code]).toEqual([400, 'lab_test_not_orderable']);
  });
});

test('the same idempotency key returns the same order, written once', async () => {
  const headers = { 'x-idempotency-key': randomUUID() };
  const first = await create({}, { headers });
  const before = await rows();
  const second = await create({}, { headers });
  expect([second.status, second.body]).toEqual([200, first.body]);
  expect(await rows()).toEqual(before);
  const mismatch = await create({ passthrough: 'other' }, { headers });
  expect([mismatch.status, mismatch.body.code]).toEqual([409, 'idempotency_mismatch']);
});

describe('reading an order', () => {
  test("an unknown one and another team's answer the same 404, and a malformed id 422", async () => {
    const theirs = await orderKit(other);
    for (const id of [randomUUID(), theirs.id]) {
      const answer = await app.api<{ code: string }>('GET', `/v3/order/${id}`);
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    }
    const malformed = await app.api('GET', '/v3/order/7');
    expect([malformed.status, problemsOf(malformed)]).toEqual([422, ['path.order_id uuid_parsing']]);
    expect((await app.api('GET', `/v3/order/${theirs.id}`, undefined, { key: null })).status).toBe(401);
  });

  test('it disappears with its user and comes back with the undo', async () => {
    const order = await orderKit(app.team);
    await app.api('DELETE', `/v2/user/${order.user_id}`);
    const gone = await app.api<{ code: string }>('GET', `/v3/order/${order.id}`);
    expect([gone.status, gone.body.code]).toEqual([404, 'user_scheduled_for_deletion']);
    await app.api('POST', `/v2/user/undo_delete?user_id=${order.user_id}`);
    expect((await readOrder(app.team, order.id)).id).toBe(order.id);
  });
});

test('in production a lab test of a laboratory that is not connected is refused, and nothing is written', async () => {
  const { user_id } = await makeUser(app.team);
  const lab_test_id = await kitTestId(app.team);
  const team = { id: app.team.id, org_id: app.team.org_id, settings: {} };
  const order = createTestkitOrder(
    { ...forTeam(app.ctx, team), config: { ...app.config, environment: 'production' } },
    { user_id, lab_test_id, shipping_details: shippingAddress, passthrough: null, lab_account_id: null },
  );
  await expect(order).rejects.toMatchObject({ code: 'laboratory_not_connected' });
  expect((await app.api<{ total: number }>('GET', `/v3/orders?user_id=${user_id}`)).body.total).toBe(0);
});
