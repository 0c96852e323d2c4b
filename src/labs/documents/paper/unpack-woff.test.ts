import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create, type Font } from 'fontkit';
import { expect, test } from 'vitest';
import { unpackWoff } from './unpack-woff.ts';

const require = createRequire(import.meta.url);
const WOFF = readFileSync(require.resolve('@fontsource/unifontex/files/unifontex-latin-400-normal.woff'));

type Directory = { directory: { tables: Record<string, { length: number }> } };
const lengthsOf = (font: Font): [string, number][] =>
  Object.entries((font as unknown as Directory).directory.tables).map(([tag, { length }]) => [tag, length]);

test('an unpacked font has the tables and letters of its file, and draws the same outlines', () => {
  const [packed, unpacked] = [create(WOFF) as Font, create(unpackWoff(WOFF)) as Font];
  expect((unpacked as unknown as { type: string }).type).toBe('TTF');
  expect(lengthsOf(unpacked)).toEqual(lengthsOf(packed));
  expect(unpacked.characterSet).toEqual(packed.characterSet);
  const outlineOf = (font: Font): string => font.glyphForCodePoint('李'.codePointAt(0) as number).path.toSVG();
  expect(outlineOf(unpacked)).toBe(outlineOf(packed));
});

test('a file that is no WOFF font is refused, and so is a table of another length', () => {
  expect(() => unpackWoff(Buffer.from('no font'))).toThrow('This file is not a WOFF font.');
  const broken = Buffer.from(WOFF);
  broken.writeUInt32BE(broken.readUInt32BE(44 + 12) + 1, 44 + 12);
  expect(() => unpackWoff(broken)).toThrow('another length');
});
