// The owner of a hosted database is no superuser. It must still migrate, back up and restore.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startTestApp } from '../../../test/test-app.ts';
import { fill } from '../../../test/fill-tables.ts';
import { databaseUrl, dropDatabase, query } from '../../../test/global-setup.ts';
import { migrate } from '../migrate.ts';
import { seed } from '../seed.ts';
import { backup } from './backup.ts';
import { restore } from './restore.ts';

const run = randomUUID().slice(0, 8);
const [owner, source, target] = [`owner_${run}`, `source_${run}`, `target_${run}`];
const server = inject('serverUrl');
const log = pino({ level: 'silent' });
let folder: string;

function byOwner(database: string): string {
  const url = new URL(databaseUrl(server, database));
  [url.username, url.password] = [owner, 'owner'];
  return url.href;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phial-owner-'));
  await query(server, `create role ${owner} login password 'owner'`);
  for (const database of [source, target]) await query(server, `create database ${database} owner ${owner}`);
});
afterAll(async () => {
  for (const database of [source, target]) await dropDatabase(server, database);
  await query(server, `drop role ${owner}`);
  await rm(folder, { recursive: true });
});

async function count(database: string, table: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl(server, database) });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: string }>(`select count(*) from ${table}`);
    return Number(rows[0]?.count);
  } finally {
    await client.end();
  }
}

test('an owner that is no superuser migrates, backs up every row behind the policies, and restores it', async () => {
  await migrate({ ownerUrl: byOwner(source), directory: 'migrations' });
  await seed({ ownerUrl: byOwner(source), directory: 'seeds/sandbox' });
  const uploads = { PHIAL_UPLOAD_DIR: join(folder, 'uploads') };
  const app = await startTestApp(uploads, { databaseUrl: databaseUrl(server, source) });
  try {
    await fill(app, app.team);
  } finally {
    await app.close();
  }
  const manifest = await backup({ ownerUrl: byOwner(source), directory: join(folder, 'copy'), log });
  await restore({
    ownerUrl: byOwner(target),
    directory: join(folder, 'copy'),
    migrationsDirectory: 'migrations',
    log,
  });
  for (const table of ['users', 'orders', 'order_events', 'events', 'insurances', 'lab_results', 'webhooks']) {
    const rows = await count(source, table);
    expect([table, rows > 0]).toEqual([table, true]);
    expect([table, await count(target, table)]).toEqual([table, rows]);
    expect([table, manifest.tables.find(({ name }) => name === table)?.rows]).toEqual([table, rows]);
  }
  const restored = await startTestApp({}, { databaseUrl: databaseUrl(server, target) });
  expect((await restored.api('GET', '/v2/user', undefined, { key: app.team.api_key })).status).toBe(200);
  await restored.close();
});

test('the error for an owner that may not make the role of the service has the statement to run', async () => {
  const role = `app_${run}`;
  const text = await readFile('migrations/0001_roles.sql', 'utf8');
  await writeFile(join(folder, '0001_other_role.sql'), text.replaceAll('phial_app', role));
  await query(databaseUrl(server, target), 'drop table migrations');
  await expect(migrate({ ownerUrl: byOwner(target), directory: folder })).rejects.toThrow(
    `Migration 0001_other_role.sql failed: the role ${owner} may not make roles. ` +
      `Let a superuser run this once: create role ${role} nologin;`,
  );
});
