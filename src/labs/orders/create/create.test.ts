import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import {
  consents,
  createOrder,
  labTestId,
  lowStatuses,
  makeUser,
  patientAddress,
  patientDetails,
  physician,
  readOrder,
  simulate,
  type OrderBody,
} from '../../../../test/factories.ts';
import { pngHead } from '../../../../test/images.ts';
import { problemsOf, type Refusal } from '../../../../test/people.ts';
import { findSignatureOrNull } from './physician-signature.ts';
import { loadOrder } from '../load-order.ts';
import { teamCtx } from '../../../../test/team-ctx.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const METHODS: [string, string[]][] = [
  [
    'testkit',
    [
      'ordered',
      'requisition_created',
      'transit_customer',
      'out_for_delivery',
      'with_customer',
      'transit_lab',
      'delivered_to_lab',
      'completed',
    ],
  ],
  ['walk_in_test', ['ordered', 'requisition_created', 'completed']],
  [
    'at_home_phlebotomy',
    ['ordered', 'requisition_created', 'appointment_pending', 'appointment_scheduled', 'draw_completed', 'completed'],
  ],
  ['on_site_collection', ['ordered', 'requisition_created', 'draw_completed', 'completed']],
];

describe('an order for a known patient', () => {
  test.each(METHODS)(
    'by %s begins with its requisition and goes along its success path to a result',
    async (method, path) => {
      const made = await createOrder(app.team, { order_set: { lab_test_ids: [await labTestId(app.team, method)] } });
      expect([made.status, made.body.message]).toEqual([200, 'order created']);
      const { order } = made.body;
      expect(order).toMatchObject({ details: { type: method }, origin: 'initial', patient_details: patientDetails });
      expect(lowStatuses(order)).toEqual(['ordered', 'requisition_created']);
      await simulate(app.team, order.id);
      const done = await readOrder(app.team, order.id);
      expect(lowStatuses(done)).toEqual(path);
      const result = await app.api<{ results: unknown[] }>('GET', `/v3/order/${order.id}/result`);
      expect(result.body.results.length).toBeGreaterThan(0);
    },
  );

  test('stores everything that the request holds, and is published as created', async () => {
    const { user_id } = await makeUser(app.team);
    const { body } = await createOrder(app.team, {
      user_id,
      collection_method: 'walk_in_test',
      priority: true,
      icd_codes: ['E11.9', 'R7309'],
      passthrough: 'case-4711',
      clinical_notes: 'Draw in the morning.',
      billing_type: 'patient_bill',
      creator_member_id: user_id,
    });
    const expected = {
      user_id,
      priority: true,
      icd_codes: ['E11.9', 'R73.09'],
      passthrough: 'case-4711',
      clinical_notes: 'Draw in the morning.',
      billing_type: 'patient_bill',
      physician: { first_name: 'Ana', last_name: 'Ruiz', npi: physician.npi },
      shipping_details: null,
      sample_id: null,
    };
    expect(body.order).toMatchObject(expected);
    expect(await readOrder(app.team, body.order.id)).toMatchObject(expected);
    const listed = await app.api<{ orders: OrderBody[] }>(
      'GET',
      `/v3/orders?user_id=${user_id}&order_type=walk_in_test`,
    );
    expect(listed.body.orders.map(({ id }) => id)).toEqual([body.order.id]);
  });

  test("sends a kit to the patient's address", async () => {
    const { body } = await createOrder(app.team, {
      order_set: { lab_test_ids: [await labTestId(app.team, 'testkit')] },
      patient_address: { ...patientAddress, receiver_name: '' },
    });
    expect(body.order['shipping_details']).toMatchObject({
      receiver_name: 'Grace Palmer',
      first_line: patientAddress.first_line,
      phone_number: patientDetails.phone_number,
    });
  });

  test('is found by the name of its patient', async () => {
    const { body } = await createOrder(app.team, { patient_details: { ...patientDetails, last_name: 'Quillfeather' } });
    const listed = await app.api<{ orders: OrderBody[] }>('GET', '/v3/orders?patient_name=quillfeather');
    expect(listed.body.orders.map(({ id }) => id)).toEqual([body.order.id]);
  });

  test('without a physician needs the three consents', async () => {
    const lacking = await createOrder<Refusal>(app.team, { physician: null, consents: consents.slice(1) });
    expect([lacking.status, problemsOf(lacking)]).toEqual([422, ['body.consents missing']]);
    expect((await createOrder(app.team, { physician: null, consents })).status).toBe(200);
  });

  test('stores the signature of its physician sealed, and answers without it', async () => {
    const image = { content: pngHead(300, 80).toString('base64'), content_type: 'image/png' };
    const { body } = await createOrder(app.team, { physician: { ...physician, signature_image: image } });
    expect(JSON.stringify(body)).not.toContain('signature');
    const ctx = await teamCtx(app.ctx, app.team.id);
    expect(await findSignatureOrNull(ctx, await loadOrder(ctx, body.order.id))).toEqual(image);
  });

  test.each([
    ['not an image', { content: Buffer.from('GIF89a').toString('base64'), content_type: 'image/png' }],
    ['of another type than it states', { content: pngHead(3, 3).toString('base64'), content_type: 'image/jpeg' }],
    ['of too many pixels', { content: pngHead(20_000, 20_000).toString('base64'), content_type: 'image/png' }],
  ])('refuses a signature that is %s', async (_, signature_image) => {
    const refused = await createOrder<Refusal>(app.team, { physician: { ...physician, signature_image } });
    expect([refused.status, problemsOf(refused)[0]]).toEqual([
      422,
      expect.stringMatching(/^body\.physician\.signature_image/),
    ]);
  });

  test('with an idempotency key is created once', async () => {
    const { user_id } = await makeUser(app.team);
    const headers = { 'x-idempotency-key': 'order-of-grace' };
    const [first, second] = [
      await createOrder(app.team, { user_id }, { headers }),
      await createOrder(app.team, { user_id }, { headers }),
    ];
    expect(second.body.order.id).toBe(first.body.order.id);
  });
});

describe('the deprecated lab_test_id', () => {
  test('orders like a set with one lab test, and the answer names its successor', async () => {
    const id = await labTestId(app.team, 'on_site_collection');
    const older = await createOrder(app.team, { lab_test_id: id });
    expect(older.body.order['lab_test']).toMatchObject({ id });
    expect(older.headers.get('deprecation')).toBe(`@${Date.parse('2025-06-01T00:00:00Z') / 1000}`);
    expect(older.headers.get('link')).toBe('</docs/introduction#deprecated-fields>; rel="deprecation"');
    const newer = await createOrder(app.team, { lab_test_id: null, order_set: { lab_test_ids: [id] } });
    expect([newer.status, newer.headers.get('deprecation')]).toEqual([200, null]);
  });

  test('cannot be sent with a set, and one of them is required', async () => {
    const id = await labTestId(app.team, 'walk_in_test');
    const both = await createOrder<Refusal>(app.team, { lab_test_id: id, order_set: { lab_test_ids: [id] } });
    const none = await createOrder<Refusal>(app.team, { order_set: null });
    expect([problemsOf(both), problemsOf(none)]).toEqual([
      ['body.lab_test_id value_error'],
      ['body.order_set missing'],
    ]);
  });
});
