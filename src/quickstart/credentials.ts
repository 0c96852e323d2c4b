import { readFileSync } from 'node:fs';
import { parseConfig } from '../config/options.ts';
import { credentialsFile, type Credentials } from '../credentials.ts';
import { findDataDir } from '../db/place.ts';
import { Surprise } from './surprise.ts';

/**
 * Reads credentials.json from where a server with the same options keeps it. A port or address that `env` names wins
 * over the one of the first start. Throws Surprise where there is no such file, with the way to get one.
 */
export function readCredentials(env: Record<string, string | undefined>): Credentials {
  const { config, secrets } = parseConfig(env);
  const { dataDir } = findDataDir(config, secrets);
  const credentials = JSON.parse(readFile(credentialsFile(dataDir), dataDir)) as Credentials;
  const moved = env['PORT'] || env['PHIAL_BASE_URL'];
  return { ...credentials, base_url: moved ? config.baseUrl : credentials.base_url };
}

function readFile(file: string, dataDir: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw new Surprise(`${file} cannot be read: ${message}`);
    throw new Surprise(
      `There is no credentials.json in ${dataDir}: no sandbox was started there yet.\n` +
        'Start one with `npm start`, leave it running, and run `npm run quickstart` in another terminal, ' +
        'with the same PHIAL_DATA_DIR and DATABASE_URL if you set them.',
    );
  }
}
