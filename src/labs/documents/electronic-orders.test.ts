// Documents for orders of a production deployment, whose laboratory receives its orders electronically.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { createOrder, readOrder, type OrderBody } from '../../../test/factories.ts';
import { addLabTest, byMllp, connectTestLaboratory, kitAtLaboratory } from '../../../test/hl7-deployment.ts';
import { startHl7Laboratory, text_, type Hl7Laboratory } from '../../../test/hl7-laboratory.ts';
import { fetchPdf, pictureOf, readBarcode, textOf, type Printed } from '../../../test/pdf.ts';

let laboratory: Hl7Laboratory;
let app: TestApp;
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  app = await startTestApp({ PHIAL_ENVIRONMENT: 'production', PHIAL_BASE_URL: 'https://phial.example.com' });
  await connectTestLaboratory(app.databaseUrl, { orders: byMllp(laboratory.port) });
});
afterAll(async () => {
  await app.close();
  await laboratory.close();
});

const ordered = async (method: string): Promise<OrderBody> =>
  (await createOrder(app.team, { order_set: { lab_test_ids: [await addLabTest(app, app.team, method)] } })).body.order;
const labels = (id: string): Promise<Printed> =>
  fetchPdf(app, `/v3/order/${id}/labels/pdf?collection_date=2026-11-23T23:59:00-07:00`);
const requisition = (id: string): Promise<Printed> => fetchPdf(app, `/v3/order/${id}/requisition/pdf`);
const numberOnLabel = async (printed: Printed): Promise<string> =>
  (await readBarcode(await pictureOf(printed, 1, 5), { x: 0, y: 0.3, width: 0.37, height: 0.69 })).getText();
const sent = (path: string): string => text_(laboratory.orders.at(-1) as never, path);

test('a label for a draw on site has the sample id of the message, and is refused before there is one', async () => {
  const { id } = await ordered('on_site_collection');
  const early = await labels(id);
  expect([early.status, Buffer.from(early.bytes).toString()]).toEqual([
    404,
    expect.stringContaining('document_not_available'),
  ]);
  await app.runJobs();
  const printed = await labels(id);
  const { sample_id } = await readOrder(app.team, id);
  expect(sent('SPM.2')).toContain(sample_id as string);
  expect([printed.status, await numberOnLabel(printed)]).toEqual([200, sample_id]);
  expect((await textOf(printed))[0]).toContain('Nov 23, 2026, 23:59 MST');
});

test('a label of a walk-in order has the order number of the message, not a sample number', async () => {
  const { id } = await ordered('walk_in_test');
  await app.runJobs();
  expect(await numberOnLabel(await labels(id))).toBe(sent('ORC.2'));
});

test.each(['testkit', 'walk_in_test', 'on_site_collection'])(
  'the requisition of an order by %s names the electronic order and says that it is not a second order',
  async (method) => {
    const order =
      method === 'testkit'
        ? await kitAtLaboratory(app, app.team, await addLabTest(app, app.team))
        : await ordered(method);
    expect((await requisition(order.id)).status).toBe(200);
    await app.runJobs();
    const printed = await requisition(order.id);
    const text = (await textOf(printed)).join(' ');
    for (const item of [
      `ELECTRONIC ORDER ${sent('ORC.2')}`,
      'is not a second order',
      'Metabolic panel',
      'Palmer, Grace',
    ])
      expect(text).toContain(item);
    const square = await readBarcode(await pictureOf(printed, 1, 3), { x: 0.82, y: 0.04, width: 0.14, height: 0.095 });
    expect(square.getText()).toBe(sent('ORC.2'));
    const { requisition_form_url } = await readOrder(app.team, order.id);
    const opened = await fetchPdf(app, new URL(requisition_form_url as string).pathname, null);
    expect(opened.bytes).toEqual(printed.bytes);
  },
);

test('a cancelled order has no documents', async () => {
  const { id } = await ordered('walk_in_test');
  await app.runJobs();
  await app.api('POST', `/v3/order/${id}/cancel`);
  expect([(await requisition(id)).status, (await labels(id)).status]).toEqual([404, 404]);
  expect((await readOrder(app.team, id))['requisition_form_url']).toBeNull();
});
