import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { orderKit, readOrder, register, registeredKit, simulate, type OrderBody } from '../../../test/factories.ts';
import { labOf, observed, receiveFor, reportOf } from '../../../test/lab-reports.ts';
import { fetchPdf, textBoxesOf, textOf, type TextBox } from '../../../test/pdf.ts';
import { ensureSpace, openSheet } from './paper/sheet.ts';
import type { Observation } from '../results/lab-report.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const reportValues = (
  order: OrderBody,
  day: number,
  values: Partial<Observation>[],
  corrected = false,
): Promise<unknown> =>
  receiveFor(
    app,
    { team: app.team, orderId: order.id, labId: labOf(order) },
    reportOf({ status: corrected ? 'corrected' : 'final', observations: values.map(observed) }, day),
  );

const HEAD = ['Test', 'Result', 'Unit', 'Reference interval', 'Interpretation'];
/** The edges of the area that may have text, in points. The page has 612 by 792 points. */
const EDGES = { left: 45.9, right: 566.1, bottom: 12, top: 750 };

const isOver = (a: TextBox, b: TextBox): boolean =>
  a.page === b.page &&
  a.x < b.x + b.width - 0.5 &&
  b.x < a.x + a.width - 0.5 &&
  a.y < b.y + b.height * 0.7 &&
  b.y < a.y + a.height * 0.7;

test('a withdrawn final value makes the report a corrected one, which names the value', async () => {
  const order = await registeredKit(app.team);
  await reportValues(order, 7, [{ text: '987.65' }, { code: 'X2', name: 'Other', text: '4' }]);
  const print = async (): Promise<string> =>
    (await textOf(await fetchPdf(app, `/v3/order/${order.id}/result/pdf`))).join(' ');
  expect(await print()).not.toContain('CORRECTED REPORT');
  await reportValues(order, 8, [{ text: '', status: 'withdrawn' }], true);
  const text = await print();
  for (const item of ['CORRECTED REPORT', 'Values were withdrawn', 'reported before of: Something.', 'Other'])
    expect(text).toContain(item);
  expect(text).not.toContain('987.65');
  expect(text).not.toContain('Final');
  const transaction = await fetchPdf(app, `/v3/order_transaction/${order.order_transaction.id}/result/pdf`);
  expect((await textOf(transaction)).join(' ')).toContain('reported before of: Something.');
});

test('a hundred results take several pages, each with head and number, and no rows tear or overlap', async () => {
  const order = await registeredKit(app.team);
  const note =
    'A note of the laboratory that is long enough to need a second line below the result of which it tells, at least.';
  await reportValues(
    order,
    7,
    Array.from({ length: 100 }, (_, index) => ({
      code: `M${index}`,
      name: `Marker ${index} with a name that takes two lines (M${index})`,
      text: `${1_000 + index}`,
      ...(index % 3 === 0 ? { notes: note } : {}),
    })),
  );
  const positions = await textBoxesOf(await fetchPdf(app, `/v3/order/${order.id}/result/pdf`));
  const pages = Math.max(...positions.map(({ page }) => page));
  expect(pages).toBeGreaterThan(3);
  const on = (page: number): TextBox[] => positions.filter((position) => position.page === page);
  for (let page = 1; page <= pages; page++) {
    expect(on(page).filter(({ text }) => text === `Page ${page} of ${pages}`).length).toBe(1);
    expect(on(page).some(({ text }) => text.includes('Palmer, Grace') && text.includes('Apr 12, 1988'))).toBe(true);
    const hasRows = on(page).some(({ text }) => /^Marker \d+ with/.test(text));
    for (const title of HEAD) expect(on(page).some(({ text }) => text === title)).toBe(hasRows);
  }
  for (let index = 0; index < 100; index++) {
    const value = positions.filter(({ text }) => text === `${1_000 + index}`);
    const name = positions.filter(({ text }) => text.startsWith(`Marker ${index} with`));
    const end = positions.filter(({ text }) => text.endsWith(`(M${index})`));
    expect([value.length, name.length, end.length]).toEqual([1, 1, 1]);
    expect([name[0]?.page, end[0]?.page]).toEqual([value[0]?.page, value[0]?.page]);
    expect(name[0]?.y).toBe(value[0]?.y);
  }
  for (const { x, y, width, height } of positions) {
    expect(x).toBeGreaterThan(EDGES.left);
    expect(x + width).toBeLessThan(EDGES.right);
    expect(y).toBeGreaterThan(EDGES.bottom);
    expect(y + height).toBeLessThan(EDGES.top);
  }
  const over = positions.flatMap((one, at) =>
    positions.slice(at + 1).flatMap((other) => (isOver(one, other) ? [[one, other]] : [])),
  );
  expect(over).toEqual([]);
});

test('units are printed as people read them, also those of earlier values, and stay UCUM as data', async () => {
  const order = await registeredKit(app.team);
  const [rate, ratio, own] = ['mL/min/{1.73_m2}', '{ratio}', 'ug-of-fibrinogen-equiv/mL'];
  const values = (ends: string): Partial<Observation>[] => [
    { code: 'G', name: 'Filtration', text: `5${ends}`, unit: rate, reference_range: '>59 mL/min/{1.73_m2}' },
    { code: 'R', name: 'Ratio', text: `2.${ends}`, unit: ratio, notes: 'Note of [a] laboratory {ratio}.' },
    { code: 'O', name: 'Own', text: `6${ends}`, unit: own },
  ];
  await reportValues(order, 7, values('8'));
  await reportValues(order, 8, values('9'), true);
  const printed = await fetchPdf(app, `/v3/order/${order.id}/result/pdf`);
  const lines = (await textBoxesOf(printed)).map(({ text }) => text.replaceAll(/\s/g, ' '));
  for (const unit of ['mL/min/1.73 m²', 'ratio', own]) expect(lines).toContain(unit);
  const text = (await textOf(printed)).join(' ');
  for (const item of [
    '>59 mL/min/1.73 m²',
    'reported before as 58 mL/min/1.73 m².',
    'reported before as 2.8 ratio. Note of [a] laboratory {ratio}.',
    `reported before as 68 ${own}.`,
  ])
    expect(text).toContain(item);
  const { body } = await app.team.api<{ results: { unit: string; previous_result: string }[] }>(
    'GET',
    `/v3/order/${order.id}/result`,
  );
  expect(body.results.map(({ unit, previous_result }) => [unit, previous_result])).toEqual([
    [rate, `58 ${rate}`],
    [ratio, `2.8 ${ratio}`],
    [own, `68 ${own}`],
  ]);
});

test('a value that its laboratory calls normal is neither low nor high, whatever its range', async () => {
  const order = await registeredKit(app.team);
  const range = { text: '5', reference_range: '70-99' };
  await reportValues(order, 7, [
    { code: 'N', name: 'Flagged normal', ...range, flags: ['N'] },
    { code: 'L', name: 'Flagged low', ...range, flags: ['L'] },
    { code: 'H', name: 'Not flagged', ...range, text: '500' },
  ]);
  const text = (await textOf(await fetchPdf(app, `/v3/order/${order.id}/result/pdf`))).join(' ');
  for (const item of [
    'Flagged normal 5 mg/dL 70-99 Normal Flagged low',
    'Flagged low 5 mg/dL 70-99 Abnormal, low',
    'Not flagged 500 mg/dL 70-99 Abnormal, high',
  ])
    expect(text).toContain(item);
});

test('a note of several lines is printed in several lines', async () => {
  const order = await registeredKit(app.team);
  const notes = 'Repeated and confirmed.\nSecond line of the laboratory.';
  await reportValues(order, 7, [
    { code: 'R', name: 'Above all', kind: 'range', text: '>500', notes },
    { code: 'Q', name: 'Not done', kind: 'comment', text: 'QNS', status: 'not_obtained', notes },
  ]);
  const printed = await fetchPdf(app, `/v3/order/${order.id}/result/pdf`);
  expect((await textOf(printed)).join(' ')).not.toContain('{U+');
  const lines = (await textBoxesOf(printed)).map(({ text }) => text);
  for (const line of notes.split('\n')) expect(lines.filter((text) => text === line).length).toBe(2);
});

test('the report of a transaction has each value of the order and its redraw once, with corrections', async () => {
  const order = await registeredKit(app.team);
  await reportValues(order, 7, [
    { code: 'A', name: 'Kept', text: '4111' },
    { code: 'B', name: 'Drawn again', text: 'QNS', status: 'not_obtained', kind: 'comment' },
    { code: 'C', name: 'Both', text: '4222' },
  ]);
  const redraw = await orderKit(app.team, order.user_id);
  await sql`update orders set order_transaction_id = ${order.order_transaction.id}, origin = 'redraw'
    where id = ${redraw.id}`.execute(app.db);
  await simulate(app.team, redraw.id);
  await register(app.team, { sample_id: (await readOrder(app.team, redraw.id)).sample_id });
  await reportValues(redraw, 10, [
    { code: 'B', name: 'Drawn again', text: '4333' },
    { code: 'C', name: 'Both', text: '4444' },
  ]);
  await reportValues(redraw, 11, [{ code: 'B', name: 'Drawn again', text: '4555', status: 'corrected' }], true);
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

describe('the largest reports:', () => {
  test('all values of the largest order are printed, and other work goes on meanwhile', async () => {
    const order = await registeredKit(app.team);
    for (const half of [0, 1])
      await reportValues(
        order,
        7 + half,
        Array.from({ length: 1_000 }, (_, index) => ({
          code: `M${half}-${index}`,
          name: `Marker ${half}-${index} with a name that takes two lines of it`,
          text: `${(half + 1) * 10_000 + index}`,
        })),
      );
    let ticks = 0;
    const look = setInterval(() => (ticks += 1), 1);
    const printed = await fetchPdf(app, `/v3/order/${order.id}/result/pdf`);
    clearInterval(look);
    expect(printed.status).toBe(200);
    const pages = await textOf(printed);
    expect(pages.length).toBeGreaterThan(60);
    expect(ticks).toBeGreaterThan(pages.length / 2);
    const values = pages.join(' ').match(/\b[12]\d{4}\b/g) ?? [];
    expect(new Set(values).size).toBe(2_000);
  });

  test('a value and a note that are longer than a page continue on the next, and nothing is left out', async () => {
    const order = await registeredKit(app.team);
    const numbered = (name: string, count: number): string =>
      Array.from({ length: count }, (_, index) => `${name}${index}`).join(' ');
    await reportValues(order, 7, [
      { code: 'L', name: 'Long', kind: 'comment', text: numbered('t', 1_000), notes: numbered('n', 3_000) },
      { code: 'S', name: 'Short', text: '4111' },
    ]);
    const positions = await textBoxesOf(await fetchPdf(app, `/v3/order/${order.id}/result/pdf`));
    const seen = new Set(positions.flatMap(({ text }) => text.split(' ')));
    const wanted = [...numbered('t', 1_000).split(' '), ...numbered('n', 3_000).split(' '), '4111'];
    expect(wanted.filter((word) => !seen.has(word))).toEqual([]);
    expect(Math.min(...positions.map(({ y }) => y))).toBeGreaterThan(EDGES.bottom);
    for (const begin of [/^t\d/, /^n\d/])
      expect(new Set(positions.flatMap(({ text, page }) => (begin.test(text) ? page : []))).size).toBeGreaterThan(1);
  });

  test('a longer report is refused before it is drawn, and can be read as data', async () => {
    const order = await registeredKit(app.team);
    await reportValues(
      order,
      7,
      Array.from({ length: 24 }, (_, index) => ({ code: `M${index}`, notes: 'note '.repeat(13_000) })),
    );
    const printed = await fetchPdf(app, `/v3/order/${order.id}/result/pdf`);
    expect([printed.status, JSON.parse(Buffer.from(printed.bytes).toString())]).toMatchObject([
      400,
      { code: 'document_too_long' },
    ]);
    expect((await app.team.api('GET', `/v3/order/${order.id}/result`)).status).toBe(200);
  });

  test('a document has no more pages than its bound', async () => {
    const sheet = openSheet({ title: 'Two pages', at: '2026-01-05T00:00:00Z', maxPages: 2 });
    await ensureSpace(sheet, 600);
    sheet.y += 600;
    await ensureSpace(sheet, 600);
    sheet.y += 600;
    await expect(ensureSpace(sheet, 600)).rejects.toMatchObject({ code: 'document_too_long' });
  });
});
