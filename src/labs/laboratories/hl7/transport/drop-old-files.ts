import { lstat, opendir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ctx } from '../../../../context.ts';
import { refuseIfClockIsOff } from '../../../../db/clock.ts';

/** Of one folder in a round; the next round goes on where this one ended. */
const MOST_LOOKED_AT = 2_000;
const MOST_REMOVED = 500;

/** Where the look through a folder goes on, so that what lies behind many others has its turn, too. */
const walks = new Map<string, AsyncGenerator<string, void, undefined>>();

/** Removes files of a folder that were put there longer ago than `keptMs`; answers how many. Throws where the clocks disagree. */
export async function dropOldFiles(ctx: Ctx, folder: string, keptMs: number): Promise<number> {
  const walk = walks.get(folder) ?? filesIn(folder);
  walks.set(folder, walk);
  let removed = 0;
  for (let looked = 0; looked < MOST_LOOKED_AT && removed < MOST_REMOVED; looked += 1) {
    const { value: path, done } = await walk.next();
    if (done) {
      walks.delete(folder);
      break;
    }
    if (!(await isOld(path, keptMs))) continue;
    if (removed === 0) await refuseIfClockIsOff(ctx);
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
}

/** Ends what goes on in the next round. */
export async function endWalks(): Promise<void> {
  for (const walk of walks.values()) await walk.return();
  walks.clear();
}

async function* filesIn(folder: string): AsyncGenerator<string, void, undefined> {
  for await (const entry of await opendir(folder)) if (entry.isFile()) yield join(folder, entry.name);
}

/**
 * What counts is when a file was put where it is: an upload may keep the times of long ago. Of a file that is another
 * user's they cannot be written; there the system's own time of the rename counts.
 */
export async function stamp(path: string): Promise<void> {
  await utimes(path, new Date(), new Date()).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPERM' && error.code !== 'EACCES') throw error;
  });
}

/** False for what another process was faster to remove. */
async function isOld(path: string, keptMs: number): Promise<boolean> {
  try {
    const { uid, mtimeMs, ctimeMs } = await lstat(path);
    const since = uid === process.getuid?.() ? mtimeMs : Math.max(mtimeMs, ctimeMs);
    return Date.now() - since > keptMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
