import { resolve } from 'node:path';
import { readEnvironment } from '../config/read-environment.ts';
import { dropExpiredAudit } from '../audit/partitions.ts';
import { parseConfig } from '../config/options.ts';
import { backup } from '../db/backup/backup.ts';
import { countRows, readManifest } from '../db/backup/backup-format.ts';
import { migrate } from '../db/migrate.ts';
import { MIGRATIONS, openDatabaseServer, type DatabaseServer } from '../db/database-server.ts';
import { restore } from '../db/backup/restore.ts';
import { openLog, type Logger } from '../log.ts';

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

export function migrateCommand(): Promise<number> {
  return withDatabaseServer('migrate', async (databaseServer) => {
    const fresh = await migrate({ ownerUrl: databaseServer.ownerUrl, directory: MIGRATIONS });
    console.log(fresh.length === 0 ? 'The database is up to date.' : `Applied ${fresh.join(', ')}.`);
    const { config } = parseConfig(readEnvironment());
    const months = await dropExpiredAudit(databaseServer.ownerUrl, config.auditRetentionYears);
    if (months > 0)
      console.log(`Dropped ${months} months of the audit log. Phial keeps it for ${config.auditRetentionYears} years.`);
    return 0;
  });
}

export function backupCommand({ to }: { to: string }): Promise<number> {
  const directory = resolve(to);
  return withDatabaseServer('backup', async (databaseServer, log) => {
    const manifest = await backup({ ownerUrl: databaseServer.ownerUrl, directory, log });
    console.log(
      `Backed up ${countRows(manifest.tables)} rows of ${manifest.tables.length} tables to ${directory}. ` +
        'It holds personal data and secrets. Protect it like the database.',
    );
    return 0;
  });
}

export async function restoreCommand({ from }: { from: string }): Promise<number> {
  const directory = resolve(from);
  // Checks the backup before it starts a database server.
  await readManifest(directory);
  return withDatabaseServer('restore', async (databaseServer, log) => {
    await restore({ ownerUrl: databaseServer.ownerUrl, directory, migrationsDirectory: MIGRATIONS, log });
    console.log(`Restored ${directory}. Start the service when you are ready.`);
    return 0;
  });
}
