import pg from 'pg';
import type { Config } from '../config/options.ts';
import { MIGRATIONS, type DatabaseServer } from './database-server.ts';
import { migrate } from './migrate.ts';
import { readMigrationStatus } from './migration-status.ts';
import { refusePrivilegedLogin } from './production.ts';

/**
 * Migrates the database, and returns the names of the new migrations. A production process that has the login of the
 * service only may not change the schema. It then checks that `phial migrate` has run. So the processes that answer
 * requests need not have the owner's password.
 */
export async function migrateAtStart(
  { url, ownerUrl }: Pick<DatabaseServer, 'url' | 'ownerUrl'>,
  { environment }: Pick<Config, 'environment'>,
): Promise<string[]> {
  if (environment !== 'production' || ownerUrl !== url) return migrate({ ownerUrl, directory: MIGRATIONS });
  const client = new pg.Client({ connectionString: url, application_name: 'phial migration check' });
  client.on('error', () => undefined); // A lost connection fails the running query, which reports it.
  await client.connect();
  try {
    const { pending, differences } = await readMigrationStatus(client, MIGRATIONS);
    // The owner in DATABASE_URL must not migrate as the service. That refusal says more than a missing migration.
    if (pending.length > 0) await refusePrivilegedLogin(url);
    if (differences.length > 0 || pending.length > 0) throw new Error(refusal(pending, differences));
    return [];
  } finally {
    await client.end();
  }
}

function refusal(pending: string[], differences: string[]): string {
  if (differences.length > 0)
    return `This database was made by other migrations than those of this program. ${differences.join(' ')}`;
  return (
    `The database lacks ${pending.length} migrations, and DATABASE_URL may not apply them. ` +
    'Run `phial migrate` with the owner in PHIAL_OWNER_DATABASE_URL first.'
  );
}
