import type { Font } from 'fontkit';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { printable } from '../../../wire/printable.ts';
import { unpackWoff } from './unpack-woff.ts';

// Every PDF reader has fonts of its own, but only with the letters of western Europe. With those fonts, a PDF library
// would print wrong letters for others, without an error. So we embed in each document the used parts of our own fonts.

/**
 * The fonts. DejaVu Sans Condensed (`regular`, `bold`) has nearly all letters. Unifont (`every`) has coarse square
 * letters, and we use it only for letters that DejaVu lacks.
 */
export type FontName = 'regular' | 'bold' | 'every';

const require = createRequire(import.meta.url);
const FILES: Record<FontName, () => Buffer> = {
  regular: () => readFileSync(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf')),
  bold: () => readFileSync(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf')),
  every: () => unpackWoff(readFileSync(require.resolve('@fontsource/unifontex/files/unifontex-latin-400-normal.woff'))),
};

type OpenedFont = { font: Font; letters: Set<number> };
const opened = new Map<FontName, OpenedFont>();

/** Opens a font at its first use and caches it for all documents. This saves later documents 10 to 60 ms. */
export function openFont(name: FontName): OpenedFont {
  const known = opened.get(name);
  if (known) return known;
  // Loading fontkit takes a twentieth of a start of the program, which needs no font yet.
  const { create } = require('fontkit') as typeof import('fontkit');
  const font = create(FILES[name]()) as Font;
  const fresh = { font, letters: new Set(font.characterSet) };
  opened.set(name, fresh);
  return fresh;
}

const has = (name: FontName, letter: string): boolean => openFont(name).letters.has(letter.codePointAt(0) as number);

/**
 * Matches code points to which Unicode has assigned a character. For all other code points, Unifont has glyphs that
 * only show the number of the code point. We do not use these glyphs.
 */
const IS_ASSIGNED = /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u;
const isPictured = (letter: string): boolean =>
  has('regular', letter) || (IS_ASSIGNED.test(letter) && has('every', letter));

const numberOf = (letter: string): string =>
  `{U+${(letter.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}}`;

/** The narrow no-break space, as between `1.73` and `m²`. We never break a line there. */
const TIE = '\u202F';

/**
 * Returns a line as we print it, without unprintable characters. A letter for which our fonts have no glyph becomes its
 * number, for example `{U+20000}`. So a reader sees that there is a letter and which one, instead of an empty box.
 * Private and unassigned code points become numbers too. A laboratory may use a sign of its own for "at least", and
 * that sign must not disappear before a value.
 */
export function printableLine(line: string): string {
  let shown = '';
  for (const letter of printable(line.replaceAll(/[\p{Co}\p{Cn}]/gu, numberOf))) {
    if (/\p{Zs}/u.test(letter)) shown += letter === TIE ? TIE : ' ';
    else shown += isPictured(letter) ? letter : numberOf(letter);
  }
  return shown;
}

/** A stretch of text that is drawn in one font. */
type Run = { text: string; font: FontName };

/**
 * Splits a text into runs. The font of each run has all letters of the run, and a combining mark stays with its letter.
 * The bold font has fewer letters: if it lacks one letter of a text, the entire text is regular.
 */
export function runsOf(shown: string, wanted: 'regular' | 'bold'): Run[] {
  const letters = shown.match(/.\p{M}*/gu) ?? [];
  const isIn = (font: FontName, letter: string): boolean => [...letter].every((each) => has(font, each));
  const isBold = wanted === 'bold' && letters.every((letter) => isIn('bold', letter) || !isIn('regular', letter));
  const runs: Run[] = [];
  for (const letter of letters) {
    const font = !isIn('regular', letter) ? 'every' : isBold ? 'bold' : 'regular';
    const last = runs.at(-1);
    if (last?.font === font) last.text += letter;
    else runs.push({ text: letter, font });
  }
  return runs;
}
