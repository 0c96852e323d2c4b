import { lstat, opendir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ctx } from '../../../../context.ts';
import { refuseIfClockIsOff } from '../../../../db/clock.ts';

/** The most files of a folder that we check at a time. The next check continues after the last checked file. */
const MAX_LOOKED_AT = 2_000;
const MAX_REMOVED = 500;

/** How far we have read each folder. Without it, each check would see only the first files of a large folder. */
const walks = new Map<string, AsyncGenerator<string, void, undefined>>();

/**
 * Removes files that we moved into a folder longer ago than `retentionMs`, and returns their number. Throws if the
 * clocks of the process and of the database differ too much.
 */
export async function dropOldFiles(ctx: Ctx, folder: string, retentionMs: number): Promise<number> {
  const walk = walks.get(folder) ?? filesIn(folder);
  walks.set(folder, walk);
  let removed = 0;
  for (let looked = 0; looked < MAX_LOOKED_AT && removed < MAX_REMOVED; looked += 1) {
    const { value: path, done } = await walk.next();
    if (done) {
      walks.delete(folder);
      break;
    }
    if (!(await isOld(path, retentionMs))) continue;
    if (removed === 0) await refuseIfClockIsOff(ctx);
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
}

/** Forgets the positions in all folders and closes the directories. */
export async function endWalks(): Promise<void> {
  for (const walk of walks.values()) await walk.return();
  walks.clear();
}

async function* filesIn(folder: string): AsyncGenerator<string, void, undefined> {
  for await (const entry of await opendir(folder)) if (entry.isFile()) yield join(folder, entry.name);
}

/**
 * Sets the times of a file to now. We count a file's age from its move into the folder, and a file may arrive with much
 * older times. If another system user owns the file, we cannot set its times. Then we count from the time at which the
 * system recorded the move.
 */
export async function stamp(path: string): Promise<void> {
  await utimes(path, new Date(), new Date()).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPERM' && error.code !== 'EACCES') throw error;
  });
}

/** Returns whether a file is old enough to be removed. Returns false if another process has already removed it. */
async function isOld(path: string, retentionMs: number): Promise<boolean> {
  try {
    const { uid, mtimeMs, ctimeMs } = await lstat(path);
    const since = uid === process.getuid?.() ? mtimeMs : Math.max(mtimeMs, ctimeMs);
    return Date.now() - since > retentionMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
