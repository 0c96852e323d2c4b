import { BatchScheduler } from '../batch-scheduler.ts';
import { readEnvironment } from '../config/read-environment.ts';
import { parseConfig } from '../config/options.ts';
import type { Ctx } from '../context.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open-database.ts';
import { MIGRATIONS } from '../db/database-server.ts';
import { refusePrivilegedLogin } from '../db/production.ts';
import { subscriptions } from '../subscriptions.ts';
import { claimCipher } from '../privacy/claim-cipher.ts';
import { withDatabaseServer } from './database.ts';

/**
 * Runs `work` with a context for service functions. The context uses the configured database, after migration to this
 * release.
 */
export function withCtx<T>(name: string, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  return withDatabaseServer(name, async (databaseServer, log) => {
    const { config, secrets } = parseConfig(readEnvironment());
    await migrate({ ownerUrl: databaseServer.ownerUrl, directory: MIGRATIONS });
    const database = openDatabase({ url: databaseServer.url, poolSize: 2, role: 'phial_app', log });
    try {
      const cipher = await claimCipher(database.db, config, secrets);
      if (config.environment === 'production') await refusePrivilegedLogin(databaseServer.url);
      const batches = new BatchScheduler(1, { isAmongOthers: true });
      return await work({ config, db: database.db, log, cipher, batches, subscriptions });
    } finally {
      await database.close();
    }
  });
}
