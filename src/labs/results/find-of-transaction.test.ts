import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../../../test/app.ts';
import { orderKit, register, readOrder, registeredKit, simulate, type OrderBody } from '../../../test/factories.ts';
import { labOf, observed, receiveFor, reportOf } from '../../../test/lab-reports.ts';
import type { LabReport, Observation } from './report.ts';

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

/** A registered kit in the transaction of another order, as a redraw is. */
async function redrawOf(order: OrderBody): Promise<OrderBody> {
  const redraw = await orderKit(app.team, order.user_id);
  await sql`update orders set order_transaction_id = ${order.order_transaction.id}, origin = 'redraw' where id = ${redraw.id}`.execute(
    app.db,
  );
  await simulate(app.team, redraw.id);
  await register(app.team, { sample_id: (await readOrder(app.team, redraw.id)).sample_id });
  return readOrder(app.team, redraw.id);
}

const tell = (
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

test('the newest final value of each marker is told, by whichever order, and missing is what none brought', async () => {
  const order = await registeredKit(app.team);
  const id = order.order_transaction.id;
  expect((await read(id)).body.code).toBe('results_not_available');
  await tell(order, 7, [
    { code: 'A', name: 'Kept', text: '1' },
    { code: 'B', name: 'Drawn again', text: 'QNS', status: 'not_obtained', kind: 'comment' },
    { code: 'C', name: 'Both', text: '2' },
    { code: 'D', name: 'Lost', text: 'QNS', status: 'not_obtained', kind: 'comment' },
  ]);
  const alone = await read(id);
  expect(alone.body.results.map(({ slug }) => slug)).toEqual(['kept', 'both']);
  expect(alone.body.metadata).toMatchObject({ status: 'final' });
  const redraw = await redrawOf(order);
  await tell(redraw, 9, [{ code: 'C', name: 'Both', text: '99', status: 'partial' }], 'partial');
  expect((await read(id)).body.results.find(({ slug }) => slug === 'both')?.result).toBe('2');
  expect((await read(id)).body.metadata.status).toBe('partial');
  await tell(redraw, 10, [
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

test('what one order withdrew is missing once, until another brings it', async () => {
  const order = await registeredKit(app.team);
  const id = order.order_transaction.id;
  const withdrawn = { code: 'A', name: 'Kept', text: '', status: 'withdrawn' as const };
  await tell(order, 7, [{ code: 'A', name: 'Kept', text: '987.65' }]);
  await tell(order, 8, [withdrawn], 'corrected');
  const redraw = await redrawOf(order);
  await tell(redraw, 9, [{ ...withdrawn, text: 'QNS', status: 'not_obtained', kind: 'comment' }]);
  const kept = async (): Promise<unknown[]> =>
    (await read(id)).body.missing_results.filter(({ slug }) => slug === 'kept');
  expect(await kept()).toMatchObject([{ note: 'The laboratory withdrew this value.' }]);
  expect(JSON.stringify((await read(id)).body)).not.toContain('987.65');
  await tell(redraw, 10, [{ code: 'A', name: 'Kept', text: '3' }]);
  expect([await kept(), (await read(id)).body.results.map(({ result }) => result)]).toEqual([[], ['3']]);
});

test("an unknown one and another team's are the same 404; a malformed id and no key are 422 and 401", async () => {
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
