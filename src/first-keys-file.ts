import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The first keys of a new sandbox. The sandbox shows them once, and stores them in this file. */
export type Credentials = {
  base_url: string;
  org_id: string;
  team_id: string;
  team_api_key: string;
  management_key: string;
};

export const credentialsFile = (dataDir: string): string => join(dataDir, 'credentials.json');

/**
 * Returns the file for credentials that are not those of the last start. A data directory has several credentials if it
 * was used with several databases.
 */
const asideFile = (dataDir: string, orgId: string): string => join(dataDir, `credentials.${orgId}.json`);
const ASIDE = /^credentials\.[0-9a-f-]{36}\.json$/;

/**
 * Reads all stored credentials of the data directory. Those of the last start come first. It skips files without
 * credentials.
 */
export function readAllCredentials(dataDir: string): Credentials[] {
  return [credentialsFile(dataDir), ...listAside(dataDir)].map(read).filter((found) => found !== null);
}

/**
 * Writes `credentials` as those of the last start. Only the owner of the file can read it. Moves other credentials to a
 * separate file.
 */
export function writeCredentials(dataDir: string, credentials: Credentials): void {
  mkdirSync(dataDir, { recursive: true });
  const file = credentialsFile(dataDir);
  const before = read(file);
  if (before && before.org_id !== credentials.org_id) renameSync(file, asideFile(dataDir, before.org_id));
  writeFileSync(`${file}.new`, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  rmSync(asideFile(dataDir, credentials.org_id), { force: true });
}

function listAside(dataDir: string): string[] {
  try {
    return readdirSync(dataDir)
      .filter((name) => ASIDE.test(name))
      .map((name) => join(dataDir, name));
  } catch {
    return []; // The data directory does not exist yet.
  }
}

function read(file: string): Credentials | null {
  try {
    const found = JSON.parse(readFileSync(file, 'utf8')) as Partial<Credentials> | null;
    return typeof found?.org_id === 'string' && /^[0-9a-f-]{36}$/.test(found.org_id) ? (found as Credentials) : null;
  } catch {
    return null;
  }
}
