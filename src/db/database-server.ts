import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { chooseDataDir } from '@phial/embedded-postgres/data-dir';
import type { Config, Secrets } from '../config/options.ts';
import type { Logger } from '../log.ts';
import { PACKAGE_ROOT } from '../package-root.ts';
import { refuseWithoutTls } from './production.ts';

export const MIGRATIONS = join(PACKAGE_ROOT, 'migrations');
/** Invented laboratories, lab tests and payors (insurers) for sandboxes. */
export const SANDBOX_SEEDS = join(PACKAGE_ROOT, 'seeds', 'sandbox');

/** The database server that this program uses: the operator's server, or the embedded one. */
export type DatabaseServer = {
  url: string;
  ownerUrl: string;
  dataDir: string;
  /** The reason for the choice of the data directory, for the log. Null if the operator has a server (DATABASE_URL). */
  why: string | null;
  embedded: boolean;
  /** Resolves if the embedded server stops without our request. */
  lost: Promise<Error>;
  close: () => Promise<void>;
};

type Options = { config: Config; secrets: Secrets; applicationName: string; lock: 'required' | 'if-free'; log: Logger };

/**
 * Returns the directory of credentials.json. If DATABASE_URL is not set, the embedded server has its data there too.
 */
export function findDataDir(config: Config, secrets: Secrets): { dataDir: string; why: string | null } {
  if (secrets.databaseUrl) return { dataDir: config.dataDir ?? join(PACKAGE_ROOT, '.phial'), why: null };
  return chooseDataDir({ configured: config.dataDir, projectRoot: PACKAGE_ROOT });
}

/** Returns true if this start would start PostgreSQL, because it never ran here or somebody stopped it. */
export function startsPostgres(config: Config, secrets: Secrets): boolean {
  if (secrets.databaseUrl) return false;
  return !existsSync(join(findDataDir(config, secrets).dataDir, 'postgres', 'data', 'postmaster.pid'));
}

/**
 * Connects to the server of DATABASE_URL. If that option is not set, starts the embedded server, or connects to the
 * embedded server that already runs.
 */
export async function openDatabaseServer({
  config,
  secrets,
  applicationName,
  lock,
  log,
}: Options): Promise<DatabaseServer> {
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

/**
 * Throws if the server does not respond. The error names the option, because the messages of PostgreSQL and of the
 * network do not.
 */
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
    // If a name has several addresses, Node's error has only a code.
    const { message, code } = error as Error & { code?: string };
    throw new Error(`The database of ${option} cannot be used: ${message || code}`, { cause: error });
  }
  await client.end();
}
