import { readFileSync } from 'node:fs';
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
