import { createCanvas, loadImage } from '@napi-rs/canvas';
import {
  BarcodeFormat,
  BinaryBitmap,
  DecodeHintType,
  HybridBinarizer,
  MultiFormatReader,
  RGBLuminanceSource,
  type Result,
} from '@zxing/library';
import { extractText, getDocumentProxy, renderPageAsImage } from 'unpdf';
import type { TestApp } from './test-app.ts';

// Node 20 lacks a function with which PDF.js copies fonts.
if (!('transferToFixedLength' in ArrayBuffer.prototype))
  // oxlint-disable-next-line eslint/no-extend-native -- as newer versions of Node have it
  Object.defineProperty(ArrayBuffer.prototype, 'transferToFixedLength', {
    value(this: ArrayBuffer, length = this.byteLength): ArrayBuffer {
      const fresh = new ArrayBuffer(length);
      new Uint8Array(fresh).set(new Uint8Array(this).subarray(0, length));
      return fresh;
    },
  });

/** A document from an answer. */
export type Printed = { status: number; headers: Headers; bytes: Uint8Array };

export async function fetchPdf(app: TestApp, path: string, key: string | null = app.team.api_key): Promise<Printed> {
  const url = path.startsWith('/') ? app.baseUrl + path : path;
  const response = await fetch(url, { headers: key === null ? {} : { 'x-service-api-key': key } });
  return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
}

/** The text of the pages, by page. PDF.js detaches the bytes, so it gets a copy. */
export async function textOf({ bytes }: Pick<Printed, 'bytes'>): Promise<string[]> {
  const { text } = await extractText(await getDocumentProxy(bytes.slice()), { mergePages: false });
  return text.map((page) => page.replaceAll(/\s+/g, ' '));
}

/** A piece of text with its box: in points, from the lower left of its page. */
export type TextBox = { text: string; page: number; x: number; y: number; width: number; height: number };

/** The position of each piece of text. */
export async function textBoxesOf({ bytes }: Pick<Printed, 'bytes'>): Promise<TextBox[]> {
  const document = await getDocumentProxy(bytes.slice());
  const boxes: TextBox[] = [];
  for (let page = 1; page <= document.numPages; page++) {
    const { items } = await (await document.getPage(page)).getTextContent();
    for (const item of items)
      if ('str' in item && item.str.trim() !== '') {
        const [, , , size, x, y] = item.transform as number[];
        boxes.push({
          text: item.str,
          page,
          x: x as number,
          y: y as number,
          width: item.width,
          height: size as number,
        });
      }
  }
  return boxes;
}

/** A page as an image, in PNG. */
export const pictureOf = async ({ bytes }: Pick<Printed, 'bytes'>, page: number, scale = 2): Promise<Buffer> =>
  Buffer.from(await renderPageAsImage(bytes.slice(), page, { canvasImport: () => import('@napi-rs/canvas'), scale }));

/** What we print. A reader of every format sometimes finds another format in a part of a Code 128. */
const PRINTED_FORMATS = new Map([
  [DecodeHintType.POSSIBLE_FORMATS, [BarcodeFormat.CODE_128, BarcodeFormat.DATA_MATRIX]],
]);

/** Reads the barcode in a part of an image. The part is in fractions of its width and height. */
export async function readBarcode(
  png: Buffer,
  part: { x: number; y: number; width: number; height: number } = { x: 0, y: 0, width: 1, height: 1 },
): Promise<Result> {
  const image = await loadImage(png);
  const [width, height] = [Math.round(image.width * part.width), Math.round(image.height * part.height)];
  const context = createCanvas(width, height).getContext('2d');
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, width, height);
  context.drawImage(image, -image.width * part.x, -image.height * part.y);
  const { data } = context.getImageData(0, 0, width, height);
  const grey = new Uint8ClampedArray(width * height);
  for (let at = 0; at < grey.length; at++) grey[at] = data[at * 4] as number;
  const source = new RGBLuminanceSource(grey, width, height);
  return new MultiFormatReader().decode(new BinaryBitmap(new HybridBinarizer(source)), PRINTED_FORMATS);
}
