import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Logger } from '../../log.ts';
import { VERSION } from '../../package-root.ts';
import {
  BACKUP_FORMAT,
  type Manifest,
  manifestPath,
  sealManifest,
  settleForCopying,
  type TableCopy,
  tablePath,
} from './format.ts';
import { findPublicTables, inPublic, type PublicTable } from './public-tables.ts';

// Events at level 6 took 1.4 times as long and 2 % less room; what is being copied is locked meanwhile.
const GZIP_LEVEL = 3;

/**
 * Copies every table of schema public, as it was at one moment, into a new directory; the service may go on meanwhile.
 *
 * The copy holds personal data and secrets, sealed as they are in the database: keep it as you keep that. It does not
 * hold the configuration, so PHIAL_LOOKUP_KEY and PHIAL_ENCRYPTION_KEYS have to be kept elsewhere. The job queue
 * (schema graphile_worker) is left out: simulations are taken up again from their own table, deleted users and teams are
 * found by their marks, and the rest recurs by the clock. Only a sandbox order whose autopilot was asked for at that very
 * moment stands still after a restore.
 *
 * Nothing is at `directory` until the copy is complete. Throws when something is there already.
 */
export async function backup(options: { ownerUrl: string; directory: string; log: Logger }): Promise<Manifest> {
  const directory = resolve(options.directory);
  await makeWayFor(directory);
  const partial = `${directory}.partial-${randomUUID().slice(0, 8)}`;
  await mkdir(partial, { mode: 0o700 });
  try {
    const manifest = await inSnapshot(options.ownerUrl, (client) => copyDatabase(client, partial, options.log));
    await writeFile(manifestPath(partial), sealManifest(manifest), { mode: 0o600, flush: true });
    await flushDirectory(partial);
    await rename(partial, directory);
    await flushDirectory(dirname(directory));
    return manifest;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/** An empty directory gives way at once, so that one which cannot (a mount point) is found out before the work. */
async function makeWayFor(directory: string): Promise<void> {
  await mkdir(dirname(directory), { recursive: true });
  await rmdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return;
    const reason = error.code === 'ENOTEMPTY' || error.code === 'EEXIST' ? 'it is not empty' : error.message;
    throw new Error(
      `The backup cannot be written to ${directory}: ${reason}. Name a directory that does not exist yet.`,
      { cause: error },
    );
  });
}

/** Runs `work` in a transaction that sees the database at one moment, while no migration can change its tables. */
async function inSnapshot<T>(ownerUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'phial backup' });
  client.on('error', () => undefined); // a lost connection fails the query that is under way
  await client.connect();
  try {
    const { rows } = await client.query<{ known: boolean }>(
      `select to_regclass('public.migrations') is not null as known`,
    );
    if (!rows[0]?.known) throw new Error('There is nothing to back up: this database has no tables of Phial.');
    await client.query('begin transaction isolation level repeatable read, read only');
    await settleForCopying(client);
    // A migration's first step is its row here. The lock comes before the first query, which sets the moment seen.
    await client.query('lock table public.migrations in share mode');
    return await work(client);
  } finally {
    await client.end();
  }
}

async function copyDatabase(client: pg.Client, directory: string, log: Logger): Promise<Manifest> {
  const {
    rows: [about],
  } = await client.query<{ created_at: Date; server_version: string; migrations: string[] }>(`
    select now() as created_at, current_setting('server_version') as server_version,
           array(select name from public.migrations order by name) as migrations`);
  const migration_checksums = await readChecksums(client);
  if (!about) throw new Error('The server gave no answer.');
  const tables: TableCopy[] = [];
  for (const table of byLockWeight(await findPublicTables(client)))
    tables.push(await copyTable(client, directory, table, log));
  const { rows: sequences } = await client.query<Manifest['sequences'][number]>(`
    select sequencename::text as name, last_value::text from pg_sequences
     where schemaname = 'public' and last_value is not null order by sequencename`);
  return {
    format: BACKUP_FORMAT,
    phial_version: VERSION,
    created_at: about.created_at.toISOString(),
    server_version: about.server_version,
    migrations: about.migrations,
    migration_checksums,
    tables,
    sequences,
  };
}

/** Of a database that no program has opened that keeps checksums there are none. */
async function readChecksums(client: pg.Client): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; checksum: string | null }>(
    `select name, to_jsonb(migrations) ->> 'checksum' as checksum from public.migrations order by name`,
  );
  return Object.fromEntries(rows.flatMap(({ name, checksum }) => (checksum === null ? [] : [[name, checksum]])));
}

/**
 * Partitioned tables come last: from its copy on, a table stays locked until the end, and that keeps the service from
 * making and dropping partitions.
 */
const byLockWeight = (tables: PublicTable[]): PublicTable[] => tables.toSorted((a, b) => a.days.length - b.days.length);

async function copyTable(client: pg.Client, directory: string, table: PublicTable, log: Logger): Promise<TableCopy> {
  const { name, columns, key, days } = table;
  const order = key.length > 0 ? ` order by ${key.map(pg.escapeIdentifier).join(', ')}` : '';
  const rows = client.query(
    copyTo(`copy (select ${columns.map(pg.escapeIdentifier).join(', ')} from ${inPublic(name)}${order}) to stdout`),
  );
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(
    rows,
    createGzip({ level: GZIP_LEVEL }),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(tablePath(directory, name), { flags: 'wx', mode: 0o600, flush: true }),
  );
  await client.query('select 1'); // the row count arrives after the data; this waits for it, and fails if the copy did
  log.info({ table: name, rows: rows.rowCount }, 'table copied');
  return { name, columns, rows: rows.rowCount, bytes, sha256: hash.digest('hex'), days };
}

/** Makes names durable; Windows knows no such thing. */
async function flushDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
