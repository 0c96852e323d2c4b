import { expect, test, vi } from 'vitest';
import { isPlainText } from '../../../wire/text.ts';
import { openFont, printableLine, runsOf } from './fonts.ts';
import { visualParts } from './direction.ts';
import { openSheet } from './sheet.ts';
import { linesOf } from './draw-text.ts';

const { doc } = openSheet({ title: 'Test', at: '2026-01-01T00:00:00.000Z' });

test('every letter that the API accepts has a glyph in a font, or is printed as its number', () => {
  let [printed, coarse, numbered] = [0, 0, 0];
  for (let code = 0x20; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const letter = String.fromCodePoint(code);
    if (!isPlainText(letter)) continue;
    const shown = printableLine(letter);
    const runs = [...runsOf(shown, 'regular'), ...runsOf(shown, 'bold')];
    for (const { text, font } of runs)
      for (const each of text)
        if (openFont(font).font.glyphForCodePoint(each.codePointAt(0) as number).id === 0)
          throw new Error(`${code.toString(16)}`);
    if (shown.startsWith('{U+')) numbered += 1;
    else if (runs.some(({ font }) => font === 'every')) coarse += 1;
    else printed += 1;
  }
  expect(printed).toBeGreaterThan(5_000);
  expect(coarse).toBeGreaterThan(45_000);
  expect(numbered).toBeGreaterThan(50_000);
});

test('private code points, and letters that no font has, are printed as numbers', () => {
  expect(printableLine('\u{e000}李\u{20000}')).toBe('{U+E000}李{U+20000}');
});

test('invisible characters are not printed: direction marks, soft hyphens, control characters', () => {
  expect(printableLine('Ra\u00ADda\u202E evoba\u200B\tA\u0007')).toBe('Rada evoba A');
  expect(linesOf(doc, 'One.\nTwo.\r\n\nThree\u2028Four', 500, { size: 9 })).toEqual(['One.', 'Two.', 'Three', 'Four']);
});

test('a line never ends at a narrow no-break space, and may end at every other space', () => {
  expect(linesOf(doc, '1.73\u202Fm² '.repeat(3), 45, { size: 9 })).toEqual([
    '1.73\u202Fm²',
    '1.73\u202Fm²',
    '1.73\u202Fm²',
  ]);
  expect(printableLine('one\u00A0two\u2009three')).toBe('one two three');
});

test('a text uses the fonts that have its letters, marks stay with their letters, and bold is all or nothing', () => {
  expect(runsOf('Dr. 李 Ruiz', 'bold')).toEqual([
    { text: 'Dr. ', font: 'bold' },
    { text: '李', font: 'every' },
    { text: ' Ruiz', font: 'bold' },
  ]);
  expect(runsOf('สุ', 'regular')).toEqual([{ text: 'สุ', font: 'every' }]);
});

test('every letter that laboratories accept in a name is in both fonts', () => {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz0123456789-.,'";
  expect(printableLine(letters)).toBe(letters);
  expect(runsOf(letters, 'bold')).toEqual([{ text: letters, font: 'bold' }]);
});

test('a line that is too long is cut into lines that fit, and no letter is lost', () => {
  const style = { size: 9 };
  for (const text of [
    'W'.repeat(200),
    'one two three four five six seven eight nine ten',
    `${'a'.repeat(90)} \u{20000} b`,
  ]) {
    const lines = linesOf(doc, text, 100, style);
    for (const line of lines) expect(doc.font('regular').fontSize(9).widthOfString(line)).toBeLessThanOrEqual(100);
    expect(lines.join('').replaceAll(' ', '')).toBe(printableLine(text).replaceAll(' ', ''));
  }
});

test('the effort to cut a text without spaces grows with its length, not faster', () => {
  /** Returns how many letters `linesOf` measures in total. */
  const measured = (letters: number): number => {
    const spy = vi.spyOn(doc, 'widthOfString');
    linesOf(doc, 'W'.repeat(letters), 500, { size: 9 });
    const sum = spy.mock.calls.reduce((all, [text]) => all + text.length, 0);
    spy.mockRestore();
    return sum;
  };
  expect(measured(16_000)).toBeLessThan(measured(2_000) * 9);
});

test('words from right to left are in their order, next to English text', () => {
  expect(visualParts('Dr. דוד כהן, MD')).toEqual(['Dr. ', 'כהן', ' ', 'דוד', ', MD']);
  expect(visualParts('דוד 12 כהן')).toEqual(['כהן', ' 12 ', 'דוד']);
  expect(visualParts('Grace Palmer')).toEqual(['Grace Palmer']);
});
