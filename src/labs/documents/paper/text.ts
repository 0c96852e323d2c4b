import { fontFor, printable, type FontName } from './fonts.ts';
import { visualParts } from './direction.ts';

export type Style = { size: number; font?: FontName; color?: string };
/** The top left of what is drawn. */
type Place = { x: number; y: number };
export const INK = '#1b2430';
export const QUIET = '#5b6673';

/** Room for a line, by the size of its letters. */
export const LEADING = 1.28;

const draws = (doc: PDFKit.PDFDocument, text: string, { size, font = 'regular' }: Style): PDFKit.PDFDocument =>
  doc.font(fontFor(text, font)).fontSize(size);

function widthOf(doc: PDFKit.PDFDocument, printed: string, style: Style): number {
  draws(doc, printed, style);
  return visualParts(printed).reduce((sum, part) => sum + doc.widthOfString(part), 0);
}

/** The lines of a text that fit into `width`; a word that is longer than a line is cut into pieces. Nothing is left out. */
export function linesOf(doc: PDFKit.PDFDocument, text: string, width: number, style: Style): string[] {
  const lines: string[] = [];
  let line = '';
  const fits = (candidate: string): boolean => widthOf(doc, candidate, style) <= width;
  for (const word of printable(text).split(' ').filter(Boolean)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (!fits(line)) {
      const head = longestHead(line, fits);
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  return line === '' ? lines : [...lines, line];
}

/** At least one letter, with the marks that stand on it. */
function longestHead(word: string, fits: (text: string) => boolean): string {
  const letters = word.match(/\{U\+\w+\}|.\p{M}*/gu) ?? [word];
  let count = 1;
  let tooMany = letters.length;
  while (tooMany - count > 1) {
    const middle = Math.floor((count + tooMany) / 2);
    if (fits(letters.slice(0, middle).join(''))) count = middle;
    else tooMany = middle;
  }
  return letters.slice(0, count).join('');
}

/** The style with letters as small as one line needs, not below `least`; what is longer still is wrapped by whoever draws it. */
export function shrunk(
  doc: PDFKit.PDFDocument,
  text: string,
  style: Style,
  { width, least }: { width: number; least: number },
): Style {
  const whole = widthOf(doc, printable(text), style);
  if (whole <= width) return style;
  return { ...style, size: Math.max(least, Math.floor(((style.size * width) / whole) * 10) / 10) };
}

/** Draws one line, its top left at x and y. */
export function drawLine(doc: PDFKit.PDFDocument, line: string, { x, y }: Place, style: Style): void {
  draws(doc, line, style).fillColor(style.color ?? INK);
  let at = x;
  for (const part of visualParts(line)) {
    doc.text(part, at, y, { lineBreak: false });
    at += doc.widthOfString(part);
  }
}

/** The same with its right end at x. */
export function drawLineEnding(doc: PDFKit.PDFDocument, text: string, { x, y }: Place, style: Style): void {
  const line = printable(text);
  drawLine(doc, line, { x: x - widthOf(doc, line, style), y }, style);
}

/** Draws lines below one another; answers the height that they take. */
export function drawLines(doc: PDFKit.PDFDocument, lines: string[], { x, y }: Place, style: Style): number {
  lines.forEach((line, index) => drawLine(doc, line, { x, y: y + index * style.size * LEADING }, style));
  return heightOf(lines, style);
}

export const heightOf = (lines: readonly string[], { size }: Style): number => lines.length * size * LEADING;
