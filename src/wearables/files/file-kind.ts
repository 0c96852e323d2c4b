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

/** How many bytes at the start of a file we read to recognise its kind. */
export const HEAD_BYTES = 4_096;

const ZIP = Buffer.from('PK');
/** A FIT file (of Garmin and others) has these bytes at the positions 8 to 11. */
const FIT = Buffer.from('.FIT');

/** The kind of an XML file, by its root element. `HealthData` is an Apple export that was taken out of its archive. */
const ROOTS: Record<string, FileKind> = { HealthData: 'apple_health', TrainingCenterDatabase: 'tcx', gpx: 'gpx' };

/**
 * The kind of an archive, by the name of its first file. In a zip archive this name begins at byte 30. The kind is only
 * a first guess. The parser decides later, by the list of files at the end of the archive.
 */
const ARCHIVES: [RegExp, FileKind][] = [
  [/(^|\/)DI_CONNECT\//, 'garmin_export'],
  [/(^|\/)com\.samsung\.|^samsunghealth/, 'samsung_health'],
  [/(^|\/)Takeout\//, 'google_takeout'],
];

/** The first line of a table of Samsung Health. The line begins with the name of the table. */
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
  // The declaration `<!DOCTYPE …>` may be longer than HEAD_BYTES, and the root element comes after it. The declaration
  // begins with the root's name, so we take the name from there.
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
