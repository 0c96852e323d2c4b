import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser, orderKit, readOrder, simulate } from '../../../test/factories.ts';
import { byMllp, connectTestLaboratory } from '../../../test/hl7-deployment.ts';
import { fill } from '../../../test/fill-tables.ts';
import { cloneDatabase, databaseUrl, dropDatabase, query } from '../../../test/global-setup.ts';
import { untilBlocked } from '../../../test/until-blocked.ts';
import { openLog } from '../../log.ts';
import { backup } from './backup.ts';
import { countRows, type Manifest, manifestPath, readManifest, sealManifest, tablePath } from './backup-format.ts';
import { migrate } from '../migrate.ts';
import { restore } from './restore.ts';

const MIGRATIONS = 'migrations';
const log = pino({ level: 'silent' });
const made: string[] = [];
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phial-backup-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  for (const name of made.splice(0)) await dropDatabase(inject('serverUrl'), name);
});

const urlOf = (name: string): string => databaseUrl(inject('serverUrl'), name);

async function copyDatabase(template: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await cloneDatabase(inject('serverUrl'), name, template);
  return name;
}

/** A database without tables, or a copy of another, for one test. */
async function makeDatabase(template = 'template1'): Promise<string> {
  const name = await copyDatabase(template);
  made.push(name);
  return urlOf(name);
}

/** An empty database with the tables of this release. A restore into it need not migrate. */
const makeMigrated = (): Promise<string> => makeDatabase(inject('template'));

async function ask<R>(url: string, text: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows as R[];
  } finally {
    await client.end();
  }
}

/**
 * Returns one line for each table: its name, its number of rows and a hash of the rows. It ignores `last_used_at` of
 * keys, because a running service updates it.
 */
async function contents(url: string): Promise<string[]> {
  const tables = await ask<{ name: string }>(
    url,
    `
    select c.relname as name from pg_class c
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  const each = tables.map(
    ({ name }) => `
    select '${name} ' || count(*) || ' ' || coalesce(md5(string_agg(t::text, chr(10) order by t::text collate "C")),
      '') as line from ${rowsOf(name)} t`,
  );
  return (await ask<{ line: string }>(url, each.join(' union all '))).map((row) => row.line).sort();
}

const rowsOf = (table: string): string =>
  table === 'team_api_keys' ? "(select to_jsonb(k) - 'last_used_at' from team_api_keys k)" : `"${table}"`;

/** Makes a migrations directory of an invented next release: the files of this release and one more. */
async function nextRelease(sql: string): Promise<string> {
  const directory = join(folder, 'next-migrations');
  await cp(MIGRATIONS, directory, { recursive: true });
  await writeFile(join(directory, '9999_next.sql'), sql);
  return directory;
}

const into = (url: string, directory: string, migrationsDirectory = MIGRATIONS): Promise<void> =>
  restore({ ownerUrl: url, directory, migrationsDirectory, log });

describe('the backup of a full database', () => {
  let app: TestApp;
  let saved: string;
  let contentsSaved: string[];
  /** The name of the database that the backup was restored into. Before, it had no tables. */
  let restored: string;
  beforeAll(async () => {
    app = await startTestApp();
    await fill(app, app.team);
    await connectTestLaboratory(app.databaseUrl, { orders: byMllp(1) });
    await app.flushAudit();
    contentsSaved = await contents(app.databaseUrl);
    saved = join(await mkdtemp(join(tmpdir(), 'phial-backup-')), 'saved');
    await backup({ ownerUrl: app.databaseUrl, directory: saved, log });
    restored = await copyDatabase('template1');
    await into(urlOf(restored), saved);
  });
  afterAll(async () => {
    await rm(dirname(saved), { recursive: true });
    await app.close();
    await dropDatabase(inject('serverUrl'), restored);
  });

  const save = async (name = 'copy'): Promise<string> => {
    const directory = join(folder, name);
    await backup({ ownerUrl: app.databaseUrl, directory, log });
    return directory;
  };
  /** Copies the backup that was made before the tests. This is faster than a new backup. */
  const savedBefore = async (): Promise<string> => {
    await cp(saved, join(folder, 'copy'), { recursive: true });
    return join(folder, 'copy');
  };

  test('restores every row of every table', async () => {
    // Some tables stay empty here. Rate limits are off by default, no process serves the tests, nothing is on its way
    // to a laboratory, no scheduler is connected, no provider has asked us to wait, and no provider can reach a
    // deployment without https.
    expect(contentsSaved.filter((line) => line.endsWith(' 0 '))).toEqual(
      [
        'application_subscriptions',
        'laboratory_senders',
        'processes',
        'provider_waits',
        'rate_limits',
        'scheduler_connections',
      ].map((table) => `${table} 0 `),
    );
    expect(await contents(urlOf(restored))).toEqual(contentsSaved);
  });

  test('restores a database that works: the same keys open it, and waiting work continues', async () => {
    const target = await makeDatabase(restored);
    const waiting = await ask<{ count: string }>(target, 'select count(*) from deliveries');
    expect(Number(waiting[0]?.count)).toBeGreaterThan(0);
    const service = await startTestApp({}, { databaseUrl: target });
    const response = await service.api<{ users: { user_id: string }[] }>('GET', '/v2/user', undefined, {
      key: app.team.api_key,
    });
    expect([response.status, response.body.users.length > 0]).toEqual([200, true]);
    const order = await orderKit(service.team);
    await simulate(service.team, order.id);
    expect((await readOrder(service.team, order.id)).events.length).toBeGreaterThan(2);
    await service.close();
  });

  test('restores the rows of each day into the partition of the day, and keeps the rules in force', async () => {
    const target = urlOf(restored);
    const spread = `select tableoid::regclass::text as part, count(*)::int from events group by 1 order by 1`;
    expect(await ask(target, spread)).toEqual(await ask(app.databaseUrl, spread));
    expect(await ask<{ part: string }>(target, spread)).toContainEqual({ part: 'events_20250102', count: 1 });
    await expect(
      query(
        target,
        `
      insert into order_events (user_id, order_id, team_id, id, status)
      select user_id, id, team_id, last_event_id + 1, 'received.testkit.ordered' from orders limit 1`,
      ),
    ).rejects.toThrow(/may not follow/);
  });

  test('consists of files that only their owner can read, and a manifest that describes them', async () => {
    const directory = await save();
    const manifest = await readManifest(directory);
    expect(manifest).toEqual(
      expect.objectContaining({
        format: 1,
        phial_version: expect.stringMatching(/^\d/),
        created_at: expect.stringMatching(/Z$/),
        server_version: expect.stringMatching(/^1[5-9]/),
        migrations: (await readdir(MIGRATIONS)).sort(),
      }),
    );
    for (const { name, rows, bytes } of manifest.tables) {
      expect([
        name,
        gunzipSync(await readFile(tablePath(directory, name)))
          .toString()
          .split('\n').length - 1,
      ]).toEqual([name, rows]);
      expect((await stat(tablePath(directory, name))).size).toBe(bytes);
    }
    expect(manifest.tables.find((table) => table.name === 'events')?.days[0]).toBe('2025-01-02');
    expect(manifest.tables.find((table) => table.name === 'orders')?.days).toEqual([]);
    expect(await readdir(folder)).toEqual(['copy']);
    expect((await readdir(directory)).sort()).toEqual(
      ['manifest.json', ...manifest.tables.map((table) => `${table.name}.copy.gz`)].sort(),
    );
    const modes = await Promise.all(
      ['.', ...(await readdir(directory))].map(async (file) => (await stat(join(directory, file))).mode & 0o777),
    );
    expect(modes).toEqual([0o700, ...Array(modes.length - 1).fill(0o600)]);
  });

  test('does not overwrite existing files', async () => {
    const directory = await save();
    const before = await readFile(manifestPath(directory), 'utf8');
    await expect(save()).rejects.toThrow(/not empty/);
    expect(await readFile(manifestPath(directory), 'utf8')).toBe(before);
    expect(await readdir(folder)).toEqual(['copy']);
  });

  test('holds the database as of one moment, while orders are added', async () => {
    let writing = true;
    const written: string[] = [];
    const writer = async (): Promise<void> => {
      const { user_id } = await makeUser(app.team);
      // With pauses, because more orders would show no more.
      for (; writing; await wait(100)) written.push((await orderKit(app.team, user_id)).id);
    };
    const writers = [writer(), writer()];
    while (written.length < 4) await wait(5);
    const first = written.length;
    const directory = await save();
    const last = written.length;
    writing = false;
    await Promise.all(writers);
    const target = await makeMigrated();
    await into(target, directory);
    const torn = await ask(
      target,
      `
      select * from (
        select user_id, sum(last_event_id)::int as last,
               (select count(*)::int from order_events e where e.user_id = o.user_id) as steps,
               (select count(*)::int from events
                 where events.user_id = o.user_id and event_type like 'labtest.order.%') as sent
          from orders o group by user_id
      ) counted where not (last = steps and sent = steps)`,
    );
    expect(torn).toEqual([]);
    const [{ count } = { count: 0 }] = await ask<{ count: number }>(
      target,
      `select count(*)::int from orders where id = any ('{${written.join(',')}}')`,
    );
    expect(count).toBeGreaterThanOrEqual(first);
    expect(last).toBeGreaterThan(first);
  });

  test('waits for a running migration', async () => {
    const client = new pg.Client({ connectionString: app.databaseUrl });
    await client.connect();
    await client.query(`begin; insert into migrations (name) values ('9998_slow.sql')`);
    const saving = save();
    await untilBlocked(app.db);
    await client.query(`create table made_slowly (id integer primary key); insert into made_slowly values (7); commit`);
    const manifest = await readManifest(await saving);
    await client.query(`drop table made_slowly; delete from migrations where name = '9998_slow.sql'`);
    await client.end();
    expect(manifest.migrations).toContain('9998_slow.sql');
    expect(manifest.tables.find((table) => table.name === 'made_slowly')).toEqual(expect.objectContaining({ rows: 1 }));
  });

  test('leaves no files behind when the copy fails', async () => {
    const client = new pg.Client({ connectionString: app.databaseUrl });
    await client.connect();
    await client.query('begin; lock table users in access exclusive mode');
    const saving = save();
    const outcome = expect(saving).rejects.toThrow(/terminat|Connection/);
    await untilBlocked(app.db);
    expect((await readdir(folder))[0]).toMatch(/^copy\.partial-/);
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'phial backup' and ` +
        'datname = current_database()',
    );
    await outcome;
    await client.query('rollback');
    await client.end();
    expect(await readdir(folder)).toEqual([]);
  });

  describe('a restore is refused', () => {
    test('from files with one changed byte, and writes nothing', async () => {
      const directory = await savedBefore();
      const target = await makeDatabase();
      const { tables } = await readManifest(directory);
      // All files have the same check, so some of them are enough: each tenth one, and the last.
      const files = tables.map((table) => tablePath(directory, table.name));
      for (const file of files.filter((_, n) => n % 10 === 0 || n === files.length - 1)) {
        const good = await readFile(file);
        const bad = Buffer.from(good);
        const at = Math.floor(bad.length / 2);
        bad[at] = (bad[at] as number) ^ 1;
        await writeFile(file, bad);
        await expect(into(target, directory), file).rejects.toThrow(/differs from what `phial backup` wrote/);
        await writeFile(file, good);
      }
      const manifest = await readFile(manifestPath(directory), 'utf8');
      for (const [good, bad] of [
        ['2025-01-02', '2025-01-03'],
        ['"sha256"', '"sha257"'],
        ['{', '['],
      ] as const) {
        await writeFile(manifestPath(directory), manifest.replace(good, bad));
        await expect(into(target, directory), bad).rejects.toThrow(
          /manifest\.json differs from what `phial backup` wrote/,
        );
      }
      await writeFile(manifestPath(directory), manifest);
      expect(await contentsOrNothing(target)).toEqual([]);
      await into(await makeMigrated(), directory);
    });

    test('from a directory without a table file or without the manifest', async () => {
      const directory = await savedBefore();
      const target = await makeDatabase();
      await rm(tablePath(directory, 'users'));
      await expect(into(target, directory)).rejects.toThrow(/users\.copy\.gz differs from what `phial backup` wrote/);
      await rm(manifestPath(directory));
      await expect(into(target, directory)).rejects.toThrow(/no finished backup/);
      expect(await contentsOrNothing(target)).toEqual([]);
    });

    test('into a database in use', async () => {
      const directory = await savedBefore();
      const before = await contents(app.databaseUrl);
      await expect(into(app.databaseUrl, directory)).rejects.toThrow(/in use.*new database/);
      expect(await contents(app.databaseUrl)).toEqual(before);
      const claimed = await makeMigrated();
      await query(
        claimed,
        `insert into deployment (environment, region, lookup_key_check) values ('sandbox', 'us', '')`,
      );
      await expect(into(claimed, directory)).rejects.toThrow(/in use/);
    });

    test('into a database that a service starts to use during the restore', async () => {
      const directory = await savedBefore();
      const target = await makeMigrated();
      const client = new pg.Client({ connectionString: target });
      await client.connect();
      await client.query(
        `begin; insert into deployment (environment, region, lookup_key_check) values ('sandbox', 'us', '')`,
      );
      const restoring = expect(into(target, directory)).rejects.toThrow(/in use/);
      const blocked =
        'select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0';
      await expect.poll(() => ask(target, blocked)).toHaveLength(1);
      await client.query('commit');
      await restoring;
      expect((await ask(target, 'select from deployment')).length).toBe(1);
      await client.end();
    });

    test('into a database with newer migrations than the backup', async () => {
      const directory = await savedBefore();
      const target = await makeMigrated();
      await migrate({ ownerUrl: target, directory: await nextRelease('create table later (id integer primary key)') });
      await expect(into(target, directory, join(folder, 'next-migrations'))).rejects.toThrow(
        /9999_next\.sql.*new database/,
      );
    });

    test('from a format of a later release', async () => {
      const directory = await savedBefore();
      await reseal(directory, (manifest) => ({ ...manifest, format: 2, phial_version: '9.9.9' }));
      await expect(into(await makeDatabase(), directory)).rejects.toThrow(/format 2.*format 1.*Phial 9\.9\.9/);
    });

    test('when this release has a migration in the middle that the backup lacks', async () => {
      const directory = await savedBefore();
      const [first, ...others] = (await readManifest(directory)).migrations;
      await reseal(directory, (manifest) => ({ ...manifest, migrations: [first as string, ...others.slice(1)] }));
      await expect(into(await makeDatabase(), directory)).rejects.toThrow(
        /which the backup lacks.*Restore it with the program that made it/,
      );
    });

    test('when rows do not load: the database stays empty, and the message contains no value of the rows', async () => {
      const directory = await savedBefore();
      const target = await makeMigrated();
      const nothing = await contents(target);
      const file = tablePath(directory, 'orders');
      const good = gunzipSync(await readFile(file)).toString();
      const noId = good.replace(/[0-9a-f]{8}-[0-9a-f]{4}/, 'Grace');
      expect(noId).not.toBe(good);
      await replaceTable(directory, 'orders', noId);
      const error = await into(target, directory).then(
        () => null,
        (error: Error) => error,
      );
      expect(error?.message).toMatch(/^Table orders could not be loaded.*22P02/);
      expect(error?.message).not.toContain('Grace');
      expect(await contents(target)).toEqual(nothing);
      await replaceTable(directory, 'orders', good + good.split('\n')[0] + '\n');
      await expect(into(target, directory)).rejects.toThrow(/Table orders .*duplicate key/);
      expect(await contents(target)).toEqual(nothing);
      await replaceTable(directory, 'orders', '');
      await expect(into(target, directory)).rejects.toThrow(/Table orders has 0 rows instead of \d+/);
      expect(await contents(target)).toEqual(nothing);
      await replaceTable(directory, 'orders', good);
      await into(target, directory);
      expect(await contents(target)).toEqual(contentsSaved);
    });
  });

  describe('the restore into another release', () => {
    test('migrates the data of an older backup to this release', async () => {
      const directory = await savedBefore();
      const target = await makeMigrated();
      await into(
        target,
        directory,
        await nextRelease(`
        alter table teams add column nickname text not null default 'none';
        create table team_census as select id from teams`),
      );
      expect(await ask(target, 'select distinct nickname from teams')).toEqual([{ nickname: 'none' }]);
      const teams = await ask(urlOf(restored), 'select id from teams order by id');
      expect(teams.length).toBeGreaterThan(0);
      expect(await ask(target, 'select id from team_census order by id')).toEqual(teams);
      expect(await ask(target, 'select max(name) as last from migrations')).toEqual([{ last: '9999_next.sql' }]);
    });

    test('refuses a newer backup and says what to do', async () => {
      const newer = await makeMigrated();
      await migrate({ ownerUrl: newer, directory: await nextRelease('create table later (id integer primary key)') });
      const directory = join(folder, 'newer');
      await backup({ ownerUrl: newer, directory, log });
      const target = await makeDatabase();
      await expect(into(target, directory)).rejects.toThrow(
        /does not have 9999_next\.sql.*Restore it with the program that made it/,
      );
      expect(await contentsOrNothing(target)).toEqual([]);
    });

    test('keeps the data when a later migration fails, and continues with the next try', async () => {
      const directory = await savedBefore();
      const target = await makeMigrated();
      await expect(
        into(target, directory, await nextRelease('select 1 / (select count(*) - count(*) from users)')),
      ).rejects.toThrow(/data of the backup are restored.*9999_next\.sql failed.*phial migrate/);
      expect(await contents(target)).toEqual(contentsSaved);
      await writeFile(join(folder, 'next-migrations', '9999_next.sql'), 'select 1');
      expect(await migrate({ ownerUrl: target, directory: join(folder, 'next-migrations') })).toEqual([
        '9999_next.sql',
      ]);
    });

    test(
      'the backup restores what a later release may use: odd names and values, generated columns, rows that ' +
        'its triggers refuse',
      async () => {
        const migrations = await nextRelease(`
        create table "Odd name" (id bigint generated always as identity primary key, "select" text,
          doubled text generated always as ("select" || "select") stored, at timestamptz, weight float8, raw bytea,
          parent_id bigint references "Odd name");
        create function refuse() returns trigger language plpgsql
          as $$ begin raise exception 'no children any more'; end $$;
        create trigger refuse before insert on "Odd name" for each row when (new.parent_id is not null)
          execute function refuse()`);
        const source = await makeMigrated();
        await migrate({ ownerUrl: source, directory: migrations });
        await query(
          source,
          `
        alter table "Odd name" disable trigger user;
        insert into "Odd name" ("select", at, weight, raw, parent_id) values
          (E'tab\\t, line\\n, \\\\N and \\\\.', '2026-01-02 03:04:05.678901+02', 0.1::float8 + 0.2::float8,
            '\\x00ff5c', 2), (null, 'infinity', 'NaN', '', 1);
        alter table "Odd name" enable trigger user`,
        );
        await backup({ ownerUrl: source, directory: join(folder, 'odd'), log });
        const target = await makeMigrated();
        await into(target, join(folder, 'odd'), migrations);
        expect(await contents(target)).toEqual(await contents(source));
        expect(await ask(target, `insert into "Odd name" ("select") values ('next') returning id, doubled`)).toEqual([
          { id: '3', doubled: 'nextnext' },
        ]);
        await expect(query(target, `insert into "Odd name" (parent_id) values (1)`)).rejects.toThrow(
          /no children any more/,
        );
      },
    );
  });
});

test('a backup and its restore log one line for each table with rows, and one for the totals', async () => {
  const source = await makeMigrated();
  await query(source, `insert into orgs (id, name, plan) values (gen_random_uuid(), 'Logged', 'scale')`);
  const lines: { msg: string; table?: string }[] = [];
  const logger = openLog('debug', { write: (line) => lines.push(JSON.parse(line) as (typeof lines)[0]) });
  const directory = join(folder, 'logged');
  const { tables } = await backup({ ownerUrl: source, directory, log: logger });
  await restore({ ownerUrl: await makeMigrated(), directory, migrationsDirectory: MIGRATIONS, log: logger });
  const filled = tables.filter(({ rows }) => rows > 0).map(({ name }) => name);
  const totals = { tables: tables.length, rows: countRows(tables) };
  expect(filled).toContain('orgs');
  expect(filled.length).toBeLessThan(tables.length);
  for (const done of ['copied', 'restored']) {
    const each = lines.filter(({ msg }) => msg === `table ${done}`);
    expect(each.map(({ table }) => table).sort()).toEqual(filled.toSorted());
    expect(lines.filter(({ msg }) => msg === `all tables ${done}`)).toMatchObject([totals]);
  }
});

test('the backup of a database without Phial is refused', async () => {
  await expect(backup({ ownerUrl: await makeDatabase(), directory: join(folder, 'copy'), log })).rejects.toThrow(
    /nothing to back up/,
  );
  expect(await readdir(folder)).toEqual([]);
});

async function contentsOrNothing(url: string): Promise<string[]> {
  const [{ count } = { count: 0 }] = await ask<{ count: number }>(
    url,
    `select count(*)::int from pg_class where relnamespace = 'public'::regnamespace`,
  );
  return count === 0 ? [] : contents(url);
}

async function reseal(directory: string, change: (manifest: Manifest) => Manifest): Promise<void> {
  const { sha256: _, ...manifest } = JSON.parse(await readFile(manifestPath(directory), 'utf8')) as Manifest & {
    sha256: string;
  };
  await writeFile(manifestPath(directory), sealManifest(change(manifest)));
}

/** Replaces the rows of a table in a backup, and corrects the checksum. So only the load itself can find the change. */
async function replaceTable(directory: string, name: string, text: string): Promise<void> {
  const file = gzipSync(text);
  await writeFile(tablePath(directory, name), file);
  const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', file)).toString('hex');
  await reseal(directory, (manifest) => ({
    ...manifest,
    tables: manifest.tables.map((table) => (table.name === name ? { ...table, sha256 } : table)),
  }));
}
