import { getDocumentProxy } from 'unpdf';
import { readHeader } from './read-header.ts';
import { linesOf, type Item, type Line } from './page-lines.ts';
import { MAX_PAGES, type ParserOutput } from './read-report.ts';
import { readRows } from './read-rows.ts';

/** The maximum number of texts on a page. A page that a person can read has fewer. */
const MAX_ITEMS = 20_000;

/** Reads the texts of a PDF by their positions on the pages. It does not read images. */
export async function readPdf(bytes: Uint8Array): Promise<ParserOutput> {
  let pages: Line[][];
  try {
    const document = await getDocumentProxy(new Uint8Array(bytes), {
      isEvalSupported: false,
      useSystemFonts: false,
      disableFontFace: true,
      stopAtErrors: true,
      maxImageSize: 0,
      verbosity: 0,
    });
    if (document.numPages > MAX_PAGES) return { failed: 'too_many_pages' };
    pages = [];
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      if (items.length > MAX_ITEMS) return { failed: 'processing_error' };
      pages.push(linesOf((items as RawItem[]).flatMap(itemOf)));
      page.cleanup();
    }
  } catch {
    // The file is damaged, or a password protects it.
    return { failed: 'invalid_input' };
  }
  const { rows, unread, unread_lines } = readRows(pages);
  const emptyPages = pages.filter((lines) => lines.length === 0).length;
  return { report: { header: readHeader(pages), rows, unread: unread + emptyPages, unread_lines } };
}

type RawItem = { str?: string; transform?: number[]; width?: number; height?: number };

/**
 * Returns the item if its text is horizontal. Rotated text, such as a watermark across the page, is not part of a line.
 */
function itemOf({ str, transform, width, height }: RawItem): Item[] {
  if (!str || str.trim() === '' || !transform) return [];
  const [a = 0, b = 0, , d = 0, x = 0, y = 0] = transform;
  if (a <= 0 || Math.abs(b) > Math.abs(a) / 10) return [];
  const size = Math.abs(height || d) || 10;
  const item = { text: str.normalize('NFKC'), x, y, right: x + (width ?? 0), size };
  return [item.x, item.y, item.right].every(Number.isFinite) ? [item] : [];
}
