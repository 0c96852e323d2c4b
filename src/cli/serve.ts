import { readEnvironment, type Env } from '../config/environment.ts';
import { parseConfig } from '../config/options.ts';
import { portsOf, refuseTakenPorts } from '../config/ports.ts';
import { freeBytes, isDiskFull } from '../disk-space.ts';
import { openPlace, startsPostgres } from '../db/place.ts';
import { openLog, type Logger } from '../log.ts';
import { announce } from './announce.ts';
import { endOnFatalErrors } from './fatal-errors.ts';
import type { Role } from '../serve.ts';

const PARENT_POLL_MS = 200;
/** PostgreSQL writes its log in pieces of this size. */
const FULL_BELOW_BYTES = 16 * 1024 * 1024;

/** Serves until told to stop. Returns the exit code: 0 after a clean stop, 1 when the database went away. */
export async function serveCommand(role: Role, options: { stopWithParent?: boolean }): Promise<number> {
  try {
    return await serveUntilStopped(role, options);
  } catch (error) {
    // Also of options that cannot be read, among which the format may be.
    if (!wantsJson(readEnvironment())) throw error;
    openLog('fatal').fatal({ reason: (error as Error).message }, 'the process cannot go on');
    return 1;
  }
}

const wantsJson = ({ PHIAL_LOG_FORMAT: format, PHIAL_ENVIRONMENT: environment }: Env): boolean =>
  format ? format === 'json' : environment === 'production';

async function serveUntilStopped(
  role: Role,
  { stopWithParent = false }: { stopWithParent?: boolean },
): Promise<number> {
  const { config, secrets } = parseConfig(readEnvironment());
  const stopAsked = waitForStop(stopWithParent);
  const log = openLog(config.logLevel);
  endOnFatalErrors(log);
  if (config.logFormat === 'json') logWarningsOfNode(log);
  // Where PostgreSQL runs already, openPlace says first who serves here. startService looks at the ports as well.
  if (startsPostgres(config, secrets)) await refuseTakenPorts(config.host, portsOf(role, config));
  // The service's modules take as long to load as PostgreSQL takes to start: both at once halve the wait.
  const loading = import('../serve.ts');
  const place = await openPlace({
    config,
    secrets,
    log,
    applicationName: `phial ${role} pid=${process.pid} ${config.baseUrl}`,
    lock: role === 'serve' ? 'required' : 'if-free',
  });
  let reason: string;
  try {
    const { startService } = await loading;
    const service = await startService({ role, config, secrets, place, log });
    announce({ role, config, place, ...service }, log);
    const lost = place.lost.then((error) => whyLost(error, place));
    reason = await Promise.race([stopAsked, lost]);
    log.info({ reason }, 'stopping');
    await service.stop();
  } finally {
    await place.close();
  }
  log.info('stopped');
  return reason === 'asked to' ? 0 : 1;
}

/** PostgreSQL ends where it cannot write: then room has to be made before the next start. */
async function whyLost(error: Error, { embedded, dataDir }: { embedded: boolean; dataDir: string }): Promise<string> {
  if (isDiskFull(error) || (embedded && (await isNearlyFull(dataDir))))
    return `The disk is full, and PostgreSQL went away: ${error.message} Make room; the next start recovers.`;
  return `PostgreSQL went away: ${error.message} The next start recovers.`;
}

async function isNearlyFull(folder: string): Promise<boolean> {
  try {
    return (await freeBytes(folder)) < FULL_BELOW_BYTES;
  } catch {
    return false; // what cannot be looked at is not known to be full
  }
}

/** Node would write them as text. */
function logWarningsOfNode(log: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', (err) => log.warn({ err, reason: err.message }, 'a warning of Node'));
}

/**
 * The first signal asks; further ones are ignored, since Ctrl-C reaches this process twice: from the terminal and from npm.
 * A program that npm started ends with it: nobody could stop the one left behind.
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
