import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frame, FrameError, openFrameReader } from './mllp-frames.ts';

const content = fc
  .uint8Array({ maxLength: 60 })
  .map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 0x0b && byte !== 0x1c)));

test('frames are complete, for any sizes of the chunks that arrive', () => {
  fc.assert(
    fc.property(fc.array(content, { maxLength: 5 }), fc.integer({ min: 1, max: 7 }), (contents, size) => {
      const sent = Buffer.concat(contents.map(frame));
      const reader = openFrameReader(100);
      const read: Buffer[] = [];
      for (let at = 0; at < sent.length; at += size) read.push(...reader.push(sent.subarray(at, at + size)));
      expect(read).toEqual(contents);
      expect(reader.isWithin()).toBe(false);
    }),
  );
});

test.each([
  ['another protocol', 'GET / HTTP/1.1', 'not_mllp'],
  ['an end without CR', '\x0BMSH\x1CX', 'not_mllp'],
  ['a start within a frame', '\x0BMSH\x0BMSH', 'not_mllp'],
  ['too many bytes', `\x0B${'x'.repeat(101)}`, 'frame_too_large'],
])('%s is refused', (_, bytes, code) => {
  expect(() => openFrameReader(100).push(Buffer.from(bytes))).toThrow(expect.objectContaining({ code }));
});

test('any bytes are read or refused with FrameError', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (chunks) => {
      const reader = openFrameReader(100);
      try {
        for (const chunk of chunks) reader.push(Buffer.from(chunk));
      } catch (error) {
        expect(error).toBeInstanceOf(FrameError);
      }
    }),
  );
});
