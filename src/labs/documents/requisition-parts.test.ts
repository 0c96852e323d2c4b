import { createCanvas, loadImage } from '@napi-rs/canvas';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { consents, createOrder, labTestId, physician, registeredKit } from '../../../test/factories.ts';
import { fetchPdf, pictureOf, textOf, type Printed } from '../../../test/pdf.ts';
import { drawPng } from '../../../test/png.ts';
import { jpegHead } from '../../../test/images.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const requisition = async (changes: Record<string, unknown>): Promise<Printed> => {
  const { body } = await createOrder(app.team, changes);
  return fetchPdf(app, `/v3/order/${body.order.id}/requisition/pdf`);
};
const signedBy = (image: Buffer, content_type = 'image/png'): Promise<Printed> =>
  requisition({ physician: { ...physician, signature_image: { content: image.toString('base64'), content_type } } });

/** Returns the number of blue pixels on the page. Only the ink of these signatures is blue. */
async function blueOf(printed: Printed): Promise<number> {
  const image = await loadImage(await pictureOf(printed, 1));
  const context = createCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let blue = 0;
  for (let at = 0; at < data.length; at += 4)
    if ((data[at + 2] as number) > 200 && (data[at] as number) < 60 && (data[at + 1] as number) < 60) blue += 1;
  return blue;
}
const UNPRINTABLE = 'Signed: the image cannot be printed and is stored with the order';
const isInk = (x: number, y: number): boolean => Math.abs(y - 30 - 20 * Math.sin(x / 20)) < 6;

test.each([
  ['with alpha, as a canvas saves it', 6, (x: number, y: number) => (isInk(x, y) ? [0, 0, 255, 255] : [0, 0, 0, 0])],
  ['without alpha', 2, (x: number, y: number) => (isInk(x, y) ? [0, 0, 255] : [255, 255, 255])],
] as const)(
  "the physician's signature is printed from a PNG %s, and from an interlaced one",
  async (_, colour, pixel) => {
    for (const interlaced of [false, true]) {
      const printed = await signedBy(drawPng({ width: 360, height: 60, colour, interlaced, pixel }));
      expect((await textOf(printed)).join(' ')).not.toContain(UNPRINTABLE);
      expect(await blueOf(printed)).toBeGreaterThan(1_000);
    }
  },
);

test('a broken signature is replaced by words, and the process goes on', async () => {
  const whole = drawPng({ width: 90, height: 60, colour: 6, pixel: () => [0, 0, 255, 255] });
  const packedBadly = Buffer.from(whole);
  packedBadly.fill(0x55, 75, 85);
  for (const [image, type] of [
    [whole.subarray(0, -30), 'image/png'],
    [packedBadly, 'image/png'],
    [drawPng({ width: 4_000, height: 4_000, colour: 6, pixel: () => [], rows: Buffer.alloc(100) }), 'image/png'],
    [jpegHead(300, 60), 'image/jpeg'],
  ] as [Buffer, string][]) {
    const printed = await signedBy(image, type);
    expect([printed.status, (await textOf(printed)).join(' ').includes(UNPRINTABLE), await blueOf(printed)]).toEqual([
      200,
      true,
      0,
    ]);
  }
});

test.each(['walk_in_test', 'at_home_phlebotomy', 'on_site_collection', 'testkit'])(
  'the requisition of the standard test by %s takes one page, also with consents or priority',
  async (collection_method) => {
    const order_set = { lab_test_ids: [await labTestId(app.team, collection_method)] };
    for (const more of [{}, { consents }, { priority: true }]) {
      const pages = await textOf(await requisition({ collection_method, order_set, ...more }));
      expect([pages.length, pages[0]?.includes('BILLING')]).toEqual([1, true]);
    }
  },
);

test("the laboratory's questions are printed with answers in words, also default answers", async () => {
  const say = (question_id: number, answer: string, marker_id = 2041) => ({ marker_id, question_id, answer });
  const printed = await requisition({
    collection_method: 'walk_in_test',
    order_set: { add_on: { marker_ids: [2041, 2004] } },
    aoe_answers: [say(2, 'N'), say(3, 'FIN, DUT'), say(1, '8.5', 2004)],
  });
  const text = (await textOf(printed)).join(' ');
  for (const item of [
    'QUESTIONS OF THE LABORATORY',
    'Was the prostate operated on or treated? No',
    'Finasteride, Dutasteride',
    '8.5',
  ])
    expect(text).toContain(item);
  expect(text).not.toContain('FIN, DUT');
  expect((await textOf(await requisition({}))).join(' ')).toContain(
    'Is the patient excused from fasting? No Lipid panel',
  );
  const unasked = await fetchPdf(app, `/v3/order/${(await registeredKit(app.team)).id}/requisition/pdf`);
  expect((await textOf(unasked)).join(' ')).not.toContain('QUESTIONS OF THE LABORATORY');
});
