import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { hasCode } from './errors.ts';

/** Returns true if a process with this id is running, under any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/**
 * Returns true if the process has ended but its parent has not read its exit status yet (a zombie). In a container
 * whose first process reads no exit statuses, an orphan stays like this forever. Always returns false on systems other
 * than Linux, because they read the exit statuses of orphans themselves.
 */
export function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/**
 * Returns the processes whose working directory is `directory` or within it, with their programs. Returns none on
 * systems other than Linux.
 */
export function processesIn(directory: string): { pid: number; program: string }[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (Number.isNaN(pid)) return [];
    try {
      const inside = path.relative(directory, readlinkSync(`/proc/${pid}/cwd`));
      if (inside.startsWith('..') || isZombie(pid)) return [];
      return [{ pid, program: readFileSync(`/proc/${pid}/comm`, 'utf8').trim() }];
    } catch {
      return []; // The process has ended meanwhile, or belongs to another user.
    }
  });
}
