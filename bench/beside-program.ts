// Runs the program in its own process, and makes a context on its database for work that no API operation does.
import { openEmbedded } from '@phial/embedded-postgres/open';
import { BatchScheduler } from '../src/batch-scheduler.ts';
import { parseConfig } from '../src/config/options.ts';
import type { Ctx } from '../src/context.ts';
import { openDatabase } from '../src/db/open-database.ts';
import { openLog } from '../src/log.ts';
import { claimCipher } from '../src/privacy/claim-cipher.ts';
import { subscriptions } from '../src/subscriptions.ts';
import { describeDatabase, describeMachine } from './describe-machine.ts';
import { makeFolder, removeFolder, startMeasured, type MeasuredProgram } from './measured-program.ts';

/** Starts the program, and stops everything after `work`. `ownerUrl` is the URL for the owner of the tables. */
export async function besideProgram<T>(
  env: Record<string, string>,
  work: (program: MeasuredProgram, ctx: Ctx, ownerUrl: string) => Promise<T>,
): Promise<T> {
  console.log(describeMachine());
  const folder = makeFolder();
  const program = await startMeasured(folder, [process.execPath, 'bin/phial.mjs', 'serve'], env);
  try {
    const log = openLog('silent');
    const { dataDir } = program;
    const embedded = await openEmbedded({ dataDir, applicationName: 'phial bench', lock: 'if-free', log });
    console.log(await describeDatabase(embedded.url));
    const { config, secrets } = parseConfig({});
    const database = openDatabase({ url: embedded.url, poolSize: 4, role: 'phial_app', log });
    const cipher = await claimCipher(database.db, config, secrets);
    const ctx = { config, db: database.db, log, cipher, batches: new BatchScheduler(1), subscriptions };
    const done = await work(program, ctx, embedded.url);
    await database.close();
    await embedded.stop();
    return done;
  } finally {
    await program.stop();
    removeFolder(folder);
  }
}
