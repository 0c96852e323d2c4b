import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folder that contains package.json, migrations and openapi.json. It is the same for the sources and for the built
 * program.
 */
export const PACKAGE_ROOT = findRoot(dirname(fileURLToPath(import.meta.url)));

/** The folder of the built dashboard. */
export const DASHBOARD = join(PACKAGE_ROOT, 'dashboard', 'dist');

/** Whether `folder` has a built dashboard. */
export const hasDashboard = (folder: string): boolean => existsSync(join(folder, 'index.html'));

export const NO_DASHBOARD =
  'This installation has no dashboard, because it was built without the packages that build the dashboard. In the ' +
  'folder of the program, run npm ci && npm run build && npm prune --omit=dev, then start Phial again.';

export const VERSION = (JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string })
  .version;

/** The User-Agent header of deliveries begins with this text, in every version. */
export const SENDER = 'Phial/';

export const USER_AGENT = SENDER + VERSION;

/** The version of the API. */
export const INTERFACE_VERSION = '0.4.602';

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  return findRoot(dirname(folder));
}
