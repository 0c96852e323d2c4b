import pg from 'pg';
import { findPublicTables, inPublic } from '../db/backup/public-tables.ts';
import type { Cipher } from './cipher.ts';
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts';
import { GONE_AFTER_SECONDS, LIVE_PROCESSES, type LiveProcess } from './processes.ts';

type Options = {
  ownerUrl: string;
  /** The cipher. It encrypts under the newest encryption key, and decrypts values under every older one. */
  cipher: Cipher;
  /** Called after each batch, with the number of rows of the table that we have sealed again so far. */
  report: (table: string, rows: number) => void;
  /** Rows per transaction. The largest sealed value is an event of 256 KiB. */
  batch?: number;
};

type Table = { name: string; key: { name: string; type: string }[]; columns: SealedColumn[] };

const LOCK = `hashtext('phial rotate-keys')`;
/**
 * The most passes over a table. Rows may change during a pass, so the next pass checks them again. The running service
 * encrypts what it writes under the newest key, so few passes are enough.
 */
const MAX_PASSES = 20;

/**
 * Encrypts all values again that are not under the newest encryption key. The service can run meanwhile. Each batch is
 * a transaction. It replaces a value only if the value has not changed since the batch read it, so no write of the
 * service is lost. You can stop it and run it again at any time. When no value is left under older keys, it removes
 * their versions from the table of keys. Returns the number of rows that it replaced, by table.
 */
export async function rotateKeys({ ownerUrl, cipher, report, batch = 100 }: Options): Promise<Map<string, number>> {
  const client = new pg.Client({
    connectionString: ownerUrl,
    application_name: 'phial rotate-keys',
    // This connection reads entire tables, so it needs longer timeouts than a request.
    options: '-c phial.across=on -c statement_timeout=3600000 -c lock_timeout=60000',
  });
  client.on('error', () => undefined); // A lost connection fails the running query, which reports it.
  await client.connect();
  try {
    const { rows } = await client.query<{ free: boolean }>(`select pg_try_advisory_lock(${LOCK}) as free`);
    if (!rows[0]?.free) throw new Error('Another rotate-keys is running on this database.');
    await refuseUnfitProcesses(client, cipher);
    const done = new Map<string, number>();
    const tables = await findTables(client);
    for (let pass = 1; await anyStale(client, tables, cipher); pass++) {
      if (pass > MAX_PASSES) {
        throw new Error(
          'Values under an older key keep appearing: a process of the service still seals with it. Give ' +
            'every process the same PHIAL_ENCRYPTION_KEYS, the newest first, then run rotate-keys again.',
        );
      }
      for (const table of tables) {
        await resealTable(client, table, { cipher, batch }, (rows) => {
          done.set(table.name, (done.get(table.name) ?? 0) + rows);
          report(table.name, done.get(table.name) as number);
        });
      }
    }
    // We check again, because a process that started meanwhile may need an older key.
    await refuseUnfitProcesses(client, cipher);
    await client.query('delete from encryption_keys where version <> $1', [cipher.sealing]);
    return done;
  } finally {
    await client.end();
  }
}

/** Throws unless every running process can decrypt the new values and encrypts with the same key. */
async function refuseUnfitProcesses(client: pg.Client, { sealing }: Cipher): Promise<void> {
  const { rows } = await client.query<LiveProcess>(LIVE_PROCESSES);
  const lacking = rows.filter(({ key_versions }) => !key_versions.includes(sealing));
  const behind = rows.filter((row) => !lacking.includes(row) && row.sealing_version !== sealing);
  if (lacking.length === 0 && behind.length === 0) return;
  const reasons = [
    ...lacking.map((row) => `${nameOfProcess(row)} does not have encryption key version ${sealing}`),
    ...behind.map((row) => `${nameOfProcess(row)} still seals with version ${row.sealing_version}`),
  ];
  throw new Error(
    `Older keys are still needed: ${reasons.join('; ')}. Give every process version ${sealing} as the second ` +
      'of its keys, then as the first, each time with a restart, and run rotate-keys again. A killed process ' +
      `counts for ${GONE_AFTER_SECONDS} seconds.`,
  );
}

const nameOfProcess = ({ role, host, pid, seconds }: LiveProcess): string =>
  `${role} on ${host} (pid ${pid}, seen ${seconds} s ago)`;

/** Finds the tables of sealed-columns.ts, with their primary keys. */
async function findTables(client: pg.Client): Promise<Table[]> {
  const columns = Object.keys(SEALED_COLUMNS) as SealedColumn[];
  const publicTables = await findPublicTables(client);
  const tables: Table[] = [];
  for (const name of new Set(columns.map((column) => column.split('.')[0] as string))) {
    const { rows } = await client.query<{ name: string; type: string }>(
      `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
        where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
      [`public.${name}`],
    );
    const key = publicTables.find((table) => table.name === name)?.key ?? [];
    tables.push({
      name,
      key: key.map((column) => rows.find((row) => row.name === column) as Table['key'][number]),
      columns: columns.filter((column) => rows.some((row) => `${name}.${row.name}` === column && row.type === 'bytea')),
    });
  }
  return tables.filter((table) => table.columns.length > 0);
}

const nameOf = (column: SealedColumn): string => pg.escapeIdentifier(column.split('.')[1] as string);

/**
 * Returns an SQL condition for rows with a value that is sealed under another key than `sealing`. The first byte of a
 * value is the version of its key.
 */
const stale = ({ columns }: Table, sealing: number): string =>
  `(${columns.map((column) => `get_byte(${nameOf(column)}, 0) <> ${sealing}`).join(' or ')})`;

async function anyStale(client: pg.Client, tables: Table[], { sealing }: Cipher): Promise<boolean> {
  for (const table of tables) {
    const { rowCount } = await client.query(
      `select from ${inPublic(table.name)} where ${stale(table, sealing)} limit 1`,
    );
    if (rowCount !== 0) return true;
  }
  return false;
}

/** Seals the values of a table again, in the order of its primary key, in one pass. */
async function resealTable(
  client: pg.Client,
  table: Table,
  { cipher, batch }: { cipher: Cipher; batch: number },
  onBatch: (rows: number) => void,
): Promise<void> {
  const keys = table.key.map(({ name }) => pg.escapeIdentifier(name));
  const { row, team } = SEALED_COLUMNS[table.columns[0] as SealedColumn];
  const after = `(${keys.join(', ')}) > (${table.key.map(({ type }, i) => `$${i + 1}::${type}`).join(', ')})`;
  const read = (isFirst: boolean): string => `
    select ${keys.map((key, i) => `${key}::text as key_${i}`).join(', ')}, ${pg.escapeIdentifier(team)} as team_id,
           ${row.map((column) => `${pg.escapeIdentifier(column)}::text`).join(` || '/' || `)} as id,
           ${table.columns.map((column, i) => `${nameOf(column)} as sealed_${i}`).join(', ')}
      from ${inPublic(table.name)} where ${stale(table, cipher.sealing)} ${isFirst ? '' : `and ${after}`}
     order by ${keys.join(', ')} limit ${batch}`;
  let last: string[] = [];
  for (;;) {
    const { rows } = await client.query<Record<string, unknown> & { team_id: string; id: string }>(
      read(last.length === 0),
      last,
    );
    if (rows.length === 0) return;
    onBatch(await replace(client, table, cipher, rows));
    last = keys.map((_, i) => rows.at(-1)?.[`key_${i}`] as string);
  }
}

/**
 * Replaces the values of one batch, in rows whose values did not change since they were read. Returns the number of
 * replaced rows.
 */
async function replace(
  client: pg.Client,
  table: Table,
  cipher: Cipher,
  rows: (Record<string, unknown> & { team_id: string; id: string })[],
): Promise<number> {
  const arrays: { values: unknown[]; type: string; name: string }[] = table.key.map(({ type }, i) => ({
    values: rows.map((row) => row[`key_${i}`]),
    type,
    name: `key_${i}`,
  }));
  for (const [i, column] of table.columns.entries()) {
    const old = rows.map((row) => row[`sealed_${i}`] as Buffer | null);
    const fresh = old.map(
      (sealed, n) => sealed && (cipher.reseal(column, rows[n] as (typeof rows)[0], sealed) ?? sealed),
    );
    arrays.push({ values: old, type: 'bytea', name: `old_${i}` }, { values: fresh, type: 'bytea', name: `fresh_${i}` });
  }
  const unchanged = table.columns.map((column, i) => `stored.${nameOf(column)} is not distinct from read.old_${i}`);
  const { rowCount } = await client.query(
    `update ${inPublic(table.name)} as stored
        set ${table.columns.map((column, i) => `${nameOf(column)} = read.fresh_${i}`).join(', ')}
       from unnest(${arrays.map(({ type }, i) => `$${i + 1}::${type}[]`).join(', ')})
         as read (${arrays.map(({ name }) => name).join(', ')})
      where ${table.key.map(({ name }, i) => `stored.${pg.escapeIdentifier(name)} = read.key_${i}`).join(' and ')}
        and ${unchanged.join(' and ')}`,
    arrays.map(({ values }) => values),
  );
  return rowCount ?? 0;
}
