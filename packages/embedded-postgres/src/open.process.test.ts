import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type EmbeddedOptions, type EmbeddedServer, openEmbedded } from './open.ts';
import { AlreadyServed } from './errors.ts';
import { isAlive } from './process-state.ts';
import { readDataDir } from '../test/read-data-dir.ts';

let dataDir: string;
let made: string;
const opened: EmbeddedServer[] = [];

// Makes the database files once. Each test gets a copy.
beforeAll(async () => {
  dataDir = made = await mkdtemp(path.join(tmpdir(), 'phial-pg-'));
  await (await open()).stop();
  opened.length = 0;
});
afterAll(() => rm(made, { recursive: true }));

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'phial-pg-'));
  await promisify(execFile)('cp', ['-a', `${made}/.`, dataDir]);
});

afterEach(async () => {
  for (const server of opened.splice(0).toReversed()) await server.stop();
  await rm(dataDir, { recursive: true });
});

async function open(options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedServer> {
  const server = await openEmbedded({
    dataDir,
    applicationName: 'phial test',
    lock: 'required',
    log: pino({ level: 'silent' }),
    ...options,
  });
  opened.push(server);
  return server;
}

async function query<R>(server: EmbeddedServer, sql: string): Promise<R[]> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as R[];
  } finally {
    await client.end();
  }
}

describe('the embedded PostgreSQL', () => {
  test('keeps rows over a restart', async () => {
    const first = await open();
    await query(first, 'create table kit (id int); insert into kit values (1), (2)');
    await first.stop();
    const second = await open();
    expect(await query(second, 'select id from kit order by id')).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await readDataDir(dataDir)).toEqual(['postgres']);
  });

  test('has ended when stop returns, and refuses a wrong password', async () => {
    const server = await open();
    const wrong = new Client({ connectionString: server.url.replace(/phial:[^@]+@/, 'phial:wrong@') });
    await expect(wrong.connect()).rejects.toThrow(/password/);
    const pid = Number((await readFile(path.join(dataDir, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0]);
    await server.stop();
    expect(isAlive(pid)).toBe(false);
    await expect(query(server, 'select 1')).rejects.toThrow(/ECONNREFUSED/);
  });

  test('lets the service log in as a plain role, also where a release made the role without a login', async () => {
    const first = await open();
    const plain = async (server: EmbeddedServer): Promise<unknown[]> => {
      const client = new Client({ connectionString: server.serviceUrl });
      await client.connect();
      try {
        await client.query('set role none');
        const { rows } = await client.query(
          `select current_user as role, rolsuper or rolcreaterole or rolcreatedb or rolbypassrls as mighty
             from pg_roles where rolname = current_user`,
        );
        return rows;
      } finally {
        await client.end();
      }
    };
    expect(await plain(first)).toEqual([{ role: 'phial_app', mighty: false }]);
    await query(first, 'alter role phial_app nologin password null');
    await first.stop();
    expect(await plain(await open())).toEqual([{ role: 'phial_app', mighty: false }]);
  });

  test('listens on the loopback address only, commits to the disk, and uses UTC and UTF-8', async () => {
    const server = await open();
    const wanted = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      TimeZone: 'UTC',
      server_encoding: 'UTF8',
      password_encryption: 'scram-sha-256',
    };
    const rows = await query<{ name: string; setting: string }>(
      server,
      `select name, setting from pg_settings where name in ('${Object.keys(wanted).join("','")}')`,
    );
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual(wanted);
  });

  test('writes no row and no statement into its log', async () => {
    const server = await open();
    await query(server, 'create table person (phone text primary key, born date)');
    const failures = [
      "insert into person values ('+16025550123', null), ('+16025550123', null)",
      "insert into person values ('+16025550124', 'no date')",
      "do $$ begin raise warning 'about %', '+16025550125'; end $$",
    ];
    for (const sql of failures) await query(server, sql).catch(() => undefined);
    await server.stop();
    const log = await readFile(path.join(dataDir, 'postgres/server.log'), 'utf8');
    expect(log).toContain('ready to accept connections');
    expect(log).not.toMatch(/602555|no date|insert/);
  });

  test('serves a command beside its owner and stays when the command ends', async () => {
    const owner = await open();
    const command = await open({ applicationName: 'phial backup', lock: 'if-free' });
    expect([owner.owned, command.owned]).toEqual([true, false]);
    expect(command.url).toBe(owner.url);
    await command.stop();
    expect(await query(owner, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('is owned and shut down by a command when no other process serves it', async () => {
    const command = await open({ applicationName: 'phial backup', lock: 'if-free' });
    expect(command.owned).toBe(true);
    await command.stop();
    await expect(query(command, 'select 1')).rejects.toThrow(/ECONNREFUSED/);
  });

  test('refuses a second owner and names the first', async () => {
    const first = await open({ applicationName: 'phial serve pid=1 http://127.0.0.1:3000' });
    const refusal = await open({ lockWaitMs: 100 }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(AlreadyServed);
    expect(refusal).toMatchObject({ holder: 'phial serve pid=1 http://127.0.0.1:3000', dataDir });
    expect(await query(first, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('goes to the next owner when the first ends while the next one waits', async () => {
    const first = await open();
    await query(first, 'create table kit (id int); insert into kit values (7)');
    const waiting = open({ applicationName: 'phial next', lockWaitMs: 20_000 });
    await expect
      .poll(() => query(first, "select from pg_stat_activity where application_name = 'phial next'"), {
        timeout: 10_000,
      })
      .toHaveLength(1);
    await first.stop();
    const second = await waiting;
    expect(second.owned).toBe(true);
    expect(await query(second, 'select id from kit')).toEqual([{ id: 7 }]);
  });

  test('does not report a loss when it was stopped on purpose', async () => {
    const server = await open();
    await server.stop();
    const outcome = await Promise.race([
      server.lost,
      new Promise((resolve) => {
        setTimeout(resolve, 100, 'nothing');
      }),
    ]);
    expect(outcome).toBe('nothing');
  });

  test('refuses files of another major version and lists the remedies', async () => {
    await (await open()).stop();
    await writeFile(path.join(dataDir, 'postgres/data/PG_VERSION'), '17\n');
    await expect(open()).rejects.toThrow(/PostgreSQL 17.*PostgreSQL 18.*phial backup.*DATABASE_URL/s);
  });

  test('refuses incomplete files and does not overwrite them', async () => {
    await (await open()).stop();
    await rm(path.join(dataDir, 'postgres/data/PG_VERSION'));
    await expect(open()).rejects.toThrow(/PG_VERSION is missing/);
  });
});
