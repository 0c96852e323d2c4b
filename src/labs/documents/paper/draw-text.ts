import { setImmediate } from 'node:timers/promises';
import { openFont, printableLine, runsOf, type FontName } from './fonts.ts';
import { visualParts } from './direction.ts';

export type Style = { size: number; font?: 'regular' | 'bold'; color?: string };
/** The top left corner of a text on the page. */
type Point = { x: number; y: number };
export const INK = '#1b2430';
export const QUIET = '#5b6673';

/** The height of a line, as a multiple of the size of its letters. */
export const LEADING = 1.28;

/** Sets the font of the document. */
function write(doc: PDFKit.PDFDocument, name: FontName, size: number): PDFKit.PDFDocument {
  // pdfkit accepts an opened font, but its types do not declare that.
  if (!hasFont(doc, name)) doc.registerFont(name, openFont(name).font as unknown as string);
  return doc.font(name).fontSize(size);
}

/**
 * Returns whether the document has the font already. We add a font at its first use, so the file contains only fonts
 * that it uses.
 */
const hasFont = (doc: PDFKit.PDFDocument, name: FontName): boolean =>
  name in (doc as unknown as { _registeredFonts: object })._registeredFonts;

/** Splits a line into stretches of one direction and one font, in the order in which they appear from left to right. */
const stretchesOf = (shown: string, { font = 'regular' }: Style): { text: string; font: FontName }[] =>
  visualParts(shown).flatMap((part) => runsOf(part, font));

const widthOf = (doc: PDFKit.PDFDocument, shown: string, style: Style): number =>
  stretchesOf(shown, style).reduce((sum, { text, font }) => sum + write(doc, font, style.size).widthOfString(text), 0);

/**
 * More characters than any line can contain. A text with more characters cannot fit, so we do not measure it, because
 * that takes time.
 */
const MAX_CHARACTERS = 1_000;

type Fits = (candidate: string) => boolean;

/**
 * Splits a text into lines that fit into `width`, and cuts a word that is longer than a line. The text's own line ends
 * stay. Empty lines disappear. No character of a word disappears.
 */
export function linesOf(doc: PDFKit.PDFDocument, text: string, width: number, style: Style): string[] {
  const fits: Fits = (candidate) => candidate.length <= MAX_CHARACTERS && widthOf(doc, candidate, style) <= width;
  return text.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/).flatMap((line) => cut(printableLine(line), fits));
}

/** Cuts one line into as many lines as necessary. */
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
    const chunks = fits(word) ? [word] : chunksOf(word, fits);
    lines.push(...chunks.slice(0, -1));
    line = chunks.at(-1) as string;
  }
  return line === '' ? lines : [...lines, line];
}

/** The number of characters that `linesOfLong` cuts into lines before it lets other work run. */
const LONG = 4_000;

/**
 * Like `linesOf`, for a text of any length. Between two parts it lets other work run. The last line of a part continues
 * in the next part.
 */
export async function linesOfLong(
  doc: PDFKit.PDFDocument,
  text: string,
  width: number,
  style: Style,
): Promise<string[]> {
  if (text.length <= LONG) return linesOf(doc, text, width, style);
  const lines: string[] = [];
  let carried = '';
  for (let from = 0; from < text.length;) {
    const to = cutAfter(text, from);
    const part = carried + text.slice(from, to);
    const fitting = linesOf(doc, part, width, style);
    const end = part.slice(part.trimEnd().length);
    // If the text has a line end here, this line does not continue in the next part.
    carried = /[\n\v\f\r\u0085\u2028\u2029]/.test(end) ? '' : (fitting.pop() ?? '') + end;
    for (const line of fitting) lines.push(line);
    from = to;
    await setImmediate();
  }
  return carried.trim() === '' ? lines : [...lines, carried.trim()];
}

/**
 * Returns the end of the part of a long text that starts at `from`. A part ends after a space if possible. Otherwise it
 * ends after a letter and its combining marks, such as accents, unless the letter has very many of them.
 */
function cutAfter(text: string, from: number): number {
  const space = text.lastIndexOf(' ', from + LONG);
  if (space > from + LONG / 2) return space + 1;
  let to = from + LONG;
  while (to < text.length && to < from + LONG + 100 && /[\p{M}\uDC00-\uDFFF]/u.test(text[to] as string)) to += 1;
  return to;
}

/**
 * Cuts a word into chunks that fit into a line, each with at least one letter and its combining marks, such as accents.
 * It never measures the entire word, only texts about as long as a line, so a long word takes little time.
 */
function chunksOf(word: string, fits: Fits): string[] {
  const letters = word.match(/\{U\+\w+\}|.\p{M}*/gu) ?? [word];
  const chunks: string[] = [];
  for (let from = 0; from < letters.length;) {
    const head = (count: number): string => letters.slice(from, from + count).join('');
    let [count, tooMany] = [1, 2];
    while (from + count < letters.length && fits(head(tooMany))) [count, tooMany] = [tooMany, tooMany * 2];
    while (tooMany - count > 1) {
      const middle = Math.floor((count + tooMany) / 2);
      if (fits(head(middle))) count = middle;
      else tooMany = middle;
    }
    chunks.push(head(count));
    from += count;
  }
  return chunks;
}

/**
 * Returns the style with letters as small as necessary for one line, but not smaller than `least`. If the text is still
 * too long, the caller has to wrap it.
 */
export function shrunk(
  doc: PDFKit.PDFDocument,
  text: string,
  style: Style,
  { width, least }: { width: number; least: number },
): Style {
  const whole = widthOf(doc, printableLine(text), style);
  if (whole <= width) return style;
  return { ...style, size: Math.max(least, Math.floor(((style.size * width) / whole) * 10) / 10) };
}

/**
 * Draws one line whose top left corner is at x and y. Every font uses the baseline of the regular font, so that
 * stretches of text in different fonts stand at the same height.
 */
export function drawLine(doc: PDFKit.PDFDocument, line: string, { x, y }: Point, style: Style): void {
  const { ascent, unitsPerEm } = openFont('regular').font;
  const base = y + (ascent / unitsPerEm) * style.size;
  let at = x;
  for (const { text, font } of stretchesOf(line, style)) {
    write(doc, font, style.size).fillColor(style.color ?? INK);
    doc.text(text, at, base, { lineBreak: false, baseline: 'alphabetic' });
    at += doc.widthOfString(text);
  }
}

/** Draws a line whose right end is at x. */
export function drawLineEnding(doc: PDFKit.PDFDocument, text: string, { x, y }: Point, style: Style): void {
  const line = printableLine(text);
  drawLine(doc, line, { x: x - widthOf(doc, line, style), y }, style);
}

/** Draws lines one below the other. Returns their total height. */
export function drawLines(doc: PDFKit.PDFDocument, lines: string[], { x, y }: Point, style: Style): number {
  lines.forEach((line, index) => drawLine(doc, line, { x, y: y + index * style.size * LEADING }, style));
  return heightOf(lines, style);
}

export const heightOf = (lines: readonly string[], { size }: Style): number => lines.length * size * LEADING;
