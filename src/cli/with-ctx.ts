import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BatchScheduler } from '../batch-scheduler.ts';
import { readEnvironment } from '../config/read-environment.ts';
import { parseConfig, type Config, type Secrets } from '../config/options.ts';
import type { Ctx } from '../context.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open-database.ts';
import { findDataDir, MIGRATIONS, type DatabaseServer } from '../db/database-server.ts';
import { refuseOwnerLogin, refusePrivilegedLogin } from '../db/production.ts';
import { subscriptions } from '../subscriptions.ts';
import { claimCipher } from '../privacy/claim-cipher.ts';
import { CommandError } from './command.ts';
import { withDatabaseServer } from './database.ts';

/**
 * Throws if a command would make a new embedded database. Without the options of the service, a command would
 * otherwise work on an empty sandbox and seem to succeed.
 */
function refuseNewEmbedded(config: Config, secrets: Secrets): void {
  if (secrets.databaseUrl) return;
  const { dataDir } = findDataDir(config, secrets);
  if (existsSync(join(dataDir, 'postgres'))) return;
  throw new CommandError(
    `There is no database to work on: DATABASE_URL is not set, and ${dataDir} has no embedded PostgreSQL. Give the ` +
      'command the options of the service: it reads the environment, and .env in the folder where it runs. For a new ' +
      'embedded database, run phial migrate first.',
  );
}

/**
 * Runs `work` with a context for service functions. The context uses the configured database, after migration to this
 * release.
 */
export async function withCtx<T>(
  name: string,
  work: (ctx: Ctx, databaseServer: DatabaseServer) => Promise<T>,
): Promise<T> {
  const { config, secrets } = parseConfig(readEnvironment());
  refuseNewEmbedded(config, secrets);
  return withDatabaseServer(name, async (databaseServer, log) => {
    await migrate({ ownerUrl: databaseServer.ownerUrl, directory: MIGRATIONS });
    const database = openDatabase({ url: databaseServer.url, poolSize: 2, role: 'phial_app', log });
    try {
      const cipher = await claimCipher(database.db, config, secrets).catch((error: unknown) =>
        refuseOwnerLogin(error, databaseServer.url),
      );
      if (config.environment === 'production') await refusePrivilegedLogin(databaseServer.url);
      const batches = new BatchScheduler(1, { isAmongOthers: true });
      return await work({ config, db: database.db, log, cipher, batches, subscriptions }, databaseServer);
    } finally {
      await database.close();
    }
  });
}
