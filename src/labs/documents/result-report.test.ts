import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { orderKit, readOrder, register, registeredKit, simulate, type OrderBody } from '../../../test/factories.ts';
import { labOf, observed, receiveFor, reportOf } from '../../../test/lab-reports.ts';
import { fetchPdf, placesOf, textOf, type Place } from '../../../test/pdf.ts';
import type { Observation } from '../results/report.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const tell = (order: OrderBody, day: number, values: Partial<Observation>[], corrected = false): Promise<unknown> =>
  receiveFor(
    app,
    { team: app.team, orderId: order.id, labId: labOf(order) },
    reportOf({ status: corrected ? 'corrected' : 'final', observations: values.map(observed) }, day),
  );

const HEAD = ['Test', 'Result', 'Unit', 'Reference interval', 'Interpretation'];
/** In points, of a page of 612 by 792. */
const EDGES = { left: 45.9, right: 566.1, bottom: 12, top: 750 };

const isOver = (a: Place, b: Place): boolean =>
  a.page === b.page &&
  a.x < b.x + b.width - 0.5 &&
  b.x < a.x + a.width - 0.5 &&
  a.y < b.y + b.height * 0.7 &&
  b.y < a.y + a.height * 0.7;

test('a hundred results go over several pages: each has its head and number, no row is torn, and nothing lies over another', async () => {
  const order = await registeredKit(app.team);
  const note =
    'A note of the laboratory that is long enough to need a second line below the result of which it tells, at least.';
  await tell(
    order,
    7,
    Array.from({ length: 100 }, (_, index) => ({
      code: `M${index}`,
      name: `Marker ${index} with a name that takes two lines (M${index})`,
      text: `${1_000 + index}`,
      ...(index % 3 === 0 ? { notes: note } : {}),
    })),
  );
  const places = await placesOf(await fetchPdf(app, `/v3/order/${order.id}/result/pdf`));
  const pages = Math.max(...places.map(({ page }) => page));
  expect(pages).toBeGreaterThan(3);
  const on = (page: number): Place[] => places.filter((place) => place.page === page);
  for (let page = 1; page <= pages; page++) {
    expect(on(page).filter(({ text }) => text === `Page ${page} of ${pages}`).length).toBe(1);
    expect(on(page).some(({ text }) => text.includes('Palmer, Grace') && text.includes('Apr 12, 1988'))).toBe(true);
    const hasRows = on(page).some(({ text }) => /^Marker \d+ with/.test(text));
    for (const title of HEAD) expect(on(page).some(({ text }) => text === title)).toBe(hasRows);
  }
  for (let index = 0; index < 100; index++) {
    const value = places.filter(({ text }) => text === `${1_000 + index}`);
    const name = places.filter(({ text }) => text.startsWith(`Marker ${index} with`));
    const end = places.filter(({ text }) => text.endsWith(`(M${index})`));
    expect([value.length, name.length, end.length]).toEqual([1, 1, 1]);
    expect([name[0]?.page, end[0]?.page]).toEqual([value[0]?.page, value[0]?.page]);
    expect(name[0]?.y).toBe(value[0]?.y);
  }
  for (const { x, y, width, height } of places) {
    expect(x).toBeGreaterThan(EDGES.left);
    expect(x + width).toBeLessThan(EDGES.right);
    expect(y).toBeGreaterThan(EDGES.bottom);
    expect(y + height).toBeLessThan(EDGES.top);
  }
  const over = places.flatMap((one, at) =>
    places.slice(at + 1).flatMap((other) => (isOver(one, other) ? [[one, other]] : [])),
  );
  expect(over).toEqual([]);
});

test('what a laboratory tells in several lines stands in several lines', async () => {
  const order = await registeredKit(app.team);
  const notes = 'Repeated and confirmed.\nSecond line of the laboratory.';
  await tell(order, 7, [
    { code: 'R', name: 'Above all', kind: 'range', text: '>500', notes },
    { code: 'Q', name: 'Not done', kind: 'comment', text: 'QNS', status: 'not_obtained', notes },
  ]);
  const printed = await fetchPdf(app, `/v3/order/${order.id}/result/pdf`);
  expect((await textOf(printed)).join(' ')).not.toContain('{U+');
  const lines = (await placesOf(printed)).map(({ text }) => text);
  for (const line of notes.split('\n')) expect(lines.filter((text) => text === line).length).toBe(2);
});

test('the report of a transaction has the values of the order and of its redraw, each once, and what was corrected with what it was', async () => {
  const order = await registeredKit(app.team);
  await tell(order, 7, [
    { code: 'A', name: 'Kept', text: '4111' },
    { code: 'B', name: 'Drawn again', text: 'QNS', status: 'not_obtained', kind: 'comment' },
    { code: 'C', name: 'Both', text: '4222' },
  ]);
  const redraw = await orderKit(app.team, order.user_id);
  await sql`update orders set order_transaction_id = ${order.order_transaction.id}, origin = 'redraw' where id = ${redraw.id}`.execute(
    app.db,
  );
  await simulate(app.team, redraw.id);
  await register(app.team, { sample_id: (await readOrder(app.team, redraw.id)).sample_id });
  await tell(redraw, 10, [
    { code: 'B', name: 'Drawn again', text: '4333' },
    { code: 'C', name: 'Both', text: '4444' },
  ]);
  await tell(redraw, 11, [{ code: 'B', name: 'Drawn again', text: '4555', status: 'corrected' }], true);
  const text = (
    await textOf(await fetchPdf(app, `/v3/order_transaction/${order.order_transaction.id}/result/pdf`))
  ).join(' ');
  for (const item of [
    'CORRECTED REPORT',
    'Kept 4111',
    'Both 4444',
    'Drawn again 4555',
    'CORRECTED: reported before as 4333',
  ])
    expect(text).toContain(item);
  expect(text).not.toContain('4222');
  expect(text.split('Drawn again').length).toBe(2);
  expect((await textOf(await fetchPdf(app, `/v3/order/${order.id}/result/pdf`))).join(' ')).not.toContain('4555');
});
