/** An image that pdfkit puts into a document as it is, without unpacking it. */
export type Picture = { content: string; content_type: string };

const PNG_COLOURS = { at: 25, plain: [0, 2, 3] };
const PNG_INTERLACED = 28;

/**
 * Draws the image into a box, and answers false where it does not. Pictures that have to be unpacked first, as a PNG with an
 * alpha channel, are left out: what is broken in one ends the process there.
 */
export function drawPicture(
  doc: PDFKit.PDFDocument,
  { content, content_type }: Picture,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
): boolean {
  const bytes = Buffer.from(content, 'base64');
  if (content_type === 'image/png') {
    const isPlain = PNG_COLOURS.plain.includes(bytes[PNG_COLOURS.at] ?? -1) && bytes[PNG_INTERLACED] === 0;
    if (!isPlain || bytes.includes('tRNS')) return false;
  }
  try {
    doc.image(bytes, x, y, { fit: [width, height], valign: 'bottom' });
    return true;
  } catch {
    return false;
  }
}
