import { ownOf } from '../../../wire/own.ts';
import type { FileKind } from '../file-kind.ts';
import type { Archive } from './archive.ts';

/** By a name that an archive of each service always holds; what has none of them is looked through for an export of Apple's. */
const KINDS: [FileKind, RegExp][] = [
  ['garmin_export', /(^|\/)DI_CONNECT\//],
  ['samsung_health', /(^|\/)com\.samsung\.[\w.]+\.csv$/],
  ['google_takeout', /(^|\/)(Fitbit|Google Health)\/[^/]+\//],
];

export const kindOfArchive = ({ entries }: Archive): FileKind =>
  KINDS.find(([, name]) => entries.some(({ fileName }) => name.test(fileName)))?.[0] ?? 'apple_health';

/** What may have a person's words in its name. */
export const UNNAMED = 'files of other kinds';
const ENDINGS: Record<string, string> = { json: 'json', csv: 'csv', xml: 'xml', txt: 'txt', zip: 'zip', fit: 'fit' };

/**
 * A file that is not read, by its folder and its ending: its name may have a person's. In folders whose files the service itself
 * names, `own`, by its name without dates and numbers; what lies elsewhere than in `folder` is of another service.
 */
export function nameOfLeftOut(fileName: string, { folder, own }: { folder: RegExp; own?: RegExp }): string {
  const [base = '', parent = ''] = fileName.split('/').toReversed();
  const ending = ownOf(ENDINGS, base.split('.').at(-1)?.toLowerCase() ?? '');
  if (!folder.test(fileName) || ending === undefined) return UNNAMED;
  const name = own?.test(fileName) ? /^[A-Za-z_ -]{0,60}/.exec(base)?.[0].replace(/[_-]$/, '') : `${parent}/`;
  return `${name}*.${ending}`;
}
