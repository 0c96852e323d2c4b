import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import {
  kitTestId,
  makeUser,
  patientDetails,
  readOrder,
  register,
  shippingAddress,
  type OrderBody,
} from '../../../test/factories.ts';
import type { JsonColumn, TextColumn } from '../../privacy/sealed-columns.ts';
import { rotateKeys } from '../../privacy/rotate.ts';

let app: TestApp;
let team: Team;
beforeAll(async () => {
  app = await startTestApp();
  team = app.team;
});
afterAll(() => app.close());

const APART = [
  'patient_details',
  'patient_address',
  'shipping_details',
  'physician',
  'icd_codes',
  'notes',
  'clinical_notes',
  'passthrough',
] as const;

async function createKit(userId?: string): Promise<OrderBody> {
  const { body } = await team.api<{ order: OrderBody }>('POST', '/v3/order/testkit', {
    user_id: userId ?? (await makeUser(team)).user_id,
    lab_test_id: await kitTestId(team),
    shipping_details: shippingAddress,
    passthrough: 'of a customer',
  });
  return body.order;
}

const stored = (id: string) =>
  app.db
    .selectFrom('orders')
    .select(['id', 'team_id', 'personal', ...APART])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

/** Stores an order in the older form, with each value sealed in a column of its own. */
async function sealApart(id: string): Promise<void> {
  const { cipher } = app.ctx;
  const row = await stored(id);
  const opened = cipher.openJson<Record<string, unknown>>('orders.personal', row, row.personal as Buffer);
  const apart = Object.entries(opened).map(([column, value]) => [
    column,
    typeof value === 'string'
      ? cipher.sealText(`orders.${column}` as TextColumn, row, value)
      : cipher.sealJson(`orders.${column}` as JsonColumn, row, value),
  ]);
  const set = { ...(Object.fromEntries(apart) as object), personal: null };
  await app.db.updateTable('orders').set(set).where('id', '=', id).execute();
}

const listed = async (id: string, query = ''): Promise<OrderBody | undefined> =>
  (await team.api<{ orders: OrderBody[] }>('GET', `/v3/orders?${query}`)).body.orders.find((order) => order.id === id);

const physician = { first_name: 'Ada', last_name: 'Moss', npi: '1234567893' };

async function registered(): Promise<OrderBody> {
  const { id, user_id } = await createKit();
  await register(team, { sample_id: `SEALED-${id}`, user_id, patient_details: patientDetails, physician });
  return readOrder(team, id);
}

test('an order with values in columns of their own reads the same, alone and in lists', async () => {
  const order = await registered();
  const before = [await listed(order.id), await listed(order.id, 'order_key=patient_name')];
  await sealApart(order.id);
  expect((await stored(order.id)).patient_details).not.toBeNull();
  expect(await readOrder(team, order.id)).toEqual(order);
  expect([await listed(order.id), await listed(order.id, 'order_key=patient_name')]).toEqual(before);
  expect(order).toMatchObject({ patient_details: patientDetails, passthrough: 'of a customer', physician });
});

test('a change of such an order seals all values as one and loses none', async () => {
  const kit = await createKit();
  await sealApart(kit.id);
  await register(team, { sample_id: `SEALED-${kit.id}`, user_id: kit.user_id, patient_details: patientDetails });
  const { personal, ...row } = await stored(kit.id);
  expect(personal).toBeInstanceOf(Buffer);
  expect(APART.map((column) => row[column])).toEqual(APART.map(() => null));
  const { shipping_details, passthrough } = kit;
  expect(await readOrder(team, kit.id)).toMatchObject({
    patient_details: patientDetails,
    shipping_details,
    passthrough,
  });
});

test('a kit that has a patient does not wait for registration, in both forms of sealed values', async () => {
  const user = await makeUser(team);
  const kits = [await createKit(user.user_id), await createKit(user.user_id), await createKit(user.user_id)];
  const [one, apart, waiting] = kits as [OrderBody, OrderBody, OrderBody];
  for (const { id } of [one, apart]) {
    await register(team, { sample_id: `SEALED-${id}`, user_id: user.user_id, patient_details: patientDetails });
    // Without the sample id, only the patient distinguishes these orders from those that wait.
    await app.db.updateTable('orders').set({ sample_id: null }).where('id', '=', id).execute();
  }
  await sealApart(apart.id);
  const { body } = await register(team, {
    sample_id: `SEALED-${waiting.id}`,
    user_id: user.user_id,
    patient_details: patientDetails,
  });
  expect(body).toMatchObject({ order: { id: waiting.id } });
});

test('both forms are sealed again under a new key', async () => {
  const [one, apart] = [await registered(), await registered()];
  await sealApart(apart.id);
  const second = `2:${Buffer.alloc(32, 2).toString('base64')}`;
  const renewed = await startTestApp({ PHIAL_ENCRYPTION_KEYS: second }, { databaseUrl: app.databaseUrl });
  try {
    await rotateKeys({ ownerUrl: app.databaseUrl, cipher: renewed.ctx.cipher, report: () => undefined });
    expect((await stored(one.id)).personal?.[0]).toBe(2);
    expect((await stored(apart.id)).patient_details?.[0]).toBe(2);
    for (const order of [one, apart]) {
      const path = `/v3/order/${order.id}`;
      const { body } = await renewed.api<OrderBody>('GET', path, undefined, { key: team.api_key });
      expect(body.patient_details).toEqual(order.patient_details);
    }
  } finally {
    await renewed.close();
  }
});
