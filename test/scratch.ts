// A test run writes all its files into one folder, so that we can find and remove remains.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const GIB = 2 ** 30;

/**
 * Makes the folder that `os.tmpdir()` names during the run, here and in every process that a test starts. `close`
 * removes it, and throws with the names of remains of tests: files, or processes that work in it.
 */
export function openScratch(): { folder: string; close: () => void } {
  const folder = mkdtempSync(join(hasSpaceInMemory() ? '/dev/shm' : tmpdir(), 'phial-tests-'));
  chmodSync(folder, 0o755); // PostgreSQL runs as another user where we are root
  process.env['TMPDIR'] = folder;
  return {
    folder,
    close: () => {
      const left = [...endProcessesIn(folder), ...readdirSync(folder).filter((name) => !OURS.has(name))];
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      if (left.length > 0) throw new Error(`Tests have left behind: ${left.join(', ')}`);
    },
  };
}

/** What tests share: the server, a data directory, the browser, and Node's cache of compiled modules. */
const OURS = new Set(['postgres', 'ready', 'browser', 'node-compile-cache']);

/** Making and removing files there costs a fifth of the cost on a disk. A container may have little of it. */
function hasSpaceInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === '/dev/shm');
    return bavail * bsize > 4 * GIB && mount !== undefined && !/\bnoexec\b/.test(mount);
  } catch {
    return false;
  }
}

/** Works on Linux only. */
function endProcessesIn(folder: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid || !command.includes(folder)) return [];
      process.kill(Number(pid), 'SIGKILL');
      return [`process ${pid} (${command})`];
    } catch {
      return []; // it has ended meanwhile, or belongs to another user
    }
  });
}
