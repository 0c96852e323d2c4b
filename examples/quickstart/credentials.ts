import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Surprise } from './surprise.ts';

/** The content of credentials.json in a new sandbox. */
export type Credentials = {
  base_url: string;
  org_id: string;
  team_id: string;
  team_api_key: string;
  management_key: string;
};

/** The data directory of a server that runs as root, if its PostgreSQL has no access to the folder of the project. */
const FOLDER_OF_ROOT = '/var/lib/phial';

/**
 * Reads credentials.json from the folder in which a server of this project with this environment writes it. If `env`
 * has a port or a URL, that replaces the one in the file. Throws Surprise if there is no such file.
 */
export function readCredentials(env: Record<string, string | undefined>, project: string): Credentials {
  const { PHIAL_DATA_DIR, PHIAL_BASE_URL, PORT } = env;
  const folders = PHIAL_DATA_DIR ? [resolve(PHIAL_DATA_DIR)] : [join(project, '.phial'), FOLDER_OF_ROOT];
  const files = folders.map((folder) => join(folder, 'credentials.json'));
  const file = files.find((each) => existsSync(each));
  if (file === undefined) {
    throw new Surprise(
      `There is no credentials.json in ${folders.join(' or ')}: no sandbox has started there yet.\n` +
        'Start one with `npm start`, leave it running, and run `npm run quickstart` in another terminal, ' +
        'with the same PHIAL_DATA_DIR and DATABASE_URL if you set them.',
    );
  }
  const credentials = read(file);
  const base_url = PHIAL_BASE_URL || (PORT && `http://localhost:${PORT}`) || credentials.base_url;
  return { ...credentials, base_url: base_url.replace(/\/+$/, '') };
}

function read(file: string): Credentials {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Credentials;
  } catch (error) {
    throw new Surprise(`${file} cannot be read: ${(error as Error).message}`);
  }
}
