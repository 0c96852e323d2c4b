import { ownOf } from '../../wire/own.ts';

export const FILE_KINDS = [
  'apple_health',
  'fit',
  'tcx',
  'gpx',
  'garmin_export',
  'google_takeout',
  'samsung_health',
] as const;
export type FileKind = (typeof FILE_KINDS)[number];

export const isFileKind = (kind: unknown): kind is FileKind => FILE_KINDS.includes(kind as FileKind);

/** As much of a file as tells what it is. */
export const HEAD_BYTES = 4_096;

const ZIP = Buffer.from('PK');
/** Bytes 8 to 11 of a FIT file. */
const FIT = Buffer.from('.FIT');

/** By the root element of an XML file. An Apple export that was unpacked is one, too. */
const ROOTS: Record<string, FileKind> = { HealthData: 'apple_health', TrainingCenterDatabase: 'tcx', gpx: 'gpx' };

/** What the first file of an archive is called, at byte 30; what the archive is, its list at the end tells whoever reads it. */
const ARCHIVES: [RegExp, FileKind][] = [
  [/(^|\/)DI_CONNECT\//, 'garmin_export'],
  [/(^|\/)com\.samsung\.|^samsunghealth/, 'samsung_health'],
  [/(^|\/)Takeout\//, 'google_takeout'],
];

/** The name of a table of Samsung Health, which is its first line. */
const SAMSUNG = /^com\.samsung\.[\w.]+,\d/;

/** What a file that begins so is; null where it is none that is taken. Names and content types of files say nothing. */
export function kindOfFile(head: Buffer): FileKind | null {
  if (head.subarray(0, 2).equals(ZIP)) return kindOfArchive(head);
  if (head.subarray(8, 12).equals(FIT)) return 'fit';
  const text = head.toString('utf8').replace(/^\uFEFF/, '');
  if (SAMSUNG.test(text)) return 'samsung_health';
  if (!/^\s*</.test(text)) return null;
  // A document type may be longer than the head; it names the root element itself.
  const root = /<!DOCTYPE\s+([\w:]+)|<(?![?!])(?:\w+:)?(\w+)/.exec(text);
  return ownOf(ROOTS, root?.[1] ?? root?.[2] ?? '') ?? null;
}

function kindOfArchive(head: Buffer): FileKind {
  const length = head.length < 30 ? 0 : head.readUInt16LE(26);
  const name = head.subarray(30, 30 + length).toString('utf8');
  return ARCHIVES.find(([known]) => known.test(name))?.[1] ?? 'apple_health';
}

/** Whether what begins so is a zip archive. */
export const isArchive = (head: Buffer): boolean => head.subarray(0, 2).equals(ZIP);
