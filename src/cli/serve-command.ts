import { readEnvironment, type Env } from '../config/read-environment.ts';
import { parseConfig } from '../config/options.ts';
import { portsOf, refuseTakenPorts } from '../config/ports.ts';
import { freeBytes, isDiskFull } from '../disk-space.ts';
import { openDatabaseServer, startsPostgres } from '../db/database-server.ts';
import { openLog, type Logger } from '../log.ts';
import { announce } from './announce.ts';
import { endOnFatalErrors } from './fatal-errors.ts';
import type { Role } from '../serve.ts';

const PARENT_POLL_MS = 200;
/**
 * PostgreSQL writes its write-ahead log in segments of this size. If less is free, PostgreSQL cannot write, so we treat
 * the disk as full.
 */
const FULL_BELOW_BYTES = 16 * 1024 * 1024;

/** Runs the service until it is stopped. Returns the exit code: 0 after a normal stop, 1 if the database was lost. */
export async function serveCommand(role: Role, options: { stopWithParent?: boolean }): Promise<number> {
  try {
    return await serveUntilStopped(role, options);
  } catch (error) {
    // The log format is an option too, and the options may be unreadable. So we read the format directly from the
    // environment.
    if (!wantsJson(readEnvironment())) throw error;
    openLog('fatal').fatal({ reason: (error as Error).message }, 'the process cannot go on');
    return 1;
  }
}

const wantsJson = ({ PHIAL_LOG_FORMAT: format, PHIAL_ENVIRONMENT: environment }: Env): boolean =>
  format ? format === 'json' : environment === 'production';

/** How long a process may take to end after it has lost its embedded database. */
const ENDS_WITHOUT_DATABASE_MS = 15_000;

async function serveUntilStopped(
  role: Role,
  { stopWithParent = false }: { stopWithParent?: boolean },
): Promise<number> {
  const { config, secrets } = parseConfig(readEnvironment());
  const stopAsked = waitForStop(stopWithParent);
  const log = openLog(config.logLevel);
  endOnFatalErrors(log);
  if (config.logFormat === 'json') logWarningsOfNode(log);
  // If PostgreSQL is already running, openDatabaseServer first reports which process uses it. startService also checks
  // the ports.
  if (startsPostgres(config, secrets)) await refuseTakenPorts(config.host, portsOf(role, config));
  // Loading the service's modules takes as long as starting PostgreSQL. We do both at the same time, which halves the
  // wait.
  const loading = import('../serve.ts');
  const databaseServer = await openDatabaseServer({
    config,
    secrets,
    log,
    applicationName: `phial ${role} pid=${process.pid} ${config.baseUrl}`,
    lock: role === 'serve' ? 'required' : 'if-free',
  });
  let reason: string;
  try {
    const { startService } = await loading;
    const service = await startService({ role, config, secrets, databaseServer, log });
    announce({ role, config, databaseServer, ...service }, log);
    const lost = databaseServer.lost.then((error) => {
      // Without its database nothing can end well, so work that still waits for it must not keep the process.
      setTimeout(() => {
        log.error('work that waits for PostgreSQL did not end');
        process.exit(1);
      }, ENDS_WITHOUT_DATABASE_MS).unref();
      return whyLost(error, databaseServer);
    });
    reason = await Promise.race([stopAsked, lost]);
    log.info({ reason }, 'stopping');
    await service.stop();
  } finally {
    await databaseServer.close();
  }
  log.info('stopped');
  return reason === 'asked to' ? 0 : 1;
}

/**
 * Returns the reason for which the database was lost. PostgreSQL ends if it cannot write. The operator must then free
 * space before the next start.
 */
async function whyLost(error: Error, { embedded, dataDir }: { embedded: boolean; dataDir: string }): Promise<string> {
  if (isDiskFull(error) || (embedded && (await isNearlyFull(dataDir))))
    return `The disk is full, and PostgreSQL went away: ${error.message} Free some space. The next start recovers.`;
  return `PostgreSQL went away: ${error.message} The next start recovers.`;
}

async function isNearlyFull(folder: string): Promise<boolean> {
  try {
    return (await freeBytes(folder)) < FULL_BELOW_BYTES;
  } catch {
    return false; // If we cannot read the directory, we do not know that the disk is full.
  }
}

/** Logs Node's warnings. Node itself would write them as plain text. */
function logWarningsOfNode(log: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', (err) => log.warn({ err, reason: err.message }, 'a warning of Node'));
}

/**
 * Resolves at the first signal that stops the process, and ignores further signals. Ctrl-C sends two, one from the
 * terminal and one from npm. If npm started the program, the function also resolves when npm ends, because nobody could
 * stop the program otherwise.
 */
function waitForStop(stopWithParent: boolean): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve('asked to'));
    if (!stopWithParent) return;
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) resolve('asked to');
    }, PARENT_POLL_MS).unref();
  });
}
