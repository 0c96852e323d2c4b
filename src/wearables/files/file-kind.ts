import { ownOf } from '../../wire/own.ts';

export const FILE_KINDS = ['apple_health', 'fit', 'tcx', 'gpx'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

export const isFileKind = (kind: unknown): kind is FileKind => FILE_KINDS.includes(kind as FileKind);

/** As much of a file as tells what it is. */
export const HEAD_BYTES = 4_096;

const ZIP = Buffer.from('PK');
/** Bytes 8 to 11 of a FIT file. */
const FIT = Buffer.from('.FIT');

/** By the root element of an XML file. An Apple export that was unpacked is one, too. */
const ROOTS: Record<string, FileKind> = { HealthData: 'apple_health', TrainingCenterDatabase: 'tcx', gpx: 'gpx' };

/** What a file that begins so is; null where it is none that is taken. Names and content types of files say nothing. */
export function kindOfFile(head: Buffer): FileKind | null {
  if (head.subarray(0, 2).equals(ZIP)) return 'apple_health';
  if (head.subarray(8, 12).equals(FIT)) return 'fit';
  const text = head.toString('utf8').replace(/^\uFEFF/, '');
  if (!/^\s*</.test(text)) return null;
  // A document type may be longer than the head; it names the root element itself.
  const root = /<!DOCTYPE\s+([\w:]+)|<(?![?!])(?:\w+:)?(\w+)/.exec(text);
  return ownOf(ROOTS, root?.[1] ?? root?.[2] ?? '') ?? null;
}

/** Whether what begins so is a zip archive. */
export const isArchive = (head: Buffer): boolean => head.subarray(0, 2).equals(ZIP);
