// Every release's database, as `test/releases/make` stored it, works with this program.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readManifest } from '../src/db/backup/backup-format.ts';
import { restore } from '../src/db/backup/restore.ts';
import { migrate } from '../src/db/migrate.ts';
import { readMigrationFiles } from '../src/db/migration-files.ts';
import { MIGRATIONS } from '../src/db/database-server.ts';
import { openLog } from '../src/log.ts';
import { createTeamKey } from '../src/tenancy/keys/create-team-key.ts';
import { apiOf, startTestApp, type Api, type TestApp } from './test-app.ts';
import { orderKit, readOrder, simulate } from './factories.ts';
import { cloneDatabase, databaseUrl, dropDatabase, query } from './global-setup.ts';

const FOLDER = 'test/releases';
const releases = readdirSync(FOLDER).flatMap((file) => /^(v.*)\.sql\.gz$/.exec(file)?.[1] ?? []);

/** The data that `make` gives the release. */
const KEYS = {
  PHIAL_LOOKUP_KEY: Buffer.alloc(32, 7).toString('base64'),
  PHIAL_ENCRYPTION_KEYS: `1:${Buffer.alloc(32, 8).toString('base64')}`,
};

const made: string[] = [];
const folder = mkdtempSync(join(tmpdir(), 'phial-releases-'));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  for (const name of made) await dropDatabase(inject('serverUrl'), name);
});

async function makeDatabase(): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await cloneDatabase(inject('serverUrl'), name, 'template1');
  made.push(name);
  return databaseUrl(inject('serverUrl'), name);
}

/**
 * The objects that migrations make, a line each: columns, indexes, constraints, policies, triggers, rights and
 * functions.
 */
async function schemaOf(url: string): Promise<string[]> {
  const rows = await query<{ line: string }>(
    url,
    `
    with tables as (
      select oid, relname from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v') and not relispartition
    )
    select concat_ws(' ', relname, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated,
                     pg_get_expr(adbin, adrelid)) as line
      from tables join pg_attribute on attrelid = tables.oid and attnum > 0 and not attisdropped
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
    union all select pg_get_indexdef(indexrelid) from tables join pg_index on indrelid = tables.oid
    union all select concat_ws(' ', relname, conname, pg_get_constraintdef(pg_constraint.oid))
      from tables join pg_constraint on conrelid = tables.oid where contype <> 'n'
    union all select concat_ws(' ', relname, polname, polcmd, pg_get_expr(polqual, polrelid),
                               pg_get_expr(polwithcheck, polrelid))
      from tables join pg_policy on polrelid = tables.oid
    union all select pg_get_triggerdef(pg_trigger.oid)
      from tables join pg_trigger on tgrelid = tables.oid and not tgisinternal
    union all select concat_ws(' ', relname, privilege_type, is_grantable)
      from tables cross join lateral aclexplode((select relacl from pg_class where pg_class.oid = tables.oid)) as acl
     where grantee = 'phial_app'::regrole
    union all select pg_get_functiondef(oid) from pg_proc
     where pronamespace = 'public'::regnamespace and prokind = 'f' and proname <> 'event_epoch'
    order by 1`,
  );
  return rows.map(({ line }) => line.replaceAll(/\s+/g, ' '));
}

/** Rows by table with their hash, of the tables of the release, without the rows that every start or restore writes. */
async function contentsOf(url: string, { tables }: Awaited<ReturnType<typeof readManifest>>): Promise<string[]> {
  const here = await query<{ name: string; columns: string[] }>(
    url,
    `select relname as name, array_agg(attname::text order by attnum) as columns
       from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname not in ('migrations', 'event_epochs')
      group by relname`,
  );
  const each = here.flatMap(({ name, columns }) => {
    const had = tables.find((table) => table.name === name)?.columns.filter((column) => columns.includes(column)) ?? [];
    if (had.length === 0) return [];
    const row = `row(${had.map((column) => `"${column}"`).join(', ')})::text`;
    return [
      `select concat_ws(' ', '${name}', count(*), md5(string_agg(${row}, chr(10) order by ${row} collate "C"))) as line
         from "${name}"`,
    ];
  });
  return (await query<{ line: string }>(url, each.join(' union all '))).map(({ line }) => line).sort();
}

test('the database of the last tagged release is stored', () => {
  const [, last] = /^## \S+, tag `(.+)`$/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? [];
  expect(releases).toContain(last);
});

describe.each(releases)('a database of %s', (release) => {
  let url: string;
  let fresh: string[];
  let app: TestApp;
  let api: Api;
  beforeAll(async () => {
    url = await makeDatabase();
    const text = gunzipSync(readFileSync(join(FOLDER, `${release}.sql.gz`))).toString();
    await query(url, text);
    fresh = await migrate({ ownerUrl: url, directory: MIGRATIONS });
    app = await startTestApp(KEYS, { databaseUrl: url });
    const [team] = await query<{ id: string; org_id: string }>(
      url,
      `select id, org_id from teams where id = (select team_id from orders limit 1)`,
    );
    const key = await createTeamKey(app.ctx, { team_id: (team as { id: string }).id, label: 'after the upgrade' });
    api = apiOf(app.baseUrl, key.value, app.team.management_key);
  });
  afterAll(() => app?.close());

  test('runs every later migration, and no other', async () => {
    const manifest = await backupOf(release);
    const files = (await readMigrationFiles(MIGRATIONS)).map(({ name }) => name);
    expect(fresh).toEqual(files.filter((name) => !manifest.migrations.includes(name)));
    expect(files.slice(0, manifest.migrations.length)).toEqual(manifest.migrations);
  });

  test('ends with the same schema as a new one', async () => {
    expect(await schemaOf(url)).toEqual(await schemaOf(databaseUrl(inject('serverUrl'), inject('template'))));
  });

  test('still opens the sealed site of an appointment, whose column has another name since', async () => {
    const appointments = await query<{ order_id: string; type: string }>(
      url,
      'select order_id, type from appointments',
    );
    for (const { order_id, type } of appointments) {
      const kind = type === 'phlebotomy' ? 'phlebotomy' : 'psc';
      const { status, body } = await api<{ address: { zip_code: string } }>(
        'GET',
        `/v3/order/${order_id}/${kind}/appointment`,
      );
      expect([status, body.address.zip_code]).toEqual([200, expect.stringMatching(/^\d{5}/)]);
    }
    expect(appointments.length).toBeGreaterThan(0);
  });

  test('still returns its orders with their results, its samples and its events', async () => {
    const { orders } = (await api<{ orders: { id: string; status: string }[] }>('GET', '/v3/orders')).body;
    expect(orders.map(({ status }) => status)).toEqual(['completed', 'completed']);
    for (const { id } of orders) {
      const results = await api<{ results: unknown[] }>('GET', `/v3/order/${id}/result`);
      expect([results.status, results.body.results.length > 0]).toEqual([200, true]);
    }
    const { users } = (await api<{ users: { user_id: string }[] }>('GET', '/v2/user')).body;
    const path = `/v2/timeseries/${users[0]?.user_id}/glucose/grouped?start_date=2026-01-01&end_date=2026-12-31`;
    const glucose = await api<{ groups: Record<string, { data: unknown[] }[]> }>('GET', path);
    expect(Object.values(glucose.body.groups)[0]?.[0]?.data.length).toBeGreaterThan(100);
    const feed = await api<{ data: { event_type: string; body: unknown }[] }>('GET', '/v2/events?limit=250');
    expect(feed.body.data.map(({ event_type }) => event_type)).toContain('labtest.result.critical');
    expect(feed.body.data.every(({ body }) => body !== null)).toBe(true);
  });

  test('accepts new orders', async () => {
    const order = await orderKit({ ...app.team, api });
    await simulate({ ...app.team, api }, order.id);
    expect((await readOrder({ ...app.team, api }, order.id)).events.length).toBeGreaterThan(2);
  });
});

describe.each(releases)('a backup of %s', (release) => {
  test('is restored row for row, like its migrated database', async () => {
    const target = await makeDatabase();
    const manifest = await backupOf(release);
    const log = openLog('silent');
    await restore({ ownerUrl: target, directory: join(folder, release), migrationsDirectory: MIGRATIONS, log });
    const migrated = await makeDatabase();
    await query(migrated, gunzipSync(readFileSync(join(FOLDER, `${release}.sql.gz`))).toString());
    await migrate({ ownerUrl: migrated, directory: MIGRATIONS });
    const restored = await contentsOf(target, manifest);
    expect(restored.length).toBeGreaterThan(100);
    expect(restored).toEqual(await contentsOf(migrated, manifest));
    expect(await schemaOf(target)).toEqual(await schemaOf(migrated));
  });
});

/** Unpacked once a run. */
async function backupOf(release: string): ReturnType<typeof readManifest> {
  const directory = join(folder, release);
  mkdirSync(directory, { recursive: true });
  execFileSync('tar', ['-xzf', join(FOLDER, `${release}.backup.tar.gz`), '-C', directory]);
  return readManifest(directory);
}
