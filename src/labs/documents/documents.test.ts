import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import {
  orderKit,
  patientDetails,
  physician,
  registeredKit,
  simulate,
  type OrderBody,
} from '../../../test/factories.ts';
import { fetchPdf, pictureOf, readBarcode, textOf, type Printed } from '../../../test/pdf.ts';
import { unitInWords, valueInWords } from './unit-in-words.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const print = (id: string, what: string): Promise<Printed> => fetchPdf(app, `/v3/order/${id}/${what}`);
const codeOf = ({ bytes }: Printed): string => (JSON.parse(Buffer.from(bytes).toString()) as { code: string }).code;
const labels = (count?: number): string =>
  `labels/pdf?collection_date=2026-01-05T14:30:00Z${count === undefined ? '' : `&number_of_labels=${count}`}`;
const LONG = 'Abcdefghij-Klmnopqrst-Uvwxyzabcd-Efghijklmn-Opqrst';

const reported = async (flags: object): Promise<OrderBody> => {
  const order = await registeredKit(app.team);
  await simulate(app.team, order.id, '', flags);
  return order;
};

describe('labels', () => {
  /**
   * Reads the text of a label's code. At a single scale, the reader finds 99 codes of 100. So it tries several scales,
   * as a scanner takes several pictures.
   */
  async function scanned(printed: Printed, page: number): Promise<string> {
    const at = async (scale: number): Promise<string> =>
      (await readBarcode(await pictureOf(printed, page, scale), { x: 0, y: 0.3, width: 0.37, height: 0.69 })).getText();
    return at(5)
      .catch(() => at(4))
      .catch(() => at(6));
  }

  test('are three by default, each with two identifiers of the patient and a code that a scanner reads', async () => {
    const order = await registeredKit(app.team);
    const printed = await print(order.id, labels());
    const pages = await textOf(printed);
    expect(pages.length).toBe(3);
    for (const [index, text] of pages.entries()) {
      for (const item of ['Palmer, Grace', 'Apr 12, 1988', 'Jan 5, 2026, 07:30 MST', order.sample_id as string])
        expect(text).toContain(item);
      expect(await scanned(printed, index + 1)).toBe(order.sample_id);
    }
  });

  test.each([
    ['2026-11-23T23:59:00-07:00', 'Nov 23, 2026, 23:59 MST'],
    ['2026-11-23T08:05', 'Nov 23, 2026, 01:05 MST'],
    ['2026-11-23 23:59:00+0530', 'Nov 23, 2026, 11:29 MST'],
    ['2026-11-23', 'Nov 23, 2026'],
  ])("show the collection %s in the patient's zone, with its name", async (given, expected) => {
    const { id } = await registeredKit(app.team);
    expect((await textOf(await print(id, `labels/pdf?collection_date=${encodeURIComponent(given)}`)))[0]).toContain(
      expected,
    );
  });

  test('are as many as requested, within bounds, and have room for the longest name', async () => {
    const order = await registeredKit(app.team, {
      patient_details: { ...patientDetails, first_name: LONG.slice(0, 30), last_name: LONG },
    });
    expect((await textOf(await print(order.id, labels(7)))).length).toBe(7);
    const [text] = await textOf(await print(order.id, labels(1)));
    expect(text).toContain(`${LONG}, ${LONG.slice(0, 30)}`);
    for (const count of [0, 51]) expect((await print(order.id, labels(count))).status).toBe(422);
    expect((await print(order.id, 'labels/pdf')).status).toBe(422);
  });

  test('are refused before the order has its patient', async () => {
    expect(codeOf(await print((await orderKit(app.team)).id, labels()))).toBe('document_not_available');
  });
});

test('other requests of a team do not wait until its rack of labels is printed', async () => {
  const small = await startTestApp({}, { poolSize: 1 });
  try {
    const order = await registeredKit(small.team);
    const answered: string[] = [];
    const ask = async (name: string, path: string): Promise<void> => {
      expect((await small.team.api('GET', path)).status).toBe(200);
      answered.push(name);
    };
    const rack = Array.from({ length: 6 }, (_, n) => ask('labels', `/v3/order/${order.id}/${labels(30 - n)}`));
    await Promise.all([...rack, ask('order', `/v3/order/${order.id}`)]);
    expect(answered.slice(0, 3)).toContain('order');
  } finally {
    await small.close();
  }
});

describe('the result report', () => {
  test('has the items of 42 CFR 493.1291(c) with reference intervals', async () => {
    const order = await reported({ interpretation: 'critical', has_missing_results: true });
    const { body } = await app.api<{
      results: { name: string; result: string; unit: string | null; reference_range: string | null }[];
      missing_results: { name: string }[];
    }>('GET', `/v3/order/${order.id}/result`);
    const text = (await textOf(await print(order.id, 'result/pdf'))).join(' ');
    const values = body.results.flatMap(({ name, result, unit, reference_range }) => [
      name,
      result,
      unitInWords(unit ?? '').replaceAll('\u202F', ' '),
      reference_range ?? '',
    ]);
    for (const item of [
      'Palmer, Grace',
      order.user_id,
      'Phial Simulated Kit Laboratory',
      '100 Example Kit Way, Tempe, AZ 85281',
      'Reported',
      'Dried blood spot',
      order.sample_id as string,
      'Critical',
      'CRITICAL RESULT',
      'Not reported'.toUpperCase(),
      ...values,
      ...body.missing_results.map(({ name }) => name),
    ])
      expect(text).toContain(item);
  });

  test('marks a corrected value and shows what was reported before', async () => {
    const order = await reported({ interpretation: 'critical' });
    await simulate(app.team, order.id, '?final_status=completed.testkit.corrected', { interpretation: 'abnormal' });
    const { body } = await app.api<{ results: { previous_result: string | null }[] }>(
      'GET',
      `/v3/order/${order.id}/result`,
    );
    const before = body.results.flatMap(({ previous_result }) => previous_result ?? []);
    expect(before.length).toBeGreaterThan(0);
    const text = (await textOf(await print(order.id, 'result/pdf'))).join(' ');
    expect(text).toContain('CORRECTED REPORT');
    for (const value of before)
      expect(text).toContain(`CORRECTED: reported before as ${valueInWords(value, null).replaceAll('\u202F', ' ')}.`);
  });

  test('of a transaction without a redraw is that of its order', async () => {
    const order = await reported({ interpretation: 'abnormal' });
    const combined = await fetchPdf(app, `/v3/order_transaction/${order.order_transaction.id}/result/pdf`);
    expect(combined.status).toBe(200);
    expect(await textOf(combined)).toEqual(await textOf(await print(order.id, 'result/pdf')));
    const unknown = await fetchPdf(app, `/v3/order_transaction/${randomUUID()}/result/pdf`);
    expect([unknown.status, codeOf(unknown)]).toEqual([404, 'not_found']);
  });

  test('is 404 results_not_available before the laboratory has reported', async () => {
    const printed = await print((await registeredKit(app.team)).id, 'result/pdf');
    expect([printed.status, codeOf(printed)]).toEqual([404, 'results_not_available']);
  });
});

test('the notice for Medicare has the items of CMS-R-131, and says that it is not the form of CMS', async () => {
  const order = await registeredKit(app.team);
  const text = (await textOf(await print(order.id, 'abn_pdf'))).join(' ');
  for (const item of [
    'A. Notifier',
    'B. Patient name',
    'Grace Palmer',
    'C. Identification number',
    'D. Test',
    'Hemoglobin A1c',
    'E. Reason Medicare may not pay',
    'F. Estimated cost',
    'OPTION 1',
    'OPTION 2',
    'OPTION 3',
    'I. Signature',
    'H. ADDITIONAL INFORMATION',
    'J. Date',
    'It is not the form that the Office of Management and Budget has approved',
  ])
    expect(text).toContain(item);
  expect(codeOf(await print((await orderKit(app.team)).id, 'abn_pdf'))).toBe('document_not_available');
});

test('every lab test has collection instructions, by method and sample, with the need to fast', async () => {
  const { body } = await app.api<{
    data: { id: string; name: string; method: string; fasting: boolean; has_collection_instructions: boolean }[];
  }>('GET', '/v3/lab_test?lab_test_limit=100');
  const methods = new Map(body.data.map((labTest) => [`${labTest.method} ${labTest.fasting}`, labTest]));
  expect(methods.size).toBeGreaterThan(3);
  for (const { id, name, method, fasting, has_collection_instructions } of methods.values()) {
    expect(has_collection_instructions).toBe(true);
    const printed = await fetchPdf(app, `/v3/lab_test/${id}/collection_instruction_pdf`);
    const text = (await textOf(printed)).join(' ');
    expect(text).toContain(name.slice(0, 20));
    expect(text).toContain(fasting ? 'This test needs you to fast' : 'You do not need to fast');
    expect(text.includes('leaflet in the kit') || text.includes('The kit with')).toBe(method === 'testkit');
  }
  const unknown = await fetchPdf(app, `/v3/lab_test/${randomUUID()}/collection_instruction_pdf`);
  expect([unknown.status, codeOf(unknown)]).toEqual([404, 'not_found']);
  const order = await orderKit(app.team);
  expect((await textOf(await print(order.id, 'collection_instruction_pdf'))).join(' ')).toContain('STEP BY STEP');
});

test('letters of every script print as they are, and those that the fonts lack as their numbers', async () => {
  const order = await registeredKit(app.team, {
    physician: {
      ...physician,
      first_name: 'Łukasz Þórður Ąžuolas Ệ',
      last_name: 'Σωκράτης Пётр 李明 さくら 한국 ณเดชน์ 𠀀 Nguyễn',
    },
  });
  const text = (await textOf(await print(order.id, 'requisition/pdf'))).join(' ').replaceAll(' ', '');
  expect(text).toContain('ŁukaszÞórðurĄžuolasỆΣωκράτηςПётр李明さくら한국ณเดชน์{U+20000}Nguyễn');
});
