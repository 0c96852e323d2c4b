import { isWithin, readImageHeader } from '../../../wire/image/image-header.ts';

export type ReportFileKind = 'pdf' | 'jpeg' | 'png';

export const CONTENT_TYPES: Record<ReportFileKind, string> = {
  pdf: 'application/pdf',
  jpeg: 'image/jpeg',
  png: 'image/png',
};

/**
 * The maximum number of pixels of an image. A page at 600 dots per inch has 34 million pixels. We only check the header
 * of an image and never decode it.
 */
const MAX_PIXELS = 64_000_000;

/**
 * Returns the kind of a file. `head` contains its first bytes. Returns null if we do not accept this kind, and
 * 'too_large' if the file is an image with too many pixels.
 */
export function kindOfReport(head: Buffer): ReportFileKind | 'too_large' | null {
  if (head.subarray(0, 5).toString('latin1') === '%PDF-') return 'pdf';
  const image = readImageHeader(head);
  if (image === null) return null;
  if (!isWithin(image, MAX_PIXELS)) return 'too_large';
  return image.content_type === 'image/png' ? 'png' : 'jpeg';
}
