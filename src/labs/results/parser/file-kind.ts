import { isWithin, readImageHeader } from '../../../wire/image/header.ts';

export type ReportFileKind = 'pdf' | 'jpeg' | 'png';

export const CONTENT_TYPES: Record<ReportFileKind, string> = {
  pdf: 'application/pdf',
  jpeg: 'image/jpeg',
  png: 'image/png',
};

/** A page at 600 dots an inch has 34 million; nothing here unpacks it. */
const MOST_PIXELS = 64_000_000;

/** What a file that begins so is; null where it is none that is taken, 'too_large' where it has more pixels. */
export function kindOfReport(head: Buffer): ReportFileKind | 'too_large' | null {
  if (head.subarray(0, 5).toString('latin1') === '%PDF-') return 'pdf';
  const image = readImageHeader(head);
  if (image === null) return null;
  if (!isWithin(image, MOST_PIXELS)) return 'too_large';
  return image.content_type === 'image/png' ? 'png' : 'jpeg';
}
