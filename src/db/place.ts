import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { chooseDataDir } from '@phial/embedded-postgres/data-dir';
import type { Config, Secrets } from '../config/options.ts';
import type { Logger } from '../log.ts';
import { PACKAGE_ROOT } from '../package-root.ts';
import { refuseWithoutTls } from './production.ts';

export const MIGRATIONS = join(PACKAGE_ROOT, 'migrations');
/** Laboratories, lab tests and payors that were made up for sandboxes. */
export const SANDBOX_SEEDS = join(PACKAGE_ROOT, 'seeds', 'sandbox');

/** Where this program's data lies, opened: the operator's server, or the embedded one. */
export type Place = {
  url: string;
  ownerUrl: string;
  dataDir: string;
  /** Why the data directory is where it is, where that needs saying. */
  why: string | null;
  embedded: boolean;
  /** Resolves when the embedded server went away by itself. */
  lost: Promise<Error>;
  close: () => Promise<void>;
};

type Options = { config: Config; secrets: Secrets; applicationName: string; lock: 'required' | 'if-free'; log: Logger };

/** The directory of credentials.json and, without DATABASE_URL, of the embedded server. */
function findDataDir(config: Config, secrets: Secrets): { dataDir: string; why: string | null } {
  if (secrets.databaseUrl) return { dataDir: config.dataDir ?? join(PACKAGE_ROOT, '.phial'), why: null };
  return chooseDataDir({ configured: config.dataDir, projectRoot: PACKAGE_ROOT });
}

/** Whether this start would be the one that starts PostgreSQL: none has run here, or the last one was stopped. */
export function startsPostgres(config: Config, secrets: Secrets): boolean {
  if (secrets.databaseUrl) return false;
  return !existsSync(join(findDataDir(config, secrets).dataDir, 'postgres', 'data', 'postmaster.pid'));
}

/** With DATABASE_URL that server; without, the embedded one, started or attached to. */
export async function openPlace({ config, secrets, applicationName, lock, log }: Options): Promise<Place> {
  const { dataDir, why } = findDataDir(config, secrets);
  if (secrets.databaseUrl) {
    const [url, ownerUrl] = [secrets.databaseUrl, secrets.ownerDatabaseUrl ?? secrets.databaseUrl];
    if (config.environment === 'production') {
      refuseWithoutTls('DATABASE_URL', url);
      refuseWithoutTls('PHIAL_OWNER_DATABASE_URL', ownerUrl);
    }
    await refuseUnreachable('DATABASE_URL', url);
    if (ownerUrl !== url) await refuseUnreachable('PHIAL_OWNER_DATABASE_URL', ownerUrl);
    return {
      url,
      ownerUrl,
      dataDir,
      why,
      embedded: false,
      lost: new Promise<never>(() => undefined),
      close: async () => undefined,
    };
  }
  const { openEmbedded } = await import('@phial/embedded-postgres/open');
  const server = await openEmbedded({ dataDir, applicationName, lock, log });
  return {
    url: server.serviceUrl,
    ownerUrl: server.url,
    dataDir,
    why,
    embedded: true,
    lost: server.lost,
    close: server.stop,
  };
}

const ANSWERS_WITHIN_MS = 10_000;

/** What PostgreSQL and the network say about a connection does not tell which of the options it is about. */
async function refuseUnreachable(option: string, url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'phial start',
    connectionTimeoutMillis: ANSWERS_WITHIN_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    // Of a name with several addresses Node tells only a code.
    const { message, code } = error as Error & { code?: string };
    throw new Error(`The database of ${option} cannot be used: ${message || code}`, { cause: error });
  }
  await client.end();
}
