// A client that sends a deprecated key of a body learns it from the headers, in every operation that has one.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../src/operations.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { orderBy, phoenix } from './collected-orders.ts';
import { createOrder, makeUser } from './factories.ts';
import { person } from './people.ts';

type Schema = { deprecated?: boolean; properties?: Record<string, Schema>; anyOf?: Schema[] };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** Paths of the keys that are marked as deprecated, also in nested objects. */
const deprecatedIn = ({ properties = {}, anyOf = [] }: Schema): string[] => [
  ...anyOf.flatMap(deprecatedIn),
  ...Object.entries(properties).flatMap(([name, schema]) => [
    ...(schema.deprecated ? [name] : []),
    ...deprecatedIn(schema).map((inner) => `${name}.${inner}`),
  ]),
];

test('every deprecated key of a body causes the headers', () => {
  const marked = operations.flatMap(({ id, body }) =>
    deprecatedIn((body ?? {}) as Schema).map((key) => `${id} ${key}`),
  );
  const declared = operations.flatMap(({ id, deprecatedFields = {} }) =>
    Object.keys(deprecatedFields).map((key) => `${id} ${key}`),
  );
  expect(marked.length).toBeGreaterThan(3);
  expect(declared.toSorted()).toEqual(marked.toSorted());
});

const marks = ({ headers }: { headers: Headers }): (string | null)[] => [
  headers.get('deprecation'),
  headers.get('link'),
];
const MARKED = ['@1748736000', '</docs/introduction#deprecated-fields>; rel="deprecation"'];

test('the insurance in an order is one, and the unit of an address, alone or within a body', async () => {
  const { user_id } = await makeUser(app.team);
  const health_insurance = { payor_code: 'SBX00001', member_id: 'XYZ1', relationship: 'Self', insured: person };
  expect(marks(await createOrder(app.team, { user_id, health_insurance }))).toEqual(MARKED);
  expect(marks(await createOrder(app.team, { user_id, health_insurance: null }))).toEqual([null, null]);

  const free = (address: object) =>
    app.api('POST', '/v3/order/phlebotomy/appointment/availability', { ...phoenix, ...address });
  expect(marks(await free({ unit: '4B' }))).toEqual(MARKED);
  expect(marks(await free({ second_line: '4B', unit: null }))).toEqual([null, null]);

  const order = await orderBy(app.team, 'at_home_phlebotomy');
  const ask = (address: object) =>
    app.api('POST', `/v3/order/${order}/phlebotomy/appointment/request`, { address, provider: 'getlabs' });
  expect(marks(await ask(phoenix))).toEqual([null, null]);
  expect(marks(await ask({ ...phoenix, unit: '4B' }))).toEqual(MARKED);
});
