// A process that is killed must not leave an incomplete directory that looks complete.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './log.ts';
import { hasCode } from './errors.ts';
import { isAlive, processesIn } from './process-state.ts';

const unfinishedName = /\.new-(\d+)-[0-9a-f]+$/;
const ownUnfinished = new Set<string>();

/**
 * Makes the directory `final` in one step. `fill` writes into a directory of another name, which is then renamed. If
 * two processes do this at the same time, the first rename succeeds, and both use its directory.
 */
export async function buildAtomically(final: string, fill: (unfinished: string) => Promise<void>): Promise<void> {
  if (existsSync(final)) return;
  const unfinished = `${final}.new-${process.pid}-${randomBytes(4).toString('hex')}`;
  ownUnfinished.add(unfinished);
  try {
    await mkdir(unfinished, { mode: 0o700 });
    await fill(unfinished);
    await syncToDisk(unfinished);
    await rename(unfinished, final);
    await syncToDisk(path.dirname(final));
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true, maxRetries: 5 });
    if (!(hasCode(error, 'ENOTEMPTY', 'EEXIST', 'EPERM') && existsSync(final))) throw error;
  } finally {
    ownUnfinished.delete(unfinished);
  }
}

/** Removes directories in `parent` that processes left incomplete when they ended. */
export async function removeUnfinished(parent: string, log: Log): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(unfinishedName.exec(name)?.[1] ?? NaN);
    const directory = path.join(parent, name);
    if (Number.isNaN(pid) || (pid === process.pid ? ownUnfinished.has(directory) : isAlive(pid))) continue;
    try {
      await endInitdb(directory);
      await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
    } catch (error) {
      log.warn({ err: error, directory }, 'a left-over directory could not be removed');
    }
  }
}

/**
 * Kills an initdb that still works in the directory, and waits until its PostgreSQL has ended. initdb continues when
 * the process that started it is killed. Its PostgreSQL reads input from initdb, and ends normally when initdb ends. If
 * the files were removed before that, PostgreSQL would abort, and its shared memory would stay until the machine
 * restarts.
 */
async function endInitdb(directory: string): Promise<void> {
  for (const { pid, program } of processesIn(directory)) if (program === 'initdb') endAtOnce(pid);
  for (let waitedMs = 0; waitedMs < 5000 && processesIn(directory).length > 0; waitedMs += 20) await sleep(20);
}

function endAtOnce(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!hasCode(error, 'ESRCH', 'EPERM')) throw error;
  }
}

/** Waits until the content of a file, or the list of entries of a directory, is on the disk. */
export async function syncToDisk(target: string): Promise<void> {
  try {
    const handle = await open(target, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    // Windows cannot open a directory in this way, and needs no sync for a durable rename.
    if (!hasCode(error, 'EISDIR', 'EPERM', 'EINVAL')) throw error;
  }
}
