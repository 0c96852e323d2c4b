// Runs the program in its own process, and makes a context on its database for work that no API operation does.
import { BatchScheduler } from '../src/batch-scheduler.ts';
import { parseConfig } from '../src/config/options.ts';
import type { Ctx } from '../src/context.ts';
import { openDatabase } from '../src/db/open-database.ts';
import { openLog } from '../src/log.ts';
import { claimCipher } from '../src/privacy/claim-cipher.ts';
import { subscriptions } from '../src/subscriptions.ts';
import type { MeasuredProgram } from './measured-program.ts';
import { withProgram } from './with-program.ts';

/** Starts the program, and stops everything after `work`. `ownerUrl` is the URL for the owner of the tables. */
export const besideProgram = <T>(
  env: Record<string, string>,
  work: (program: MeasuredProgram, ctx: Ctx, ownerUrl: string) => Promise<T>,
): Promise<T> =>
  withProgram(env, async (program, ownerUrl) => {
    const log = openLog('silent');
    const { config, secrets } = parseConfig({});
    const database = openDatabase({ url: ownerUrl, poolSize: 4, role: 'phial_app', log });
    try {
      const cipher = await claimCipher(database.db, config, secrets);
      const ctx = { config, db: database.db, log, cipher, batches: new BatchScheduler(1), subscriptions };
      return await work(program, ctx, ownerUrl);
    } finally {
      await database.close();
    }
  });
