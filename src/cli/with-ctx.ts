import { BulkWork } from '../bulk-work.ts';
import { readEnvironment } from '../config/environment.ts';
import { parseConfig } from '../config/options.ts';
import type { Ctx } from '../context.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { MIGRATIONS } from '../db/place.ts';
import { refuseStrongLogin } from '../db/production.ts';
import { wings } from '../wings.ts';
import { claimCipher } from '../privacy/claim-cipher.ts';
import { withPlace } from './database.ts';

/** Runs `work` with what verbs use, on the configured database in this release's shape. */
export function withCtx<T>(name: string, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  return withPlace(name, async (place, log) => {
    const { config, secrets } = parseConfig(readEnvironment());
    await migrate({ ownerUrl: place.ownerUrl, directory: MIGRATIONS });
    const database = openDatabase({ url: place.url, poolSize: 2, role: 'phial_app', log });
    try {
      const cipher = await claimCipher(database.db, config, secrets);
      if (config.environment === 'production') await refuseStrongLogin(place.url);
      const bulk = new BulkWork(1, { isAmongOthers: true });
      return await work({ config, db: database.db, log, cipher, bulk, ...wings });
    } finally {
      await database.close();
    }
  });
}
