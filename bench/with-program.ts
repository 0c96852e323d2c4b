import { openEmbedded } from '@phial/embedded-postgres/open';
import { openLog } from '../src/log.ts';
import { describeDatabase, describeMachine } from './describe-machine.ts';
import { makeFolder, removeFolder, startMeasured, type MeasuredProgram } from './measured-program.ts';

/**
 * Starts the program in its own process, and stops it and its PostgreSQL after `work`, also if that fails. `ownerUrl`
 * is the URL for the owner of the tables.
 */
export async function withProgram<T>(
  env: Record<string, string>,
  work: (program: MeasuredProgram, ownerUrl: string) => Promise<T>,
): Promise<T> {
  console.log(describeMachine());
  const folder = makeFolder();
  const program = await startMeasured(folder, [process.execPath, 'bin/phial.mjs', 'serve'], env);
  try {
    const { dataDir } = program;
    const log = openLog('silent');
    const embedded = await openEmbedded({ dataDir, applicationName: 'phial bench', lock: 'if-free', log });
    try {
      console.log(await describeDatabase(embedded.url));
      return await work(program, embedded.url);
    } finally {
      await embedded.stop();
    }
  } finally {
    await program.stop();
    removeFolder(folder);
  }
}
