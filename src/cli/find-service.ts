import { parseConfig } from '../config/options.ts';
import { WrongValue } from '../config/option-kinds.ts';
import { OPTIONS } from '../config/option-table.ts';
import type { Env } from '../config/read-environment.ts';
import { textOfOption } from '../config/secret-files.ts';
import { findDataDir } from '../db/database-server.ts';
import { readAllCredentials, type Credentials } from '../first-keys-file.ts';
import { UsageError } from './command.ts';

/**
 * Returns the keys that a sandbox wrote at its first start, or null if this machine has none. `orgIds` are the
 * organisations of the database, for a caller that knows them: a data directory can have keys of several databases.
 */
export function findSandboxOrNull(env: Env, orgIds: string[] | null = null): Credentials | null {
  const { config, secrets } = parseConfig(env);
  const stored = readAllCredentials(findDataDir(config, secrets).dataDir);
  return stored.find(({ org_id }) => orgIds?.includes(org_id) ?? true) ?? null;
}

const namesAddress = (env: Env): boolean => Boolean(env['PHIAL_BASE_URL']) || Boolean(env['PORT']);

/**
 * Returns the address of the service of this deployment. If no option names it, it is that of the last start of the
 * sandbox, which may have had another PORT than this command.
 */
export function baseUrlHere(env: Env, orgIds: string[] | null = null): string {
  const { environment, baseUrl } = parseConfig(env).config;
  if (namesAddress(env) || environment === 'production') return baseUrl;
  return findSandboxOrNull(env, orgIds)?.base_url ?? baseUrl;
}

/** Returns the key that the environment has, or undefined. */
export function keyOfEnvironment(env: Env): string | undefined {
  try {
    return textOfOption(env, 'PHIAL_API_KEY') || undefined;
  } catch (error) {
    throw error instanceof WrongValue ? new UsageError(`PHIAL_API_KEY ${error.message}`) : error;
  }
}

/** Returns the URL of the service that runs with this environment, or of the sandbox here. */
export function serviceOf(words: string, env: Env): URL {
  const address = env['PHIAL_BASE_URL'];
  if (address) return addressOf(words, 'PHIAL_BASE_URL', address);
  const sandbox = namesAddress(env) ? null : findSandboxOrNull(env);
  if (sandbox) return addressOf(words, 'the address in credentials.json', sandbox.base_url);
  return addressOf(words, 'PORT', `http://localhost:${env['PORT'] || OPTIONS.PORT.default}`);
}

/** Reads an address. `words` and `flag` are the command and the flag or option that has it. */
export function addressOf(words: string, flag: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new UsageError(`phial ${words} takes an http or https address as ${flag}, not ${JSON.stringify(text)}.`);
}
