import { resolve } from 'node:path';
import { readEnvironment } from '../config/read-environment.ts';
import { dropExpiredAudit } from '../audit/partitions.ts';
import { parseConfig } from '../config/options.ts';
import { backup } from '../db/backup/backup.ts';
import { countRows, readManifest, type ReportTables } from '../db/backup/backup-format.ts';
import { migrate } from '../db/migrate.ts';
import { MIGRATIONS, openDatabaseServer, type DatabaseServer } from '../db/database-server.ts';
import { restore } from '../db/backup/restore.ts';
import { openLog, type Logger } from '../log.ts';
import { CommandError } from './command.ts';
import { printDone } from './print.ts';
import { problemOfKeys } from './problem-of-keys.ts';
import { openProgress } from './progress.ts';

/**
 * Runs `work` with the configured database. The service may run at the same time. Only the output of `work` goes to
 * stdout.
 */
export async function withDatabaseServer<T>(
  name: string,
  work: (databaseServer: DatabaseServer, log: Logger) => Promise<T>,
): Promise<T> {
  const { config, secrets } = parseConfig(readEnvironment());
  const log = openLog(config.logLevel, process.stderr);
  const databaseServer = await openDatabaseServer({
    config,
    secrets,
    log,
    applicationName: `phial ${name} pid=${process.pid}`,
    lock: 'if-free',
  });
  try {
    return await work(databaseServer, log);
  } finally {
    await databaseServer.close();
  }
}

/** Runs a command that needs the login of the owner. Without it PostgreSQL only names the table that it refuses. */
async function asOwner(
  name: string,
  work: (databaseServer: DatabaseServer, log: Logger) => Promise<number>,
): Promise<number> {
  try {
    return await withDatabaseServer(name, work);
  } catch (error) {
    if (!isRefused(error) && !isRefused((error as Error).cause)) throw error;
    throw new CommandError(
      `phial ${name} needs the login that owns the database, and PostgreSQL says: ${(error as Error).message}. Name ` +
        'the owner in PHIAL_OWNER_DATABASE_URL. docs/operate/backup-and-restore.md has the command of each deployment.',
    );
  }
}

const isRefused = (error: unknown): boolean => (error as { code?: unknown } | undefined)?.code === '42501';

export function migrateCommand({ json }: { json: boolean }): Promise<number> {
  return asOwner('migrate', async (databaseServer) => {
    const progress = openProgress();
    const report = (name: string, done: number, total: number): void =>
      progress.show(`Applying ${name}`, { done, total });
    const { ownerUrl } = databaseServer;
    const fresh = await migrate({ ownerUrl, directory: MIGRATIONS, report }).finally(progress.end);
    const { config } = parseConfig(readEnvironment());
    const months = await dropExpiredAudit(ownerUrl, config.auditRetentionYears);
    const words = [
      fresh.length === 0 ? 'The database is up to date.' : `Applied ${fresh.join(', ')}.`,
      ...(months > 0
        ? [`Dropped ${months} months of the audit log. Phial keeps it for ${config.auditRetentionYears} years.`]
        : []),
    ];
    printDone(json, words.join('\n'), { applied: fresh, dropped_audit_months: months });
    return 0;
  });
}

export function backupCommand({ to, json }: { to: string; json: boolean }): Promise<number> {
  const directory = resolve(to);
  return asOwner('backup', async (databaseServer, log) => {
    const { report, end } = reportTables();
    const { ownerUrl } = databaseServer;
    const manifest = await backup({ ownerUrl, directory, log, report }).finally(end);
    const [rows, tables] = [countRows(manifest.tables), manifest.tables.length];
    const words =
      `Backed up ${rows} rows of ${tables} tables to ${directory}. It holds personal data and secrets. Protect it ` +
      'like the database.';
    printDone(json, words, { directory, tables, rows });
    return 0;
  });
}

export async function restoreCommand({ from, json }: { from: string; json: boolean }): Promise<number> {
  const directory = resolve(from);
  // Checks the backup before it starts a database server.
  const { tables } = await readManifest(directory);
  return asOwner('restore', async (databaseServer, log) => {
    const { report, end } = reportTables();
    const { ownerUrl } = databaseServer;
    await restore({ ownerUrl, directory, migrationsDirectory: MIGRATIONS, log, report }).finally(end);
    const { config, secrets } = parseConfig(readEnvironment());
    const problem = await problemOfKeys(config, secrets, databaseServer.url);
    if (problem !== null)
      throw new CommandError(`Restored ${directory}, but a start with these options would be refused: ${problem}`);
    const words = `Restored ${directory}. Start the service when you are ready.`;
    printDone(json, words, { directory, tables: tables.length, rows: countRows(tables) });
    return 0;
  });
}

/** Shows how many tables of a backup are done. */
function reportTables(): { report: ReportTables; end: () => void } {
  const { show, end } = openProgress();
  return { report: (done, total) => show(`${done} of ${total} tables`, { done, total }), end };
}
