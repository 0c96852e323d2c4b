import type { Static } from 'typebox';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../../test/test-app.ts';
import { addAccount, makeUser, readOrder, shippingAddress } from '../../../../test/factories.ts';
import { query } from '../../../../test/global-setup.ts';
import { connectTestLaboratory } from '../../../../test/hl7-deployment.ts';
import { newId } from '../../../ids.ts';
import type { LabTest, LabTestPage } from '../schemas.ts';
import { approveLabTestOf } from './approve.ts';

let app: TestApp;
let team: Team;
beforeAll(async () => {
  app = await startTestApp({ PHIAL_LAB_TESTS_PER_TEAM: '16' });
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
});

type Refusal = { code: string };
const heart = { name: 'Heart & thyroid', description: 'Lipids and TSH.', method: 'testkit', marker_ids: [1101, 1015] };
const make = <T = LabTest>(changes: object = {}): Promise<Answer<T>> =>
  team.api('POST', '/v3/lab_tests', { ...heart, ...changes });
const refusalOf = async (changes: object): Promise<unknown[]> => {
  const { status, body } = await make<Refusal>(changes);
  return [status, body.code];
};
const patch = async (id: string, changes: object): Promise<LabTest> =>
  (await team.api<LabTest>('PATCH', `/v3/lab_tests/${id}`, changes)).body;
const order = async (lab_test_id: string): Promise<Answer<{ code: string; order: { id: string } }>> =>
  team.api('POST', '/v3/order/testkit', {
    user_id: (await makeUser(team)).user_id,
    lab_test_id,
    shipping_details: shippingAddress,
  });
/** Removes the approval of a lab test. It then waits for the operator, like a new lab test in production. */
const unapproved = (id: string) =>
  query(app.databaseUrl, `update lab_tests set status = 'pending_approval', approved_at = null where id = '${id}'`);

describe('a lab test that a team creates', () => {
  test('has its markers in their order and the sum of their prices, and a sandbox approves it', async () => {
    const { body } = await make({ fasting: true });
    expect(body).toMatchObject({
      name: 'Heart & thyroid',
      description: 'Lipids and TSH.',
      method: 'testkit',
      sample_type: 'dried_blood_spot',
      status: 'active',
      is_active: true,
      fasting: true,
      auto_generated: false,
      lab: { slug: 'simulated-kit-lab' },
    });
    expect(body.slug).toMatch(/^heart-thyroid-[0-9a-f]{8}$/);
    expect(body.markers?.map(({ id }) => id)).toEqual([1101, 1015]);
    expect(body.price).toBeCloseTo(
      (body.markers ?? []).reduce((sum, { price }) => sum + Number(price), 0),
      2,
    );
    expect((await order(body.id)).status).toBe(200);
  });

  test('waits for approval in production, and cannot be ordered before', async () => {
    const production = await startTestApp({
      PHIAL_ENVIRONMENT: 'production',
      PHIAL_BASE_URL: 'https://phial.example.com',
    });
    await connectTestLaboratory(production.databaseUrl, { orders: { folder: '/nowhere' } });
    const { api, id } = production.team;
    const { body } = await api<LabTest>('POST', '/v3/lab_tests', {
      ...heart,
      marker_ids: null,
      provider_ids: ['MET'],
      lab_slug: 'saguaro-lab',
    });
    expect(body).toMatchObject({ status: 'pending_approval', is_active: false });
    const pending = await api<Static<typeof LabTestPage>>('GET', '/v3/lab_test?status=pending_approval');
    expect(pending.body.data).toEqual([body]);
    const { user_id } = await makeUser(production.team);
    const ask = () =>
      api<Refusal>('POST', '/v3/order/testkit', {
        user_id,
        lab_test_id: body.id,
        shipping_details: shippingAddress,
      });
    const early = await ask();
    expect([early.status, early.body.code]).toEqual([400, 'lab_test_not_orderable']);
    await approveLabTestOf(production.ctx, id, body.id);
    expect((await ask()).status).toBe(200);
    await production.close();
  });

  test('is approved by the operator, who names its team', async () => {
    const { body } = await make();
    await unapproved(body.id);
    await expect(approveLabTestOf(app.ctx, (await app.makeTeam()).id, body.id)).rejects.toMatchObject({
      code: 'not_found',
    });
    await approveLabTestOf(app.ctx, team.id, body.id);
    expect((await team.api<LabTest>('GET', `/v3/lab_tests/${body.id}`)).body).toMatchObject({ status: 'active' });
  });

  test('may name its markers by the order codes of its laboratory', async () => {
    const { body } = await make({ marker_ids: [1101], provider_ids: ['KIT-4548', 'KIT-THYROID'] });
    expect(body.markers?.map(({ provider_id }) => provider_id)).toEqual(['KIT-24331', 'KIT-4548', 'KIT-THYROID']);
    const alone = await make({ marker_ids: null, provider_ids: ['KIT-4548'], lab_slug: 'simulated-kit-lab' });
    expect(alone.body.markers?.map(({ id }) => id)).toEqual([1001]);
    const under = await make({ marker_ids: [1001], lab_account_id: await addAccount(app, team) });
    expect(under.status).toBe(200);
  });

  test('is refused if its markers do not fit together, with a code for each reason', async () => {
    expect(await refusalOf({ marker_ids: [] })).toEqual([400, 'no_markers']);
    expect(await refusalOf({ marker_ids: null })).toEqual([400, 'no_markers']);
    expect(await refusalOf({ marker_ids: [1001, 1001] })).toEqual([400, 'duplicate_markers']);
    expect(await refusalOf({ marker_ids: [1001], provider_ids: ['KIT-4548'] })).toEqual([400, 'duplicate_markers']);
    expect(await refusalOf({ marker_ids: [1001, 2001] })).toEqual([400, 'mixed_laboratories']);
    expect(await refusalOf({ lab_slug: 'simulated-reference-lab' })).toEqual([400, 'mixed_laboratories']);
    expect(await refusalOf({ method: 'walk_in_test' })).toEqual([400, 'collection_method_not_offered']);
    const lab_account_id = await addAccount(app, team);
    expect(await refusalOf({ lab_account_id, lab_slug: 'simulated-reference-lab' })).toEqual([
      400,
      'lab_account_of_other_lab',
    ]);
    expect(await refusalOf({ lab_account_id, marker_ids: [2001] })).toEqual([400, 'lab_account_of_other_lab']);
  });

  test('is refused if it names an unknown marker, laboratory or account', async () => {
    for (const changes of [
      { marker_ids: [999_999] },
      { marker_ids: [99_999_999_999] },
      { provider_ids: ['NOWHERE'] },
      { marker_ids: null, provider_ids: ['KIT-4548'], lab_slug: 'simulated-reference-lab' },
      { lab_slug: 'nowhere' },
      { lab_account_id: newId() },
    ])
      expect([changes, ...(await refusalOf(changes))]).toEqual([changes, 404, 'not_found']);
  });

  test('needs a name, a description, a known method, and at most 100 markers', async () => {
    for (const changes of [
      { name: ' ' },
      { name: 'x'.repeat(201) },
      { description: undefined },
      { method: 'by_mail' },
      { marker_ids: Array.from({ length: 101 }, (_, n) => n) },
    ])
      expect((await make(changes)).status).toBe(422);
  });

  test('is refused beyond the limit of the team', async () => {
    const { body } = await team.api<Static<typeof LabTestPage>>('GET', '/v3/lab_test?lab_test_limit=100');
    for (let made = body.data.length; made < 16; made++) expect((await make()).status).toBe(200);
    expect(await refusalOf({})).toEqual([403, 'limit_reached']);
  });

  test('is created once for one idempotency key', async () => {
    const headers = { 'x-idempotency-key': newId() };
    const [first, second] = [
      await team.api<LabTest>('POST', '/v3/lab_tests', heart, { headers }),
      await team.api<LabTest>('POST', '/v3/lab_tests', heart, { headers }),
    ];
    expect(second.body.id).toBe(first.body.id);
  });
});

describe('changing a lab test', () => {
  test('renames it, also in orders that are under way', async () => {
    const { body } = await make();
    const ordered = (await order(body.id)).body.order;
    expect(await patch(body.id, { name: 'Heart check' })).toMatchObject({ name: 'Heart check', status: 'active' });
    expect((await readOrder(team, ordered.id))['lab_test']).toMatchObject({ name: 'Heart check' });
  });

  test('deactivates and activates it: an inactive one cannot be ordered, and its orders continue', async () => {
    const { body } = await make();
    const ordered = (await order(body.id)).body.order;
    expect(await patch(body.id, { active: false })).toMatchObject({ status: 'inactive', is_active: false });
    expect((await order(body.id)).body.code).toBe('lab_test_not_orderable');
    await team.api('POST', `/v3/order/${ordered.id}/test`);
    expect((await readOrder(team, ordered.id)).events.length).toBeGreaterThan(2);
    expect(await patch(body.id, { active: true })).toMatchObject({ status: 'active', is_active: true });
    expect((await order(body.id)).status).toBe(200);
  });

  test('cannot activate it before it was approved', async () => {
    const { body } = await make();
    await unapproved(body.id);
    expect((await patch(body.id, { active: true })).status).toBe('pending_approval');
    await patch(body.id, { active: false });
    expect((await patch(body.id, { active: true })).status).toBe('pending_approval');
    await patch(body.id, { active: false });
    await approveLabTestOf(app.ctx, team.id, body.id);
    expect((await team.api<LabTest>('GET', `/v3/lab_tests/${body.id}`)).body.status).toBe('inactive');
    expect((await patch(body.id, { active: true })).status).toBe('active');
  });

  test('changes nothing with equal values, and refuses an unknown lab test', async () => {
    const { body } = await make();
    const updated = async (): Promise<unknown> =>
      (await app.db.selectFrom('lab_tests').select('updated_at').where('id', '=', body.id).executeTakeFirst())
        ?.updated_at;
    const before = await updated();
    for (const same of [{}, { name: null, active: null }, { name: body.name }]) {
      expect(await patch(body.id, same)).toEqual(body);
    }
    expect(await updated()).toEqual(before);
    const unknown = await team.api<Refusal>('PATCH', `/v3/lab_tests/${newId()}`, { active: false });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
    expect((await team.api('PATCH', `/v3/lab_tests/${body.id}`, { name: '' })).status).toBe(422);
  });
});

test('order codes that two laboratories have are ambiguous until the request names one laboratory', async () => {
  await query(app.databaseUrl, `update markers set provider_id = 'SHARED' where id in (1001, 2001)`);
  try {
    expect(await refusalOf({ marker_ids: null, provider_ids: ['SHARED'] })).toEqual([400, 'order_set_ambiguous']);
    const { body } = await make({ marker_ids: null, provider_ids: ['SHARED'], lab_slug: 'simulated-kit-lab' });
    expect(body.markers?.map(({ id }) => id)).toEqual([1001]);
  } finally {
    await query(app.databaseUrl, `update markers set provider_id = id::text where id in (1001, 2001)`);
  }
});
