import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder with package.json, migrations and openapi.json, from the sources as from the built program. */
export const PACKAGE_ROOT = findRoot(dirname(fileURLToPath(import.meta.url)));

export const VERSION = (JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string })
  .version;

/** What the user agent of deliveries begins with, of every version. */
export const SENDER = 'Phial/';

export const USER_AGENT = SENDER + VERSION;

/** Version of the interface that this service speaks. */
export const INTERFACE_VERSION = '0.4.602';

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  return findRoot(dirname(folder));
}
