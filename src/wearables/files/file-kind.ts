import { ownProperty } from '../../wire/own-property.ts';

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

/** The number of bytes at the start of a file from which we find out its kind. */
export const HEAD_BYTES = 4_096;

const ZIP = Buffer.from('PK');
/** Bytes 8 to 11 of a FIT file. */
const FIT = Buffer.from('.FIT');

/** The kind of an XML file, by its root element. An Apple export without its archive is such a file. */
const ROOTS: Record<string, FileKind> = { HealthData: 'apple_health', TrainingCenterDatabase: 'tcx', gpx: 'gpx' };

/**
 * The kind of an archive, by the name of its first file, which begins at byte 30. This is a first guess. The parser
 * later decides by the list of files at the end of the archive.
 */
const ARCHIVES: [RegExp, FileKind][] = [
  [/(^|\/)DI_CONNECT\//, 'garmin_export'],
  [/(^|\/)com\.samsung\.|^samsunghealth/, 'samsung_health'],
  [/(^|\/)Takeout\//, 'google_takeout'],
];

/** The first line of a table of Samsung Health. It contains the name of the table. */
const SAMSUNG = /^com\.samsung\.[\w.]+,\d/;

/**
 * Returns the kind of a file by its first bytes; null if we do not support it. We ignore file names and content types,
 * because they are not reliable.
 */
export function kindOfFile(head: Buffer): FileKind | null {
  if (head.subarray(0, 2).equals(ZIP)) return kindOfArchive(head);
  if (head.subarray(8, 12).equals(FIT)) return 'fit';
  const text = head.toString('utf8').replace(/^\uFEFF/, '');
  if (SAMSUNG.test(text)) return 'samsung_health';
  if (!/^\s*</.test(text)) return null;
  // A document type may be longer than HEAD_BYTES. It names the root element at its start, so we use that name.
  const root = /<!DOCTYPE\s+([\w:]+)|<(?![?!])(?:\w+:)?(\w+)/.exec(text);
  return ownProperty(ROOTS, root?.[1] ?? root?.[2] ?? '') ?? null;
}

function kindOfArchive(head: Buffer): FileKind {
  const length = head.length < 30 ? 0 : head.readUInt16LE(26);
  const name = head.subarray(30, 30 + length).toString('utf8');
  return ARCHIVES.find(([known]) => known.test(name))?.[1] ?? 'apple_health';
}

/** Whether these are the first bytes of a zip archive. */
export const isArchive = (head: Buffer): boolean => head.subarray(0, 2).equals(ZIP);
