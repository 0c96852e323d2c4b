import { redrawPng } from './png/redraw.ts';

export type Picture = { content: string; content_type: string };

/** Of a point of the paper: 288 to an inch. */
const PIXELS = 4;
const [SCAN, END] = [Buffer.from('ffda', 'hex'), Buffer.from('ffd9', 'hex')];

/**
 * Draws the image into a box, and answers false where it is broken. A PNG is unpacked here, row by row, and drawn anew: pdfkit
 * unpacks some of them in a callback, where what is broken in one would end the process. A JPEG goes into the document as it is.
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

/** Whether its last scan has an end; what lies between is for the reader of the document to unpack. */
const isWholeJpeg = (bytes: Buffer): boolean => {
  const scan = bytes.lastIndexOf(SCAN);
  return scan > 0 && bytes.lastIndexOf(END) > scan;
};
