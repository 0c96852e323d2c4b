import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable, printableAscii } from './printable.ts';
import { isPlainText } from './text.ts';

test('output is plain text, whatever the input is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(isPlainText(printable(text))).toBe(true);
      expect(printableAscii(text)).toMatch(/^[ -~]*$/);
      expect(printable(printable(text))).toBe(printable(text));
    }),
  );
});

test.each([
  ['Anne\r\nPID|2', 'Anne PID|2'],
  ['Zoë\u202Eeman', 'Zoëeman'],
  ['  Ana\u0000Lucía\u200B ', 'AnaLucía'],
  ['Łukasz Ωmega 山', 'Łukasz Ωmega 山'],
])('%j is printed as %j', (text, printed) => {
  expect(printable(text)).toBe(printed);
});

test.each([
  ['Łukasz Grüße', 'Lukasz Grusse'],
  ['Ærøskøbing', 'AEroskobing'],
  ['山 Ana', '? Ana'],
  ['O’Brien', "O'Brien"],
])('%j is printed in ASCII as %j', (text, printed) => {
  expect(printableAscii(text)).toBe(printed);
});
