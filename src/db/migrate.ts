import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { grantWorkerSchema } from './worker-schema.ts';

/** Files in order, each applied once in a transaction of its own, forward only. */
export async function migrate(options: { ownerUrl: string; directory: string; upTo?: string }): Promise<string[]> {
  const files = (await readdir(options.directory)).filter((file) => /^\d{4}_[a-z0-9_]+\.sql$/.test(file)).sort();
  const wanted = files.filter((file) => options.upTo === undefined || file <= options.upTo);
  const client = new pg.Client({ connectionString: options.ownerUrl, application_name: 'phial migrate' });
  client.on('error', () => undefined); // a lost connection fails the query that is under way
  await client.connect();
  try {
    await refuseOldServer(client);
    const done = await applied(client);
    await refuseNewerDatabase(done, files);
    const fresh: string[] = [];
    for (const file of wanted) {
      if (done.has(file)) continue;
      const sql = await readFile(`${options.directory}/${file}`, 'utf8');
      if (await apply(client, file, sql)) fresh.push(file);
    }
    await grantWorkerSchema(client, options.ownerUrl);
    await noteCluster(client);
    return fresh;
  } finally {
    await client.end();
  }
}

/** On another server, or another timeline of it, ids of transactions count from elsewhere: an epoch of positions begins. */
async function noteCluster(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ known: boolean }>(
    `select to_regproc('public.note_cluster') is not null as known`,
  );
  // A database of an older release, to which a backup is restored.
  if (rows[0]?.known) await client.query('select public.note_cluster()');
}

async function applied(client: pg.Client): Promise<Set<string>> {
  await client.query(`
    do $$ begin
      if to_regclass('public.migrations') is null then
        create table public.migrations (name text primary key, applied_at timestamptz not null default now());
      end if;
    exception when duplicate_table or unique_violation then null; -- another process was faster
    end $$`);
  const { rows } = await client.query<{ name: string }>('select name from public.migrations');
  return new Set(rows.map((row) => row.name));
}

/** The row goes in first: a second process waits for it at the primary key, then sees that the work is done. */
async function apply(client: pg.Client, name: string, sql: string): Promise<boolean> {
  await client.query('begin');
  try {
    const inserted = await client.query('insert into public.migrations (name) values ($1) on conflict do nothing', [
      name,
    ]);
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

async function refuseNewerDatabase(done: Set<string>, files: string[]): Promise<void> {
  const unknown = [...done].filter((name) => !files.includes(name)).sort();
  if (unknown.length > 0) {
    throw new Error(
      `The database was migrated by a newer release (${unknown.join(', ')}); start that release, or restore a backup.`,
    );
  }
}
