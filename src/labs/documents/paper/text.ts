import { setImmediate } from 'node:timers/promises';
import { openFont, pictured, runsOf, type FontName } from './fonts.ts';
import { visualParts } from './direction.ts';

export type Style = { size: number; font?: 'regular' | 'bold'; color?: string };
/** The top left of what is drawn. */
type Place = { x: number; y: number };
export const INK = '#1b2430';
export const QUIET = '#5b6673';

/** Room for a line, by the size of its letters. */
export const LEADING = 1.28;

/** The document writes in this font from here on. */
function write(doc: PDFKit.PDFDocument, name: FontName, size: number): PDFKit.PDFDocument {
  // pdfkit takes a font that is open already; its types do not say so.
  if (!hasFont(doc, name)) doc.registerFont(name, openFont(name).font as unknown as string);
  return doc.font(name).fontSize(size);
}

/** What pdfkit knows of fonts that were registered; only a font that is used is put into the file. */
const hasFont = (doc: PDFKit.PDFDocument, name: FontName): boolean =>
  name in (doc as unknown as { _registeredFonts: object })._registeredFonts;

/** The stretches of a line from left to right, each of one direction and one font. */
const stretchesOf = (shown: string, { font = 'regular' }: Style): { text: string; font: FontName }[] =>
  visualParts(shown).flatMap((part) => runsOf(part, font));

const widthOf = (doc: PDFKit.PDFDocument, shown: string, style: Style): number =>
  stretchesOf(shown, style).reduce((sum, { text, font }) => sum + write(doc, font, style.size).widthOfString(text), 0);

/** More than any line holds: what is longer is cut without being measured as a whole. */
const MOST_CHARACTERS = 1_000;

type Fits = (candidate: string) => boolean;

/**
 * The lines of a text that fit into `width`: its own, without those that say nothing, each cut where it is too long. A word that is longer
 * than a line is cut into pieces. Nothing is left out.
 */
export function linesOf(doc: PDFKit.PDFDocument, text: string, width: number, style: Style): string[] {
  const fits: Fits = (candidate) => candidate.length <= MOST_CHARACTERS && widthOf(doc, candidate, style) <= width;
  return text.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/).flatMap((line) => cut(pictured(line), fits));
}

/** One line, in as many as it needs. */
function cut(shown: string, fits: Fits): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of shown.split(' ').filter(Boolean)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = fits(word) ? [word] : piecesOf(word, fits);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) as string;
  }
  return line === '' ? lines : [...lines, line];
}

/** So much is cut into lines at a time. */
const LONG = 4_000;

/** The same for a text of any length: others have the process in between. The last line of a part goes on with the next part. */
export async function linesOfLong(
  doc: PDFKit.PDFDocument,
  text: string,
  width: number,
  style: Style,
): Promise<string[]> {
  if (text.length <= LONG) return linesOf(doc, text, width, style);
  const lines: string[] = [];
  let held = '';
  for (let from = 0; from < text.length;) {
    const to = cutAfter(text, from);
    const part = held + text.slice(from, to);
    const fitting = linesOf(doc, part, width, style);
    const end = part.slice(part.trimEnd().length);
    // A line that the text itself ends does not go on.
    held = /[\n\v\f\r\u0085\u2028\u2029]/.test(end) ? '' : (fitting.pop() ?? '') + end;
    for (const line of fitting) lines.push(line);
    from = to;
    await setImmediate();
  }
  return held.trim() === '' ? lines : [...lines, held.trim()];
}

/** Where a part ends: after a space where there is one, else not within a letter and its marks unless it has very many. */
function cutAfter(text: string, from: number): number {
  const space = text.lastIndexOf(' ', from + LONG);
  if (space > from + LONG / 2) return space + 1;
  let to = from + LONG;
  while (to < text.length && to < from + LONG + 100 && /[\p{M}\uDC00-\uDFFF]/u.test(text[to] as string)) to += 1;
  return to;
}

/** A word in pieces that fit, each of at least one letter with the marks that stand on it. What is tried grows with a line, not with the word. */
function piecesOf(word: string, fits: Fits): string[] {
  const letters = word.match(/\{U\+\w+\}|.\p{M}*/gu) ?? [word];
  const pieces: string[] = [];
  for (let from = 0; from < letters.length;) {
    const head = (count: number): string => letters.slice(from, from + count).join('');
    let [count, tooMany] = [1, 2];
    while (from + count < letters.length && fits(head(tooMany))) [count, tooMany] = [tooMany, tooMany * 2];
    while (tooMany - count > 1) {
      const middle = Math.floor((count + tooMany) / 2);
      if (fits(head(middle))) count = middle;
      else tooMany = middle;
    }
    pieces.push(head(count));
    from += count;
  }
  return pieces;
}

/** The style with letters as small as one line needs, not below `least`; what is longer still is wrapped by whoever draws it. */
export function shrunk(
  doc: PDFKit.PDFDocument,
  text: string,
  style: Style,
  { width, least }: { width: number; least: number },
): Style {
  const whole = widthOf(doc, pictured(text), style);
  if (whole <= width) return style;
  return { ...style, size: Math.max(least, Math.floor(((style.size * width) / whole) * 10) / 10) };
}

/** Draws one line, its top left at x and y; all fonts stand on the line of the regular one. */
export function drawLine(doc: PDFKit.PDFDocument, line: string, { x, y }: Place, style: Style): void {
  const { ascent, unitsPerEm } = openFont('regular').font;
  const base = y + (ascent / unitsPerEm) * style.size;
  let at = x;
  for (const { text, font } of stretchesOf(line, style)) {
    write(doc, font, style.size).fillColor(style.color ?? INK);
    doc.text(text, at, base, { lineBreak: false, baseline: 'alphabetic' });
    at += doc.widthOfString(text);
  }
}

/** The same with its right end at x. */
export function drawLineEnding(doc: PDFKit.PDFDocument, text: string, { x, y }: Place, style: Style): void {
  const line = pictured(text);
  drawLine(doc, line, { x: x - widthOf(doc, line, style), y }, style);
}

/** Draws lines below one another; answers the height that they take. */
export function drawLines(doc: PDFKit.PDFDocument, lines: string[], { x, y }: Place, style: Style): number {
  lines.forEach((line, index) => drawLine(doc, line, { x, y: y + index * style.size * LEADING }, style));
  return heightOf(lines, style);
}

export const heightOf = (lines: readonly string[], { size }: Style): number => lines.length * size * LEADING;
