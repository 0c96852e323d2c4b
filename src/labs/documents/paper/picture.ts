import { redrawPng } from './png/redraw-png.ts';

export type Picture = { content: string; content_type: string };

/** The number of pixels for each point of the paper. This gives 288 pixels to an inch. */
const PIXELS = 4;
const [SOS, END] = [Buffer.from('ffda', 'hex'), Buffer.from('ffd9', 'hex')];

/**
 * Draws the image into a box. Returns false if the image is broken. We copy a JPEG into the document unchanged. We
 * decode a PNG ourselves, row by row, and encode it again. pdfkit would decode some PNGs in a callback, and there a
 * broken PNG would end the process.
 */
export async function drawPicture(
  doc: PDFKit.PDFDocument,
  { content, content_type }: Picture,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
): Promise<boolean> {
  const bytes = Buffer.from(content, 'base64');
  const picture =
    content_type === 'image/png'
      ? await redrawPng(bytes, { width: width * PIXELS, height: height * PIXELS })
      : isWholeJpeg(bytes)
        ? bytes
        : null;
  if (!picture) return false;
  try {
    doc.image(picture, x, y, { fit: [width, height], valign: 'bottom' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns whether an end mark follows the last start of a scan in a JPEG, as in a complete file. We do not decode the
 * data between them. The PDF reader does.
 */
const isWholeJpeg = (bytes: Buffer): boolean => {
  const sosAt = bytes.lastIndexOf(SOS);
  return sosAt > 0 && bytes.lastIndexOf(END) > sosAt;
};
