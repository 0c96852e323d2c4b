import { expect, test } from 'vitest';
import { isPlainText } from '../../../wire/text.ts';
import { fontFile, fontFor, printable, type FontName } from './fonts.ts';
import { visualParts } from './direction.ts';
import { openSheet } from './sheet.ts';
import { linesOf } from './text.ts';

const { doc } = openSheet({ title: 'Test', at: '2026-01-01T00:00:00.000Z' });

/** The letters of a font by its own table (cmap, format 12), read here by hand. */
function lettersOf(name: FontName): Set<number> {
  const file = fontFile(name);
  const tables = Array.from({ length: file.readUInt16BE(4) }, (_, index) => 12 + index * 16);
  const cmap = file.readUInt32BE((tables.find((at) => file.toString('latin1', at, at + 4) === 'cmap') as number) + 8);
  const subtables = Array.from(
    { length: file.readUInt16BE(cmap + 2) },
    (_, index) => cmap + file.readUInt32BE(cmap + 8 + index * 8),
  );
  const at = subtables.find((start) => file.readUInt16BE(start) === 12) as number;
  const letters = new Set<number>();
  for (let group = at + 16; group < at + 16 + file.readUInt32BE(at + 12) * 12; group += 12)
    for (let code = file.readUInt32BE(group); code <= file.readUInt32BE(group + 4); code++) letters.add(code);
  return letters;
}

test('every letter that the interface accepts has a picture in the font, or is printed as its number', () => {
  const [regular, bold] = [lettersOf('regular'), lettersOf('bold')];
  let [printed, numbered] = [0, 0];
  for (let code = 0x20; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const letter = String.fromCodePoint(code);
    if (!isPlainText(letter)) continue;
    const shown = printable(letter);
    for (const each of shown) if (!regular.has(each.codePointAt(0) as number)) throw new Error(`${code.toString(16)}`);
    if (fontFor(shown, 'bold') === 'bold')
      for (const each of shown) if (!bold.has(each.codePointAt(0) as number)) throw new Error(`${code.toString(16)}`);
    if (shown.startsWith('{U+')) numbered += 1;
    else printed += 1;
  }
  expect(printed).toBeGreaterThan(5_000);
  expect(numbered).toBeGreaterThan(100_000);
});

test('every letter of a name that laboratories take is in both fonts', () => {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-.,' ";
  expect(printable(letters)).toBe(letters);
  expect(fontFor(letters, 'bold')).toBe('bold');
});

test('a line that is too long is cut into lines of which none is wider, and no letter is lost', () => {
  const style = { size: 9 };
  for (const text of ['W'.repeat(200), 'one two three four five six seven eight nine ten', `${'a'.repeat(90)} 李 b`]) {
    const lines = linesOf(doc, text, 100, style);
    for (const line of lines) expect(doc.font('regular').fontSize(9).widthOfString(line)).toBeLessThanOrEqual(100);
    expect(lines.join('').replaceAll(' ', '')).toBe(printable(text).replaceAll(' ', ''));
  }
});

test('words from right to left stand in their order, with what is English beside them', () => {
  expect(visualParts('Dr. דוד כהן, MD')).toEqual(['Dr. ', 'כהן', ' ', 'דוד', ', MD']);
  expect(visualParts('דוד 12 כהן')).toEqual(['כהן', ' 12 ', 'דוד']);
  expect(visualParts('Grace Palmer')).toEqual(['Grace Palmer']);
});
