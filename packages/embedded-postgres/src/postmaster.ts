// Starts, finds and stops the server process of a cluster.
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { type FileHandle, link, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { uptime } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './log.ts';
import { type Account, runAs } from './account.ts';
import type { Binaries } from './binaries.ts';
import { type Cluster, explainSpawnError, serverEnvironment } from './cluster.ts';
import { EmbeddedError, hasCode } from './errors.ts';
import { isAlive, isZombie } from './process-state.ts';

/** The content of postmaster.pid. `startedAt` is in seconds since 1970. */
export interface Postmaster {
  pid: number;
  startedAt: number;
  port: number;
  ready: boolean;
}

/** `occupied` means that another server uses the files, or that processes of the last server are left. */
export type StartOutcome = { postmaster: Postmaster } | 'occupied' | 'port taken';

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '128MB',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Makes PostgreSQL notice within a second that a client was killed. Otherwise the locks of the client's statement
  // could block the next start.
  client_connection_check_interval: process.platform === 'win32' ? '0' : '1s',
  // Statements and the details of their errors quote rows, and so personal data. PostgreSQL logs neither.
  log_destination: 'stderr',
  logging_collector: 'off',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_checkpoints: 'off',
};

const pollMs = 10;
const largestLogBytes = 10 * 1024 * 1024;

/**
 * Reads postmaster.pid, which a running server has and a killed one leaves behind. Returns null if the file does not
 * exist or is only half written.
 */
export async function findPostmasterOrNull(cluster: Cluster): Promise<Postmaster | null> {
  return parsePidFile(await readPidFile(pidFileOf(cluster)));
}

/** Starts the server on a free port, and waits until it accepts connections. A recovery may come first. */
export async function startPostmaster(
  cluster: Cluster,
  binaries: Binaries,
  account: Account | null,
  log: Log,
): Promise<StartOutcome> {
  const serverLog = await openServerLog(cluster.serverLog, account);
  try {
    const { size: logStart } = await serverLog.stat();
    const child = spawnServer(cluster, binaries, account, { port: await findFreePort(), logFd: serverLog.fd });
    let failed: Error | null = null;
    child.once('error', (error) => {
      failed = error;
    });
    for (let waitedMs = 0; ; waitedMs += pollMs) {
      await sleep(pollMs);
      if (failed !== null) throw explainSpawnError(failed, binaries.postgres);
      if (hasEnded(child)) return explainEnd(child, await readFrom(cluster.serverLog, logStart), cluster);
      const postmaster = await findPostmasterOrNull(cluster);
      if (postmaster?.ready && postmaster.pid === child.pid) return { postmaster };
      if (waitedMs % 5000 === 4990) log.info({ server_log: cluster.serverLog }, 'PostgreSQL is still starting');
    }
  } finally {
    await serverLog.close();
  }
}

/**
 * Starts the server in a process group of its own. Otherwise Ctrl-C at the terminal would also end PostgreSQL, before
 * running requests are finished.
 */
function spawnServer(
  cluster: Cluster,
  binaries: Binaries,
  account: Account | null,
  { port, logFd }: { port: number; logFd: number },
): ChildProcess {
  const options = Object.entries({ port: String(port), ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const child = spawn(binaries.postgres, ['-D', cluster.data, ...options], {
    cwd: cluster.directory,
    env: serverEnvironment,
    detached: true,
    windowsHide: true,
    stdio: ['ignore', logFd, logFd],
    ...runAs(account),
  });
  child.unref();
  return child;
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

function explainEnd(child: ChildProcess, said: string, cluster: Cluster): 'occupied' | 'port taken' {
  if (/lock file "postmaster\.pid"|pre-existing shared memory block/.test(said)) return 'occupied';
  if (/could not bind IPv4 address/.test(said)) return 'port taken';
  throw new EmbeddedError(
    `PostgreSQL ended with ${child.signalCode ?? `code ${child.exitCode}`} while starting. ` +
      `The end of ${cluster.serverLog}:\n${said.trim().slice(-2000)}`,
  );
}

const FAST_MS = 10_000;

/**
 * Ends the server with the shutdown mode `fast`. If it is still running after FAST_MS, ends it with `immediate`, and
 * the next start recovers.
 */
export async function stopPostmaster(
  cluster: Cluster,
  postmaster: Postmaster,
  binaries: Binaries,
  log: Log,
): Promise<void> {
  await signal('fast', cluster, postmaster, binaries);
  if (await endsWithin(FAST_MS, postmaster)) return;
  log.warn({ pid: postmaster.pid }, 'PostgreSQL did not shut down in time, and is ended at once');
  await signal('immediate', cluster, postmaster, binaries);
  if (await endsWithin(10_000, postmaster)) return;
  log.error({ pid: postmaster.pid }, 'PostgreSQL does not end');
}

/** Asks the server to shut down, by a signal. Windows has no signals, so there pg_ctl does it. */
async function signal(
  mode: 'fast' | 'immediate',
  cluster: Cluster,
  postmaster: Postmaster,
  binaries: Binaries,
): Promise<void> {
  if (process.platform === 'win32') {
    const child = spawn(binaries.pgCtl, ['stop', '-D', cluster.data, '-m', mode, '-W'], {
      stdio: 'ignore',
      windowsHide: true,
    });
    await new Promise<void>((resolve) => {
      child.once('error', () => resolve()).once('exit', () => resolve());
    });
    return;
  }
  try {
    process.kill(postmaster.pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

async function endsWithin(limitMs: number, postmaster: Postmaster): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  while (isAlive(postmaster.pid)) {
    if (Date.now() > deadline) return false;
    await sleep(pollMs);
  }
  return true;
}

/**
 * Moves the pid file of a dead server away. PostgreSQL refuses to start while a process with the id in the file exists.
 * It may be no server at all: a zombie has the id, or, after a reboot, any program of the same user.
 */
export async function setAsideDeadPidFile(cluster: Cluster): Promise<boolean> {
  const file = pidFileOf(cluster);
  const seen = await readPidFile(file);
  const postmaster = parsePidFile(seen);
  if (postmaster === null || !(isZombie(postmaster.pid) || isOfEarlierBoot(postmaster))) return false;
  const aside = `${file}.old-${process.pid}`;
  try {
    await rename(file, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
  // If another server has started meanwhile, we have moved its new pid file. So we move the file back.
  if ((await readPidFile(aside)) !== seen) await link(aside, file).catch(() => undefined);
  await rm(aside, { force: true });
  return true;
}

/**
 * Returns true if the server started before the machine did. A minute is allowed, because the clock may have been
 * corrected.
 */
function isOfEarlierBoot(postmaster: Postmaster): boolean {
  return postmaster.startedAt < Date.now() / 1000 - uptime() - 60;
}

const pidFileOf = (cluster: Cluster): string => path.join(cluster.data, 'postmaster.pid');

function readPidFile(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
}

/**
 * Parses the lines of postmaster.pid: pid, data directory, start time, port, socket directory, address, shared memory,
 * status.
 */
function parsePidFile(content: string | null): Postmaster | null {
  const lines = content?.split('\n').map((line) => line.trim()) ?? [];
  const [pid, , startedAt, port] = lines.map(Number);
  if (!pid || !startedAt || !port) return null;
  return { pid, startedAt, port, ready: lines[7] === 'ready' };
}

/**
 * Opens the log file of the server. If we are root, the folder belongs to another user. That user could put a link in
 * the place of the file, so that we write into another file. So links are refused.
 */
async function openServerLog(file: string, account: Account | null): Promise<FileHandle> {
  const found = await stat(file).catch(() => null);
  if (found !== null && found.size > largestLogBytes) await rename(file, `${file}.old`);
  const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_WRONLY } = constants;
  const handle = await open(file, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
  if (account !== null) await handle.chown(account.uid, account.gid);
  return handle;
}

async function readFrom(file: string, start: number): Promise<string> {
  return (await readFile(file)).subarray(start).toString('utf8');
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
      .once('error', reject)
      .listen(0, '127.0.0.1', () => {
        const address = server.address();
        const port = typeof address === 'object' && address !== null ? address.port : 0;
        server.close(() => resolve(port));
      });
  });
}
