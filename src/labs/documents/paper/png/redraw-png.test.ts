import { createCanvas, loadImage } from '@napi-rs/canvas';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawPng, pngChunk, type Drawing } from '../../../../../test/png.ts';
import { redrawPng } from './redraw-png.ts';

const LARGE = { width: 720, height: 120 };

/** Decodes a PNG with another library. Returns its pixels on a white background. */
async function pixelsOf(png: Buffer): Promise<{ width: number; height: number; colours: number[] }> {
  const image = await loadImage(png);
  const context = createCanvas(image.width, image.height).getContext('2d');
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, image.width, image.height);
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  return { width: image.width, height: image.height, colours: [...data].filter((_, at) => at % 4 !== 3) };
}

const grey = (most: number) => (x: number, y: number) => [(x * 7 + y * 13) % (most + 1)];
const rgb = (most: number) => (x: number, y: number) => [
  (x * 31) % (most + 1),
  (y * 17) % (most + 1),
  (x * y) % (most + 1),
];
const PALETTE = Array.from({ length: 48 }, (_, at) => (at * 53) % 256);
const KINDS: [string, Omit<Drawing, 'width' | 'height'>][] = [
  ['grey', { colour: 0, pixel: grey(255) }],
  ['grey of 1 bit', { colour: 0, depth: 1, pixel: grey(1) }],
  ['grey of 2 bits', { colour: 0, depth: 2, pixel: grey(3) }],
  ['grey of 4 bits', { colour: 0, depth: 4, pixel: grey(15) }],
  ['grey of 16 bits', { colour: 0, depth: 16, pixel: grey(65_535) }],
  ['grey with a transparent colour', { colour: 0, clear: [0, 20], pixel: grey(40) }],
  ['RGB', { colour: 2, pixel: rgb(255) }],
  ['RGB of 16 bits', { colour: 2, depth: 16, pixel: (x, y) => rgb(255)(x, y).map((sample) => sample * 257) }],
  ['RGB with a transparent colour', { colour: 2, clear: [0, 31, 0, 17, 0, 1], pixel: rgb(255) }],
  ['a palette', { colour: 3, depth: 8, palette: PALETTE, pixel: grey(15) }],
  [
    'a palette of 4 bits with transparent colours',
    { colour: 3, depth: 4, palette: PALETTE, clear: [0, 128], pixel: grey(15) },
  ],
  ['grey and alpha', { colour: 4, pixel: (x, y) => [...grey(255)(x, y), (x * 11) % 256] }],
  ['RGB and alpha', { colour: 6, pixel: (x, y) => [...rgb(255)(x, y), (y * 29) % 256] }],
  [
    'RGB and alpha of 16 bits',
    { colour: 6, depth: 16, pixel: (x, y) => [...rgb(255)(x, y), (y * 29) % 256].map((sample) => sample * 257) },
  ],
];

describe('a PNG on paper looks as in another reader', () => {
  for (const interlaced of [false, true])
    test.each(KINDS)(`of %s${interlaced ? ', interlaced' : ''}`, async (_, kind) => {
      for (const [width, height] of [
        [37, 19],
        [1, 1],
        [3, 2],
        [5, 9],
      ] as [number, number][]) {
        const png = drawPng({ ...kind, width, height, interlaced });
        const [wanted, seen] = [await pixelsOf(png), await pixelsOf((await redrawPng(png, LARGE)) as Buffer)];
        expect([seen.width, seen.height]).toEqual([width, height]);
        // The other library rounds transparent colours twice, so its colours may differ a little from ours.
        wanted.colours.forEach((colour, at) =>
          expect(Math.abs(colour - (seen.colours[at] as number))).toBeLessThanOrEqual(3),
        );
      }
    });

  test('reduced in size, it keeps a thin stroke', async () => {
    const png = drawPng({ width: 2_000, height: 400, colour: 4, pixel: (_, y) => [0, y === 200 ? 255 : 0] });
    const { width, height, colours } = await pixelsOf((await redrawPng(png, LARGE)) as Buffer);
    expect([width, height]).toEqual([600, 120]);
    const darkest = colours.reduce((least, colour) => Math.min(least, colour));
    expect(darkest).toBeLessThan(200);
    expect(colours.filter((colour) => colour === darkest).length).toBe(600 * 3);
  });
});

describe('a broken PNG is refused', () => {
  const whole = drawPng({ width: 40, height: 30, colour: 6, pixel: (x, y) => [x, y, 0, 255] });

  test('cut off anywhere, or with any byte changed', async () => {
    for (let end = 0; end < whole.length; end++) expect(await redrawPng(whole.subarray(0, end), LARGE)).toBeNull();
    for (let at = 0; at < whole.length; at++) {
      const other = Buffer.from(whole);
      other[at] = (other[at] as number) ^ 0x55;
      expect(await redrawPng(other, LARGE)).toBeNull();
    }
  });

  test.each<[string, Buffer]>([
    ['too few rows', drawPng({ width: 9, height: 9, colour: 0, pixel: () => [0], rows: Buffer.alloc(80) })],
    ['an unknown filter', drawPng({ width: 9, height: 9, colour: 0, pixel: () => [0], rows: Buffer.alloc(90, 7) })],
    [
      'a colour that the palette lacks',
      drawPng({ width: 9, height: 9, colour: 3, palette: [0, 0, 0], pixel: () => [1] }),
    ],
    ['a missing palette', drawPng({ width: 9, height: 9, colour: 3, pixel: () => [0] })],
    ['an invalid depth', drawPng({ width: 9, height: 9, colour: 2, depth: 4, pixel: () => [0, 0, 0] })],
    [
      'rows that are not packed',
      Buffer.concat([whole.subarray(0, 33), pngChunk('IDAT', Buffer.alloc(99, 3)), pngChunk('IEND', Buffer.alloc(0))]),
    ],
  ])('with %s', async (_, png) => {
    expect(await redrawPng(png, LARGE)).toBeNull();
  });

  test('and no bytes make the reader fail', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), fc.nat(5), async (noise, colour) => {
        const header = Buffer.from([0, 0, 0, 20, 0, 0, 0, 20, 8, colour, 0, 0, noise.length % 2]);
        const parts = [
          pngChunk('IHDR', header),
          pngChunk('PLTE', Buffer.alloc(30)),
          pngChunk('IDAT', deflateSync(noise)),
          pngChunk('IEND', Buffer.alloc(0)),
        ];
        const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]);
        const drawn = await redrawPng(png, LARGE);
        expect(drawn === null || drawn.length > 0).toBe(true);
      }),
    );
  });
});

test('packed data beyond the picture is not unpacked, and the largest picture needs little memory', async () => {
  const bomb = drawPng({ width: 8, height: 8, colour: 0, pixel: () => [0], rows: Buffer.alloc(200_000_000) });
  const largest = drawPng({
    width: 4_000,
    height: 4_000,
    colour: 6,
    depth: 16,
    pixel: () => [],
    rows: Buffer.alloc(4_000 * 32_001),
  });
  for (const png of [bomb, largest]) {
    const before = process.memoryUsage().arrayBuffers;
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    }, 2);
    const started = performance.now();
    expect(await redrawPng(png, LARGE)).not.toBeNull();
    clearInterval(watch);
    expect(most - before).toBeLessThan(60_000_000);
    expect(performance.now() - started).toBeLessThan(png === bomb ? 1_000 : 10_000);
  }
});
