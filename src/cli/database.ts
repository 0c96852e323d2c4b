import { resolve } from 'node:path';
import { readEnvironment } from '../config/environment.ts';
import { dropExpiredAudit } from '../audit/partitions.ts';
import { parseConfig } from '../config/options.ts';
import { backup } from '../db/backup/backup.ts';
import { readManifest } from '../db/backup/format.ts';
import { migrate } from '../db/migrate.ts';
import { MIGRATIONS, openPlace, type Place } from '../db/place.ts';
import { restore } from '../db/backup/restore.ts';
import { openLog, type Logger } from '../log.ts';

/** Runs `work` on the configured database, beside a running service or alone. What it prints is stdout's alone. */
export async function withPlace<T>(name: string, work: (place: Place, log: Logger) => Promise<T>): Promise<T> {
  const { config, secrets } = parseConfig(readEnvironment());
  const log = openLog(config.logLevel, process.stderr);
  const place = await openPlace({
    config,
    secrets,
    log,
    applicationName: `phial ${name} pid=${process.pid}`,
    lock: 'if-free',
  });
  try {
    return await work(place, log);
  } finally {
    await place.close();
  }
}

export function migrateCommand(): Promise<number> {
  return withPlace('migrate', async (place) => {
    const fresh = await migrate({ ownerUrl: place.ownerUrl, directory: MIGRATIONS });
    console.log(fresh.length === 0 ? 'The database is up to date.' : `Applied ${fresh.join(', ')}.`);
    const { config } = parseConfig(readEnvironment());
    const months = await dropExpiredAudit(place.ownerUrl, config.auditRetentionYears);
    if (months > 0)
      console.log(`Dropped ${months} months of the audit log, which is kept ${config.auditRetentionYears} years.`);
    return 0;
  });
}

export function backupCommand({ to }: { to: string }): Promise<number> {
  const directory = resolve(to);
  return withPlace('backup', async (place, log) => {
    const manifest = await backup({ ownerUrl: place.ownerUrl, directory, log });
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
    console.log(
      `Backed up ${rows} rows of ${manifest.tables.length} tables to ${directory}. It holds personal data and secrets: keep it as you keep the database.`,
    );
    return 0;
  });
}

export async function restoreCommand({ from }: { from: string }): Promise<number> {
  const directory = resolve(from);
  // Before a server is started for what is no backup.
  await readManifest(directory);
  return withPlace('restore', async (place, log) => {
    await restore({ ownerUrl: place.ownerUrl, directory, migrationsDirectory: MIGRATIONS, log });
    console.log(`Restored ${directory}. Start the service when you are ready.`);
    return 0;
  });
}
