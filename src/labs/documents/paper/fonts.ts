import { create, type Font } from 'fontkit';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { printable } from '../../../wire/printable.ts';

// The fonts are in every document themselves, as the part of them that the document uses: what is printed is what was stored,
// whatever fonts the reader has. The fonts that every PDF reader brings know the letters of western Europe only, and a writer
// that uses them prints other letters without a word.

/** DejaVu Sans Condensed for nearly all; Unifont, whose letters are made of coarse squares, for what that has no picture of. */
export type FontName = 'regular' | 'bold' | 'every';

const require = createRequire(import.meta.url);
const FILES: Record<FontName, () => string> = {
  regular: () => require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf'),
  bold: () => require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf'),
  every: () => require.resolve('@fontsource/unifontex/files/unifontex-latin-400-normal.woff'),
};

type Opened = { font: Font; letters: Set<number> };
const opened = new Map<FontName, Opened>();

/** Opened when it is first asked for, and kept: 10 to 60 ms that no later document pays. Documents share it. */
export function openFont(name: FontName): Opened {
  const known = opened.get(name);
  if (known) return known;
  const font = create(readFileSync(FILES[name]())) as Font;
  const fresh = { font, letters: new Set(font.characterSet) };
  opened.set(name, fresh);
  return fresh;
}

const has = (name: FontName, letter: string): boolean => openFont(name).letters.has(letter.codePointAt(0) as number);

/** Unifont has pictures of numbers too, for what is no letter of anybody: those are not asked for. */
const IS_ASSIGNED = /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u;
const isPictured = (letter: string): boolean =>
  has('regular', letter) || (IS_ASSIGNED.test(letter) && has('every', letter));

const numberOf = (letter: string): string =>
  `{U+${(letter.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}}`;

/** The narrow blank at which no line ends, as in `1.73 m²`. */
const TIE = '\u202F';

/**
 * A line as it is printed: what may be printed at all, and of that what no font has a picture of as its number, `{U+20000}`. A reader
 * sees that something stands there, and which letter it is; never another letter or an empty box. What stands in no alphabet is a number
 * too: a laboratory's own sign for "at least" must not vanish before its value.
 */
export function pictured(line: string): string {
  let shown = '';
  for (const letter of printable(line.replaceAll(/[\p{Co}\p{Cn}]/gu, numberOf))) {
    if (/\p{Zs}/u.test(letter)) shown += letter === TIE ? TIE : ' ';
    else shown += isPictured(letter) ? letter : numberOf(letter);
  }
  return shown;
}

/** A stretch of text of one font. */
type Run = { text: string; font: FontName };

/**
 * What is printed, by the fonts that have it; a mark stays with its letter. Bold has fewer letters: a text with one that it lacks
 * is regular as a whole.
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
