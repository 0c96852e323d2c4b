import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../../../test/test-app.ts';
import { orderKit, register, readOrder, registeredKit, simulate, type OrderBody } from '../../../test/factories.ts';
import { labOf, observed, receiveFor, reportOf } from '../../../test/lab-reports.ts';
import type { LabReport, Observation } from './lab-report.ts';

type Combined = {
  code: string;
  metadata: { status: string; interpretation: string };
  results: { slug: string; result: string; source_sample_id: string }[];
  missing_results: { slug: string }[];
  sample_information: Record<string, unknown>;
  order_transaction: { id: string; orders: { id: string }[] };
};

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const read = (id: string, key?: null): Promise<Answer<Combined>> =>
  app.api<Combined>('GET', `/v3/order_transaction/${id}/result`, undefined, key === null ? { key } : {});

/** Makes a redraw of an order: a registered kit in the same order transaction. */
async function redrawOf(order: OrderBody): Promise<OrderBody> {
  const redraw = await orderKit(app.team, order.user_id);
  await sql`
    update orders set order_transaction_id = ${order.order_transaction.id}, origin = 'redraw'
     where id = ${redraw.id}`.execute(app.db);
  await simulate(app.team, redraw.id);
  await register(app.team, { sample_id: (await readOrder(app.team, redraw.id)).sample_id });
  return readOrder(app.team, redraw.id);
}

const reportValues = (
  order: OrderBody,
  day: number,
  values: Partial<Observation>[],
  status: LabReport['status'] = 'final',
): Promise<unknown> =>
  receiveFor(
    app,
    { team: app.team, orderId: order.id, labId: labOf(order) },
    reportOf({ status, observations: values.map(observed) }, day),
  );

test('each marker has the newest final value of any order, and is missing only if no order has a value', async () => {
  const order = await registeredKit(app.team);
  const id = order.order_transaction.id;
  expect((await read(id)).body.code).toBe('results_not_available');
  await reportValues(order, 7, [
    { code: 'A', name: 'Kept', text: '1' },
    { code: 'B', name: 'Drawn again', text: 'QNS', status: 'not_obtained', kind: 'comment' },
    { code: 'C', name: 'Both', text: '2' },
    { code: 'D', name: 'Lost', text: 'QNS', status: 'not_obtained', kind: 'comment' },
  ]);
  const alone = await read(id);
  expect(alone.body.results.map(({ slug }) => slug)).toEqual(['kept', 'both']);
  expect(alone.body.metadata).toMatchObject({ status: 'final' });
  const redraw = await redrawOf(order);
  await reportValues(redraw, 9, [{ code: 'C', name: 'Both', text: '99', status: 'partial' }], 'partial');
  expect((await read(id)).body.results.find(({ slug }) => slug === 'both')?.result).toBe('2');
  expect((await read(id)).body.metadata.status).toBe('partial');
  await reportValues(redraw, 10, [
    { code: 'B', name: 'Drawn again', text: '3' },
    { code: 'C', name: 'Both', text: '9' },
  ]);
  const { body } = await read(id);
  const [first, second] = [order.sample_id, redraw.sample_id] as [string, string];
  expect(body.results.map(({ slug, result, source_sample_id }) => [slug, result, source_sample_id])).toEqual(
    expect.arrayContaining([
      ['kept', '1', first],
      ['both', '9', second],
      ['drawn-again', '3', second],
    ]),
  );
  expect(body.results).toHaveLength(3);
  expect(body.missing_results.map(({ slug }) => slug)).toContain('lost');
  expect(body.missing_results.map(({ slug }) => slug)).not.toContain('drawn-again');
  expect(body.metadata).toMatchObject({ status: 'final', interpretation: 'abnormal' });
  expect(body.order_transaction.orders.map((one) => one.id)).toEqual([order.id, redraw.id]);
});

test('a result that one order withdrew is missing once, until another order has it', async () => {
  const order = await registeredKit(app.team);
  const id = order.order_transaction.id;
  const withdrawn = { code: 'A', name: 'Kept', text: '', status: 'withdrawn' as const };
  await reportValues(order, 7, [{ code: 'A', name: 'Kept', text: '987.65' }]);
  await reportValues(order, 8, [withdrawn], 'corrected');
  const redraw = await redrawOf(order);
  await reportValues(redraw, 9, [{ ...withdrawn, text: 'QNS', status: 'not_obtained', kind: 'comment' }]);
  const missingResults = async (): Promise<unknown[]> =>
    (await read(id)).body.missing_results.filter(({ slug }) => slug === 'kept');
  expect(await missingResults()).toMatchObject([{ note: 'The laboratory withdrew this value.' }]);
  expect(JSON.stringify((await read(id)).body)).not.toContain('987.65');
  await reportValues(redraw, 10, [{ code: 'A', name: 'Kept', text: '3' }]);
  expect([await missingResults(), (await read(id)).body.results.map(({ result }) => result)]).toEqual([[], ['3']]);
});

test("an unknown one and another team's answer 404; a malformed id 422; no key 401", async () => {
  const team = await app.makeTeam();
  const theirs = await registeredKit(team);
  await simulate(team, theirs.id);
  for (const id of [randomUUID(), theirs.order_transaction.id]) {
    const answer = await read(id);
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
  }
  expect((await read('7')).status).toBe(422);
  expect((await read(theirs.order_transaction.id, null)).status).toBe(401);
});
