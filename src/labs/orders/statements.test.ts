// How many SQL statements the work of an operation takes. Each statement is a round trip to the database, and round
// trips take most of the operation's time.
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { kitTestId, makeUser, orderKit, readOrder, shippingAddress, type OrderBody } from '../../../test/factories.ts';

let app: TestApp;
beforeAll(async () => {
  // The app uses a single connection. The first order prepares every statement on it.
  app = await startTestApp({}, { poolSize: 1 });
});
afterAll(() => app.close());

/** Statements for the connection and around the work: scopes, ends of transactions, the audit log, pings. */
const BESIDE_THE_WORK =
  /^\s*(begin|commit|select set_config|select public.note_cluster|select 1|listen|insert into audit_log)/i;

async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    const texts = query.mock.calls.map(([first]: unknown[]) =>
      typeof first === 'string' ? first : (first as { text: string }).text,
    );
    return texts.filter((text) => !BESIDE_THE_WORK.test(text)).length;
  } finally {
    query.mockRestore();
  }
}

test('one statement creates an order with its events, and one reads it', async () => {
  const first = await orderKit(app.team);
  await readOrder(app.team, first.id);
  const body = {
    user_id: (await makeUser(app.team)).user_id,
    lab_test_id: await kitTestId(app.team),
    shipping_details: shippingAddress,
  };
  let id = '';
  const made = await statementsOf(async () => {
    id = (await app.api<{ order: OrderBody }>('POST', '/v3/order/testkit', body)).body.order.id;
  });
  expect(made).toBe(1);
  expect(await statementsOf(() => readOrder(app.team, id))).toBe(1);
  // The four statements lock the order, load it, end its simulation, and append the event.
  expect(await statementsOf(() => app.api('POST', `/v3/order/${id}/cancel`))).toBe(4);
});

test("an order's lab test is always current, although lab tests are cached", async () => {
  const order = await orderKit(app.team);
  const { id, markers } = order['lab_test'] as { id: string; markers: { id: number }[] };
  await app.db.updateTable('lab_tests').set({ name: 'Renamed kit' }).where('id', '=', id).execute();
  expect((await readOrder(app.team, order.id))['lab_test']).toMatchObject({ name: 'Renamed kit' });
  const removed = markers.at(-1)?.id as number;
  await app.db.deleteFrom('lab_test_markers').where('lab_test_id', '=', id).where('marker_id', '=', removed).execute();
  const fewer = (await readOrder(app.team, order.id))['lab_test'] as { markers: { id: number }[] };
  expect(fewer.markers.map((marker) => marker.id)).toEqual(markers.slice(0, -1).map((marker) => marker.id));
});
