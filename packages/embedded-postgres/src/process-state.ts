import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { hasCode } from './errors.ts';

/** Whether a process with this id runs, under any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/**
 * Whether the process has ended and only its exit status is left. In a container whose first process takes
 * no exit statuses an orphan stays so for ever. Known on Linux only; elsewhere the system takes them.
 */
export function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** The processes whose working directory is `directory` or lies in it, and their programs. Known on Linux only. */
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
      return []; // it has ended meanwhile, or is another user's
    }
  });
}
