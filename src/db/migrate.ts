import pg from 'pg';
import { VERSION } from '../package-root.ts';
import { differencesOf, readMigrationFiles, type KnownMigration, type MigrationFile } from './migration-files.ts';
import { grantWorkerSchema } from './worker-schema.ts';

type MigrateOptions = {
  ownerUrl: string;
  directory: string;
  /** The name of the last migration to apply. Default: the last one of the directory. */
  upTo?: string;
  /** Called before each migration that the database lacks. `done` is how many of the `total` are applied. */
  report?: (name: string, done: number, total: number) => void;
};

/** Applies the migration files in order, each once and in a separate transaction. There are no down migrations. */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const files = await readMigrationFiles(options.directory);
  const wanted = files.filter(({ name }) => options.upTo === undefined || name <= options.upTo);
  const client = new pg.Client({ connectionString: options.ownerUrl, application_name: 'phial migrate' });
  client.on('error', () => undefined); // A lost connection fails the running query, which reports it.
  await client.connect();
  try {
    await refuseOldServer(client);
    const known = await findApplied(client);
    refuseOtherHistory(known, files);
    await storeChecksums(client, known, files);
    const done = new Set(known.map(({ name }) => name));
    const fresh: string[] = [];
    const lacking = wanted.filter(({ name }) => !done.has(name));
    for (const [at, file] of lacking.entries()) {
      options.report?.(file.name, at, lacking.length);
      if (await apply(client, file)) fresh.push(file.name);
    }
    await grantWorkerSchema(client, options.ownerUrl);
    await noteCluster(client);
    return fresh;
  } finally {
    await client.end();
  }
}

/**
 * Begins a new epoch if the database is on another server than before, for example after a restore. Another server
 * counts transaction ids differently. So we compare transaction ids only within an epoch.
 */
async function noteCluster(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ known: boolean }>(
    `select to_regproc('public.note_cluster') is not null as known`,
  );
  // The database function is missing while a restore has applied only the migrations of an old backup.
  if (rows[0]?.known) await client.query('select public.note_cluster()');
}

async function findApplied(client: pg.Client): Promise<KnownMigration[]> {
  await client.query(`
    do $$ begin
      if to_regclass('public.migrations') is null then
        create table public.migrations
          (name text primary key, applied_at timestamptz not null default now(), checksum text);
      end if;
      -- A database of release 0.1.0 has no checksums. We check first, because the change would wait for a running
      -- backup.
      if not exists (
        select from pg_attribute where attrelid = 'public.migrations'::regclass and attname = 'checksum'
      ) then
        alter table public.migrations add column checksum text;
      end if;
    exception when duplicate_table or duplicate_column or unique_violation then null; -- another process was faster
    end $$`);
  const { rows } = await client.query<KnownMigration>('select name, checksum from public.migrations order by name');
  return rows;
}

/** Stores the checksums of this program's files for migrations that have none. */
async function storeChecksums(client: pg.Client, known: KnownMigration[], files: MigrationFile[]): Promise<void> {
  const missing = new Set(known.flatMap(({ name, checksum }) => (checksum === null ? [name] : [])));
  if (missing.size === 0) return;
  const unchecked = files.filter(({ name }) => missing.has(name));
  await client.query(
    `update public.migrations set checksum = known.checksum
       from unnest($1::text[], $2::text[]) as known (name, checksum) where migrations.name = known.name`,
    [unchecked.map(({ name }) => name), unchecked.map(({ checksum }) => checksum)],
  );
}

/**
 * Applies a migration unless it was applied before. It inserts the migration's row first. A second process waits for
 * this row, because of the primary key, and then finds that the migration was applied.
 */
async function apply(client: pg.Client, { name, sql, checksum }: MigrationFile): Promise<boolean> {
  await client.query('begin');
  try {
    const inserted = await client.query(
      'insert into public.migrations (name, checksum) values ($1, $2) on conflict do nothing',
      [name, checksum],
    );
    if (inserted.rowCount === 1) await client.query(sql);
    await client.query('commit');
    return inserted.rowCount === 1;
  } catch (error) {
    await client.query('rollback');
    const { message, hint } = error as pg.DatabaseError;
    throw new Error(`Migration ${name} failed: ${message}${hint ? `. ${hint}` : ''}`, { cause: error });
  }
}

async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: number }>(
    `select current_setting('server_version_num')::int as number`,
  );
  const major = Math.floor((rows[0]?.number ?? 0) / 10_000);
  if (major < 15) throw new Error(`Phial needs PostgreSQL 15 or newer, but this server is ${major}.`);
}

function refuseOtherHistory(known: KnownMigration[], files: MigrationFile[]): void {
  const differences = differencesOf(known, files);
  if (differences.length === 0) return;
  throw new Error(
    `This database was made by other migrations than those of this program, Phial ${VERSION}. ` +
      `${differences.join(' ')} Nothing was changed. Start the program that this database was last migrated by, ` +
      'or one whose migrations begin with the same files; or restore a backup that this program can read into an ' +
      'empty database.',
  );
}
