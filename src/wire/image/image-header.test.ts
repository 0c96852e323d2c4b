import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jpegHead, pngHead } from '../../../test/images.ts';
import { isWithin, LONGEST_SIDE, MAX_PIXELS, readImageHeader } from './image-header.ts';

describe('the header of an image', () => {
  test('gives its type and size', () => {
    expect(readImageHeader(pngHead(640, 400))).toEqual({ content_type: 'image/png', width: 640, height: 400 });
    expect(readImageHeader(jpegHead(300, 120))).toEqual({ content_type: 'image/jpeg', width: 300, height: 120 });
  });

  test('is found after a long profile and fill bytes', () => {
    const profile = Buffer.concat([Buffer.from('ffe2fffe', 'hex'), Buffer.alloc(0xfffc, 0xff)]);
    const bytes = Buffer.concat([
      Buffer.from('ffd8', 'hex'),
      profile,
      Buffer.from('ffff', 'hex'),
      jpegHead(9, 7).subarray(20),
    ]);
    expect(readImageHeader(bytes)).toEqual({ content_type: 'image/jpeg', width: 9, height: 7 });
  });

  test.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['a GIF', Buffer.from('GIF89a\u0001\u0000\u0001\u0000', 'latin1')],
    ['a web page', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a PNG that ends in its header', pngHead(1, 1).subarray(0, 20)],
    [
      'a PNG whose first chunk is another',
      Buffer.concat([pngHead(1, 1).subarray(0, 12), Buffer.from('tEXt'), Buffer.alloc(17)]),
    ],
    ['a PNG without width', pngHead(0, 10)],
    ['a JPEG that ends before its frame', jpegHead(10, 10).subarray(0, 24)],
    ['a JPEG without height', jpegHead(10, 0)],
    [
      'a JPEG of empty segments without end',
      Buffer.concat([
        Buffer.from('ffd8', 'hex'),
        Buffer.from('ffe00002'.repeat(1_000), 'hex'),
        jpegHead(1, 1).subarray(20),
      ]),
    ],
  ])('is not found in %s', (_what, bytes) => {
    expect(readImageHeader(bytes)).toBeNull();
  });

  test('never breaks the reader, whatever the bytes are', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.constantFrom(pngHead(5, 5), jpegHead(5, 5)),
        fc.nat(60),
        (noise, head, cut) => {
          const header = readImageHeader(Buffer.concat([head.subarray(0, cut), noise]));
          expect(header === null || header.width * header.height > 0).toBe(true);
        },
      ),
    );
  });

  test('limits the pixels and the sides', () => {
    const of = (width: number, height: number) => isWithin({ content_type: 'image/png', width, height }, MAX_PIXELS);
    expect([of(4_000, 4_000), of(4_001, 4_000), of(LONGEST_SIDE, 1), of(LONGEST_SIDE + 1, 1)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});
