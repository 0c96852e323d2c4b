import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Logger } from '../../log.ts';
import {
  countRows,
  damaged,
  type Manifest,
  readManifest,
  prepareForCopying,
  type TableCopy,
  tablePath,
  type ReportTables,
} from './backup-format.ts';
import { VERSION } from '../../package-root.ts';
import { migrate } from '../migrate.ts';
import { differencesOf, readMigrationFiles } from '../migration-files.ts';
import { findPublicTables, inPublic, inReferenceOrder } from './public-tables.ts';

/**
 * Loads a backup into an empty database. A database is empty if it has no deployment and no organisations, for example
 * after the migrations. First it checks all files. Then it makes the tables as they were at the time of the backup,
 * loads them in one transaction, and migrates them to this release.
 *
 * If something does not fit, it throws and leaves the database empty. If a migration fails after the load, the loaded
 * data stay, complete and in the state of the backup's release. `phial migrate` then continues from there.
 */
export async function restore(options: {
  ownerUrl: string;
  directory: string;
  migrationsDirectory: string;
  log: Logger;
  report?: ReportTables;
}): Promise<void> {
  const { ownerUrl, directory, migrationsDirectory, log } = options;
  const manifest = await readManifest(directory);
  await refuseOtherHistory(manifest, migrationsDirectory);
  for (const table of manifest.tables) await verifyFile(directory, table);
  log.info({ tables: manifest.tables.length }, 'backup verified');
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'phial restore' });
  client.on('error', () => undefined); // A lost connection fails the running query, which reports it.
  await client.connect();
  try {
    await refuseUsedDatabase(client, manifest);
    await migrate({ ownerUrl, directory: migrationsDirectory, upTo: manifest.migrations.at(-1) ?? '' });
    await loadInTransaction(client, directory, manifest, options);
    log.info({ tables: manifest.tables.length, rows: countRows(manifest.tables) }, 'all tables restored');
    // PostgreSQL has no statistics of the new rows. It would use plans for empty tables in the first hours.
    await client.query(`analyze ${manifest.tables.map((table) => inPublic(table.name)).join(', ')}`);
  } finally {
    await client.end();
  }
  await migrateOn(ownerUrl, migrationsDirectory, log);
}

/**
 * Throws unless the migrations of the backup are the first migrations of this program. With other migrations, this
 * program could not create the tables of the backup.
 */
async function refuseOtherHistory(manifest: Manifest, migrationsDirectory: string): Promise<void> {
  const files = await readMigrationFiles(migrationsDirectory);
  const checksums = manifest.migration_checksums ?? {};
  const known = manifest.migrations.map((name) => ({ name, checksum: checksums[name] ?? null }));
  const last = manifest.migrations.at(-1) ?? '';
  const between = files.flatMap(({ name }) => (name <= last && !manifest.migrations.includes(name) ? [name] : []));
  const differences = differencesOf(known, files);
  if (between.length > 0) differences.push(`It applies ${between.join(', ')} before ${last}, which the backup lacks.`);
  if (differences.length === 0) return;
  throw new Error(
    `The backup was made with other migrations than those of this program, Phial ${VERSION}. ` +
      `${differences.join(' ')} ` +
      `Nothing was restored. Restore it with the program that made it, Phial ${manifest.phial_version}, or ` +
      'with one whose ' +
      'migrations begin with the same files.',
  );
}

async function verifyFile(directory: string, { name, sha256 }: TableCopy): Promise<void> {
  const file = tablePath(directory, name);
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(file), hash);
  } catch (error) {
    throw damaged(file, error);
  }
  if (hash.digest('hex') !== sha256) throw damaged(file);
}

async function refuseUsedDatabase(client: pg.Client, manifest: Manifest): Promise<void> {
  for (const table of ['deployment', 'orgs']) {
    if (await anyRow(client, table)) {
      throw new Error(
        'This database is in use, and a restore would replace its data. Restore into a new database ' +
          '(DATABASE_URL), or, with the embedded server, into a new data directory (PHIAL_DATA_DIR).',
      );
    }
  }
  const { rows } = (await exists(client, 'migrations'))
    ? await client.query<{ name: string }>('select name from public.migrations order by name')
    : { rows: [] };
  const ahead = rows.map((row) => row.name).filter((name) => !manifest.migrations.includes(name));
  if (ahead.length > 0) {
    throw new Error(
      `This database already has migrations that the backup does not have (${ahead.join(', ')}). Restore ` +
        'into a new database: the restore migrates it itself.',
    );
  }
}

async function exists(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ known: boolean }>('select to_regclass($1) is not null as known', [
    inPublic(table),
  ]);
  return rows[0]?.known === true;
}

async function anyRow(client: pg.Client, table: string): Promise<boolean> {
  if (!(await exists(client, table))) return false;
  const { rowCount } = await client.query(`select from ${inPublic(table)} limit 1`);
  return rowCount === 1;
}

type Reporting = { log: Logger; report?: ReportTables };

async function loadInTransaction(
  client: pg.Client,
  directory: string,
  manifest: Manifest,
  reporting: Reporting,
): Promise<void> {
  await client.query('begin');
  try {
    await prepareForCopying(client);
    await load(client, directory, manifest, reporting);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function load(
  client: pg.Client,
  directory: string,
  manifest: Manifest,
  { log, report }: Reporting,
): Promise<void> {
  const names = manifest.tables.map((table) => table.name);
  const present = new Set((await findPublicTables(client)).map((table) => table.name));
  const missing = names.filter((name) => !present.has(name));
  if (missing.length > 0) {
    throw new Error(
      `The backup holds tables that no migration makes: ${missing.join(', ')}. Make them in the new database ` +
        'first, with the same columns.',
    );
  }
  const all = names.map(inPublic).join(', ');
  // A service that starts now waits for this lock. If a service has started earlier, the next check finds its rows.
  await client.query(`lock table ${all} in access exclusive mode`);
  await refuseUsedDatabase(client, manifest);
  const triggers = await findTriggers(client, names);
  // Our triggers check rows against the rules of this release. The rows of the backup may follow older rules, and we
  // load them unchanged.
  for (const { table, name } of triggers) await client.query(`alter table ${inPublic(table)} disable trigger ${name}`);
  // Migrations have inserted rows. We remove them, so that the database then has only the rows of the backup.
  await client.query(`truncate ${all}`);
  await makePartitions(client, manifest);
  let done = 0;
  for (const name of await inReferenceOrder(client, names)) {
    const table = manifest.tables.find((table) => table.name === name) as TableCopy;
    await loadTable(client, directory, table);
    if (table.rows > 0) log.debug({ table: name, rows: table.rows }, 'table restored');
    done += 1;
    report?.(done, names.length);
  }
  for (const { name, last_value } of manifest.sequences)
    await client.query('select setval($1::regclass, $2::bigint)', [inPublic(name), last_value]);
  for (const { table, name } of triggers) await client.query(`alter table ${inPublic(table)} enable trigger ${name}`);
}

/** Finds our own triggers, which would run during the load. PostgreSQL's triggers for foreign keys stay enabled. */
async function findTriggers(client: pg.Client, tables: string[]): Promise<{ table: string; name: string }[]> {
  const { rows } = await client.query<{ table: string; name: string }>(
    `
    select relname::text as table, quote_ident(tgname) as name from pg_trigger join pg_class on pg_class.oid = tgrelid
     where relnamespace = 'public'::regnamespace and relname = any ($1) and not tgisinternal and tgenabled = 'O'`,
    [tables],
  );
  return rows;
}

/**
 * Makes the partitions of the backup's days. A row without a partition would go to the default partition. Old rows
 * there can only be deleted one by one, while a partition can be dropped as a whole.
 */
async function makePartitions(client: pg.Client, manifest: Manifest): Promise<void> {
  const days = new Set(manifest.tables.flatMap((table) => table.days));
  await client.query('select public.ensure_partitions(day, day) from unnest($1::date[]) as day', [[...days]]);
}

async function loadTable(client: pg.Client, directory: string, { name, columns, rows }: TableCopy): Promise<void> {
  const into = client.query(
    copyFrom(`copy ${inPublic(name)} (${columns.map(pg.escapeIdentifier).join(', ')}) from stdin`),
  );
  try {
    await pipeline(createReadStream(tablePath(directory, name)), createGunzip(), into);
  } catch (error) {
    throw explain(name, error as pg.DatabaseError);
  }
  if (into.rowCount !== rows)
    throw new Error(`Table ${name} has ${into.rowCount} rows instead of ${rows}; nothing was restored.`);
}

/**
 * Returns the error for a failed load. For class 22 (data exception) it omits PostgreSQL's message, because that quotes
 * values, which may be personal.
 */
function explain(table: string, { code, message }: pg.DatabaseError): Error {
  return new Error(
    `Table ${table} could not be loaded, and nothing was restored: ` +
      `${code?.startsWith('22') ? `bad data (${code})` : message}.`,
  );
}

async function migrateOn(ownerUrl: string, directory: string, log: Logger): Promise<void> {
  try {
    const fresh = await migrate({ ownerUrl, directory });
    log.info({ migrations: fresh.length }, 'the restored database is at this release');
  } catch (error) {
    throw new Error(
      'The data of the backup are restored completely, but a later migration of this release failed. ' +
        `${(error as Error).message} Once the cause is gone, \`phial migrate\` continues from there. The ` +
        'release that made the backup can serve the database as it is.',
      { cause: error },
    );
  }
}
