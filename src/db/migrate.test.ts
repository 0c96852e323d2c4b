import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { cloneDatabase, databaseUrl, dropDatabase, query } from '../../test/global-setup.ts';
import { openLog } from '../log.ts';
import { backup } from './backup/backup.ts';
import { restore } from './backup/restore.ts';
import { migrate } from './migrate.ts';
import { readMigrationFiles } from './migration-files.ts';
import { MIGRATIONS } from './database-server.ts';

const log = openLog('silent');
const made: string[] = [];
let folder: string;
let directory: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phial-migrate-'));
  directory = join(folder, 'migrations');
  await cp(MIGRATIONS, directory, { recursive: true });
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  for (const name of made.splice(0)) await dropDatabase(inject('serverUrl'), name);
});

async function makeDatabase(template = inject('template')): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await cloneDatabase(inject('serverUrl'), name, template);
  made.push(name);
  return databaseUrl(inject('serverUrl'), name);
}

/** Migrates the database. Returns the error message, or null if the migration succeeds. */
const refusal = (ownerUrl: string, from = directory): Promise<string | null> =>
  migrate({ ownerUrl, directory: from }).then(
    () => null,
    (error: Error) => error.message,
  );

const checksums = (url: string): Promise<{ name: string; checksum: string | null }[]> =>
  query(url, 'select name, checksum from migrations order by name');

const edit = async (file: string): Promise<void> =>
  writeFile(join(directory, file), `${await readFile(join(directory, file), 'utf8')}\n-- mended\n`);

test('the database stores the checksum of each applied migration', async () => {
  const url = await makeDatabase();
  const files = await readMigrationFiles(MIGRATIONS);
  expect(await checksums(url)).toEqual(files.map(({ name, checksum }) => ({ name, checksum })));
});

test('a start with a changed migration names it and changes nothing', async () => {
  const url = await makeDatabase();
  await edit('0009_webhooks.sql');
  await writeFile(join(directory, '9999_next.sql'), 'create table later (id integer primary key)');
  const message = await refusal(url);
  expect(message).toContain('It has another text of 0009_webhooks.sql.');
  expect(message).toMatch(/Nothing was changed\. Start the program .* restore a backup/);
  expect(message).not.toMatch(/newer|older/);
  expect(await query(url, `select to_regclass('later') as later`)).toEqual([{ later: null }]);
});

test('a start without some migrations of the database names each of them', async () => {
  const url = await makeDatabase();
  await rm(join(directory, '0009_webhooks.sql'));
  await rm(join(directory, '0010_events.sql'));
  const message = await refusal(url);
  expect(message).toContain('This program does not have 0009_webhooks.sql, 0010_events.sql.');
  expect(message).not.toMatch(/newer|older/);
});

test('each migration that the database lacks is reported before it is applied', async () => {
  const ownerUrl = await makeDatabase();
  await writeFile(join(directory, '9998_table.sql'), 'create table later (id integer primary key)');
  await writeFile(join(directory, '9999_index.sql'), 'create index later_id on later (id)');
  const reported: unknown[] = [];
  await migrate({ ownerUrl, directory, report: (...each) => reported.push(each) });
  expect(reported).toEqual([
    ['9998_table.sql', 0, 2],
    ['9999_index.sql', 1, 2],
  ]);
});

test('line ends of Windows do not change the checksum of a migration', async () => {
  const url = await makeDatabase();
  const file = join(directory, '0009_webhooks.sql');
  await writeFile(file, (await readFile(file, 'utf8')).replaceAll('\n', '\r\n'));
  expect(await refusal(url)).toBeNull();
});

test('a database without checksums gets them at the next start', async () => {
  const url = await makeDatabase();
  const before = await checksums(url);
  await query(url, 'alter table migrations drop column checksum');
  expect(await refusal(url, MIGRATIONS)).toBeNull();
  expect(await checksums(url)).toEqual(before);
  await edit('0009_webhooks.sql');
  expect(await refusal(url)).toContain('0009_webhooks.sql');
});

test('a program with a changed migration refuses to restore a backup', async () => {
  const saved = join(folder, 'saved');
  await backup({ ownerUrl: await makeDatabase(), directory: saved, log });
  await edit('0009_webhooks.sql');
  const target = await makeDatabase('template1');
  const message = await restore({ ownerUrl: target, directory: saved, migrationsDirectory: directory, log }).then(
    () => null,
    (error: Error) => error.message,
  );
  expect(message).toContain('It has another text of 0009_webhooks.sql.');
  expect(message).toMatch(/Nothing was restored\. Restore it with the program that made it, Phial \d/);
  expect(await query(target, `select from pg_class where relnamespace = 'public'::regnamespace`)).toEqual([]);
});
