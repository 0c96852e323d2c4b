import { ownProperty } from '../../../wire/own-property.ts';
import type { FileKind } from '../file-kind.ts';
import type { Archive } from './open-archive.ts';

/**
 * The kinds of archives, each with the pattern of a path that occurs in all archives of the kind. If none of the
 * patterns matches, we look for an export of Apple Health.
 */
const KINDS: [FileKind, RegExp][] = [
  ['garmin_export', /(^|\/)DI_CONNECT\//],
  ['samsung_health', /(^|\/)com\.samsung\.[\w.]+\.csv$/],
  ['google_takeout', /(^|\/)(Fitbit|Google Health)\/[^/]+\//],
];

export const kindOfArchive = ({ entries }: Archive): FileKind =>
  KINDS.find(([, name]) => entries.some(({ fileName }) => name.test(fileName)))?.[0] ?? 'apple_health';

/** The type of skipped files whose names and folders may contain words of a person. */
export const UNNAMED = 'files of other kinds';
const ENDINGS: Record<string, string> = { json: 'json', csv: 'csv', xml: 'xml', txt: 'txt', zip: 'zip', fit: 'fit' };

/**
 * Returns the type under which we count a file that we do not read: the file's folder and ending. The name of the file
 * itself may contain the name of a person. In folders that match `own`, the provider and not the person has chosen the
 * file names. So there the type is the file name without dates and numbers. Files outside `folder` belong to other
 * services, so their type is UNNAMED.
 */
export function nameOfLeftOut(fileName: string, { folder, own }: { folder: RegExp; own?: RegExp }): string {
  const [base = '', parent = ''] = fileName.split('/').toReversed();
  const ending = ownProperty(ENDINGS, base.split('.').at(-1)?.toLowerCase() ?? '');
  if (!folder.test(fileName) || ending === undefined) return UNNAMED;
  const name = own?.test(fileName) ? /^[A-Za-z_ -]{0,60}/.exec(base)?.[0].replace(/[_-]$/, '') : `${parent}/`;
  return `${name}*.${ending}`;
}
