import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

// DejaVu Sans Condensed is in every document itself, as the part of it that the document uses: what is printed is what was
// stored, whatever fonts the reader has. The fonts that every PDF reader brings know the letters of western Europe only, and
// a writer that uses them prints other letters without a word.

export type FontName = 'regular' | 'bold';

const FILES: Record<FontName, string> = {
  regular: 'DejaVuSansCondensed.ttf',
  bold: 'DejaVuSansCondensed-Bold.ttf',
};

const read = new Map<FontName, Buffer>();

/** The font's file, read once. */
export function fontFile(name: FontName): Buffer {
  const known = read.get(name);
  if (known) return known;
  const file = readFileSync(createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${FILES[name]}`));
  read.set(name, file);
  return file;
}

/** pdfkit's document with the part of its current font that tells which letters it has. */
type WithFont = { _font: { font: { hasGlyphForCodePoint: (codePoint: number) => boolean } } };

let known: Record<FontName, Set<number>> | undefined;

/** Learns from a document that uses both fonts which letters each has; once per process, about 10 ms. */
export function learnLetters(doc: PDFKit.PDFDocument): void {
  if (known) return;
  const of = (name: FontName): Set<number> => {
    const { font } = (doc.font(name) as unknown as WithFont)._font;
    return new Set((font as unknown as { characterSet: number[] }).characterSet);
  };
  known = { regular: of('regular'), bold: of('bold') };
}

const lettersOf = (name: FontName): Set<number> => (known as Record<FontName, Set<number>>)[name];

/**
 * The text as it can be printed: composed letters, and what the font has no picture of as its number, `{U+4E2D}`. A reader sees
 * that something stands there, and which letter it is; never another letter or an empty box.
 */
export function printable(text: string): string {
  let printed = '';
  for (const letter of text.normalize('NFC')) {
    const codePoint = letter.codePointAt(0) as number;
    if (/\p{Zs}/u.test(letter)) printed += ' ';
    else if (lettersOf('regular').has(codePoint)) printed += letter;
    else printed += `{U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}}`;
  }
  return printed;
}

/** Bold has fewer letters: a text with one that it lacks is printed regular as a whole. */
export function fontFor(printed: string, wanted: FontName): FontName {
  if (wanted === 'regular') return wanted;
  for (const letter of printed) if (!lettersOf('bold').has(letter.codePointAt(0) as number)) return 'regular';
  return wanted;
}
