// The pictures that documents show. A packed program has those below docs.
import { existsSync, readFileSync } from 'node:fs';
import { extname, join, posix } from 'node:path';
import { PACKAGE_ROOT } from '../package-root.ts';
import { ownProperty } from '../wire/own-property.ts';

/** A picture, with its path in the repository, its path below /docs/ and its media type. */
export type Picture = { file: string; path: string; type: string };

const TYPES: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};

/** Returns the pictures that the Markdown text of `document` shows. */
export function picturesOf(document: string, text: string): Picture[] {
  return [...text.matchAll(/!\[[^\][]*\]\(([^)\s(]+)\)/g)].flatMap(([, target = '']): Picture[] => {
    const file = posix.join(posix.dirname(document), target);
    const type = ownProperty(TYPES, extname(file));
    const isPacked = file.startsWith('docs/') && existsSync(join(PACKAGE_ROOT, file));
    return type !== undefined && isPacked ? [{ file, path: file.replace('docs/', ''), type }] : [];
  });
}

export const readPicture = ({ file }: Picture): Buffer => readFileSync(join(PACKAGE_ROOT, file));
