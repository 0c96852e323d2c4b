import { setImmediate } from 'node:timers/promises';
// oxlint-disable-next-line import/no-named-as-default -- its types declare only the default export
import PDFDocument from 'pdfkit';
import { AppError } from '../../../errors.ts';
import { printableLine } from './fonts.ts';
import {
  drawLine,
  drawLineEnding,
  drawLines,
  heightOf,
  INK,
  LEADING,
  linesOf,
  linesOfLong,
  QUIET,
  shrunk,
  type Style,
} from './draw-text.ts';

/** US letter, in points. */
const PAGE = { width: 612, height: 792 };
const MARGIN = 46;
export const LEFT = MARGIN;
export const RIGHT = PAGE.width - MARGIN;
const WIDTH = RIGHT - LEFT;
const BOTTOM = PAGE.height - 58;
const ACCENT = '#0b5d66';
const RULE = '#c9d1d8';
const SHADE = '#eef3f4';
/** The default limit of a document's pages. The data of an order and its patient fills a few pages. */
const MAX_PAGES = 60;

/**
 * Spaces in points: above the title of a section, below the line under it, below fields, and between two rows of a
 * table.
 */
const SPACING = { usual: { part: 4, line: 7, fields: 16, row: 7 }, close: { part: 4, line: 4, fields: 11, row: 5 } };

/** A document that is being drawn. The next item goes at height `y`. */
export type Sheet = {
  doc: PDFKit.PDFDocument;
  y: number;
  space: (typeof SPACING)['usual'];
  maxPages: number;
};

type About = {
  title: string;
  /**
   * The creation time that the document states. It is a parameter and not the current time, so that the same data
   * always gives the same bytes.
   */
  at: string;
  /** `close` is for a form that should fit on one page. */
  spacing?: keyof typeof SPACING;
  maxPages?: number;
};

/** Begins a document whose pages are US letter, or have another `size`. */
export function openSheet(
  { title, at, spacing = 'usual', maxPages = MAX_PAGES }: About,
  size: [number, number] = [PAGE.width, PAGE.height],
): Sheet {
  const date = new Date(at);
  const doc = new PDFDocument({
    size,
    margin: 0,
    bufferPages: true,
    lang: 'en-US',
    displayTitle: true,
    info: { Title: title, Producer: 'Phial', Creator: 'Phial', CreationDate: date, ModDate: date },
  });
  return { doc, y: MARGIN, space: SPACING[spacing], maxPages };
}

/**
 * Makes sure that `height` is free below `y`, on a new page if necessary. Throws document_too_long if the document
 * already has the most pages that it may have.
 */
export async function ensureSpace(sheet: Sheet, height: number): Promise<void> {
  if (sheet.y + height <= BOTTOM) return;
  if (sheet.doc.bufferedPageRange().count >= sheet.maxPages) throw tooLong(`${sheet.maxPages} pages`);
  await newPage(sheet);
}

export const tooLong = (bound: string): AppError =>
  new AppError('document_too_long', `This document would have more than ${bound}. Read it as data.`);

/** Adds a page. Before that, it lets other work of the thread run. */
export async function newPage(sheet: Sheet): Promise<void> {
  await setImmediate();
  sheet.doc.addPage();
  sheet.y = MARGIN;
}

/** Ends the document. Each page gets `footer` and its page number. */
export async function finish(sheet: Sheet, footer: string | null): Promise<Buffer> {
  const { doc } = sheet;
  const { count } = doc.bufferedPageRange();
  const style: Style = { size: 7.5, color: QUIET };
  const small = shrunk(doc, footer ?? '', style, { width: WIDTH - 80, least: 4 });
  for (let page = 0; footer !== null && page < count; page++) {
    if (page % 20 === 19) await setImmediate();
    doc.switchToPage(page);
    rule(doc, BOTTOM + 16);
    drawLine(doc, printableLine(footer), { x: LEFT, y: BOTTOM + 21 }, small);
    drawLineEnding(doc, `Page ${page + 1} of ${count}`, { x: RIGHT, y: BOTTOM + 21 }, style);
  }
  await setImmediate();
  const parts: Buffer[] = [];
  doc.on('data', (part: Buffer) => parts.push(part));
  const ended = new Promise((resolve) => doc.on('end', resolve));
  doc.end();
  await ended;
  return Buffer.concat(parts);
}

const rule = (doc: PDFKit.PDFDocument, y: number, color = RULE): void =>
  void doc.moveTo(LEFT, y).lineTo(RIGHT, y).lineWidth(0.6).strokeColor(color).stroke();

/**
 * Draws the sender and the title above a horizontal line. The width `reserve` stays free at the right, for a barcode.
 */
export function heading(
  sheet: Sheet,
  { from, title, lines }: { from: string; title: string; lines: string[] },
  reserve = 0,
): void {
  const { doc } = sheet;
  const width = WIDTH - reserve;
  const of: Style = { size: 10.5, font: 'bold', color: ACCENT };
  const small: Style = { size: 8, color: QUIET };
  sheet.y += drawLines(doc, linesOf(doc, from, width, of), { x: LEFT, y: sheet.y }, of) + 2;
  const big = shrunk(doc, title, { size: 18, font: 'bold' }, { width, least: 12 });
  sheet.y += drawLines(doc, linesOf(doc, title, width, big), { x: LEFT, y: sheet.y }, big) + 1;
  for (const line of lines) sheet.y += drawLines(doc, linesOf(doc, line, width, small), { x: LEFT, y: sheet.y }, small);
  sheet.y = Math.max(sheet.y + 8, MARGIN + (reserve > 0 ? 74 : 0));
  doc.moveTo(LEFT, sheet.y).lineTo(RIGHT, sheet.y).lineWidth(1.4).strokeColor(ACCENT).stroke();
  sheet.y += 12;
}

/** Draws the title of a section. The title and the first `follows` points below it stay on the same page. */
export async function section(sheet: Sheet, title: string, follows = 30): Promise<void> {
  sheet.y += sheet.space.part;
  await ensureSpace(sheet, 22 + follows);
  drawLine(sheet.doc, title.toUpperCase(), { x: LEFT, y: sheet.y }, { size: 8, font: 'bold', color: ACCENT });
  sheet.y += 12;
  rule(sheet.doc, sheet.y);
  sheet.y += sheet.space.line;
}

/** A label with its value. If the value is null, the document has a line to fill in by hand. */
export type Field = { label: string; value: string | null; bold?: boolean };

/**
 * Draws fields next to each other. `shares` are their relative widths. A value that is longer than its field is
 * wrapped.
 */
export async function fields(sheet: Sheet, row: Field[], shares: number[] = row.map(() => 1)): Promise<void> {
  const { doc } = sheet;
  const gap = 14;
  const whole = shares.reduce((sum, share) => sum + share, 0);
  const unit = (WIDTH - gap * (row.length - 1)) / whole;
  const label: Style = { size: 7, color: QUIET };
  const cells = row.map(({ value, bold }, index) => {
    const width = unit * (shares[index] as number);
    const style: Style = { size: 9.5, ...(bold ? { font: 'bold' as const } : {}) };
    return { width, style, lines: value === null ? [] : linesOf(doc, value, width, style) };
  });
  const height = Math.max(...cells.map(({ lines, style }) => Math.max(heightOf(lines, style), 14)));
  await ensureSpace(sheet, Math.min(height + sheet.space.fields + 1, 500));
  const { y } = sheet;
  const page = doc.bufferedPageRange().count;
  let x = LEFT;
  const values = cells.map(({ width, style, lines }, index) => {
    const { label: name, value } = row[index] as Field;
    drawLine(doc, name, { x, y }, label);
    if (value === null) blank(doc, x, y + 22, width);
    const drawn = { x, lines, style };
    x += width + gap;
    return drawn;
  });
  sheet.y = y + 9.5;
  await flow(sheet, values, () => undefined);
  sheet.y = doc.bufferedPageRange().count === page ? y + height + sheet.space.fields : sheet.y + 6.5;
}

/** Draws an empty line for handwriting. */
export const blank = (doc: PDFKit.PDFDocument, x: number, y: number, width: number): void =>
  void doc
    .moveTo(x, y)
    .lineTo(x + width, y)
    .lineWidth(0.6)
    .strokeColor('#7c8792')
    .stroke();

/** Draws a paragraph over the full width. */
export async function paragraph(sheet: Sheet, text: string, style: Style = { size: 9.5 }, indent = 0): Promise<void> {
  const lines = linesOf(sheet.doc, text, WIDTH - indent, style);
  for (const line of lines) {
    await ensureSpace(sheet, style.size * 1.4);
    drawLine(sheet.doc, line, { x: LEFT + indent, y: sheet.y }, style);
    sheet.y += style.size * 1.36;
  }
  sheet.y += style.size * 0.5;
}

/** Draws an item of a list: a number or a bullet, and a paragraph at its right. */
export async function item(sheet: Sheet, mark: string, text: string, style: Style): Promise<void> {
  await ensureSpace(sheet, style.size * 1.4);
  drawLineEnding(sheet.doc, mark, { x: LEFT + 20, y: sheet.y }, { ...style, font: 'bold' });
  await paragraph(sheet, text, style, 28);
}

/** Draws a box with a text that a reader must see first. */
export async function banner(sheet: Sheet, text: string, color = '#8a1c1c'): Promise<void> {
  const style: Style = { size: 9.5, font: 'bold', color };
  const lines = linesOf(sheet.doc, text, WIDTH - 24, style);
  const height = heightOf(lines, style) + 13;
  await ensureSpace(sheet, height + 8);
  sheet.doc.rect(LEFT, sheet.y, WIDTH, height).lineWidth(1).strokeColor(color).stroke();
  drawLines(sheet.doc, lines, { x: LEFT + 12, y: sheet.y + 7 }, style);
  sheet.y += height + 12;
}

export type Column = { title: string; width: number };
/** With `whole`, we first make the letters smaller, and wrap the text only if it is still too long. */
export type Cell = string | { text: string; bold?: boolean; color?: string; whole?: boolean };

type Drawn = { x: number; lines: string[]; style: Style };

/** Draws texts next to each other. If a text is longer than the page, it continues on the next page. */
async function flow(sheet: Sheet, texts: Drawn[], onNewPage: () => void): Promise<void> {
  const step = Math.max(...texts.map(({ style }) => style.size)) * LEADING;
  const count = Math.max(...texts.map(({ lines }) => lines.length));
  for (let from = 0; from < count;) {
    const before = sheet.doc.bufferedPageRange().count;
    await ensureSpace(sheet, step);
    if (sheet.doc.bufferedPageRange().count > before) onNewPage();
    const upTo = Math.min(count, from + Math.max(1, Math.floor((BOTTOM - sheet.y) / step)));
    for (const { x, lines, style } of texts) drawLines(sheet.doc, lines.slice(from, upTo), { x, y: sheet.y }, style);
    sheet.y += (upTo - from) * step;
    from = upTo;
  }
}

/**
 * Draws a table and repeats its head on each page. A row stays on one page unless it is very long. The widths are
 * relative. A row's `note` goes below the row.
 */
export async function table(sheet: Sheet, columns: Column[], rows: { cells: Cell[]; note?: Cell }[]): Promise<void> {
  const { doc } = sheet;
  const shares = columns.reduce((sum, { width }) => sum + width, 0);
  const widths = columns.map(({ width }) => (width / shares) * WIDTH);
  const lefts = widths.map((_, index) => LEFT + widths.slice(0, index).reduce((sum, width) => sum + width, 0));
  const head: Style = { size: 7.5, font: 'bold', color: QUIET };
  const drawable = async (cell: Cell, x: number, width: number, usual: { size: number; color: string }) => {
    const { text, bold, color, whole } = typeof cell === 'string' ? { text: cell } : cell;
    const wanted: Style = { ...usual, ...(color ? { color } : {}), ...(bold ? { font: 'bold' as const } : {}) };
    const style = whole ? shrunk(doc, text, wanted, { width, least: 5 }) : wanted;
    return { x, style, lines: await linesOfLong(doc, text, width, style) };
  };
  const drawHead = (): void => {
    doc.rect(LEFT, sheet.y, WIDTH, 16).fillColor(SHADE).fill();
    columns.forEach(({ title }, index) =>
      drawLine(doc, title, { x: (lefts[index] as number) + 5, y: sheet.y + 3.5 }, head),
    );
    sheet.y += 19;
  };
  await ensureSpace(sheet, 40);
  drawHead();
  for (const { cells, note } of rows) {
    const drawn: Drawn[] = [];
    for (const [index, cell] of cells.entries())
      drawn.push(
        await drawable(cell, (lefts[index] as number) + 5, (widths[index] as number) - 10, { size: 9, color: INK }),
      );
    const noted = await drawable(note ?? '', LEFT + 10, WIDTH - 20, { size: 8, color: QUIET });
    const tall = Math.max(...drawn.map(({ lines, style }) => heightOf(lines, style)));
    const before = doc.bufferedPageRange().count;
    await ensureSpace(sheet, Math.min(tall + heightOf(noted.lines, noted.style) + 8, 500));
    if (doc.bufferedPageRange().count > before) drawHead();
    await flow(sheet, drawn, drawHead);
    await flow(sheet, [noted], drawHead);
    sheet.y += sheet.space.row / 2 - 0.5;
    rule(doc, sheet.y, '#e3e8eb');
    sheet.y += sheet.space.row / 2 + 0.5;
  }
  sheet.y += 6;
}
