import { parseConfig } from '../config/options.ts';
import { WrongValue } from '../config/option-kinds.ts';
import { OPTIONS } from '../config/option-table.ts';
import type { Env } from '../config/read-environment.ts';
import { textOfOption } from '../config/secret-files.ts';
import { findDataDir } from '../db/database-server.ts';
import { readAllCredentials, type Credentials } from '../first-keys-file.ts';
import { UsageError } from './command.ts';

/** Returns the keys that a sandbox wrote at its first start, or null if this machine has none. */
export function findSandboxOrNull(env: Env): Credentials | null {
  const { config, secrets } = parseConfig(env);
  return readAllCredentials(findDataDir(config, secrets).dataDir)[0] ?? null;
}

/** Returns the key that the environment has, or undefined. */
export function keyOfEnvironment(env: Env): string | undefined {
  try {
    return textOfOption(env, 'PHIAL_API_KEY') || undefined;
  } catch (error) {
    throw error instanceof WrongValue ? new UsageError(`PHIAL_API_KEY ${error.message}`) : error;
  }
}

/** Returns the URL of the service that runs with this environment. */
export function serviceOf(words: string, env: Env): URL {
  const address = env['PHIAL_BASE_URL'];
  return address
    ? addressOf(words, 'PHIAL_BASE_URL', address)
    : addressOf(words, 'PORT', `http://localhost:${env['PORT'] || OPTIONS.PORT.default}`);
}

/** Reads an address. `words` and `flag` are the command and the flag or option that has it. */
export function addressOf(words: string, flag: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new UsageError(`phial ${words} takes an http or https address as ${flag}, not ${JSON.stringify(text)}.`);
}
