import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type EmbeddedServer, openEmbedded } from './open.ts';
import { readDataDir } from '../test/read-data-dir.ts';

/** The package as the build compiles it. */
const compiled = path.join(import.meta.dirname, '../../../dist/node_modules/@phial/embedded-postgres');

// A separate process that the test can kill. It ends cleanly when its input ends.
const ownerProgram = `
  import { openEmbedded } from '${pathToFileURL(path.join(compiled, 'open.js'))}';
  const log = { info() {}, warn() {}, error() {} };
  const [dataDir, applicationName] = process.argv.slice(2);
  const say = (message) => console.log(JSON.stringify(message));
  try {
    const server = await openEmbedded({ dataDir, applicationName, lock: 'required', lockWaitMs: 1000, log });
    say({ url: server.url });
    process.stdin.resume().on('end', () => server.stop());
  } catch (error) {
    say({ refusal: error.name, holder: error.holder });
    process.stdin.destroy();
  }
`;

type Output = { url?: string; refusal?: string; holder?: string };

let folder: string;
let made: string;
let dataDir: string;
const children: ChildProcess[] = [];
const servers: EmbeddedServer[] = [];

// Makes the database files once. Tests that do not speak of making them get a copy.
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'phial-owner-'));
  await writeFile(path.join(folder, 'owner.mjs'), ownerProgram);
  dataDir = made = await mkdtemp(path.join(tmpdir(), 'phial-kill-'));
  await (await openHere()).stop();
  servers.length = 0;
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await rm(made, { recursive: true });
});

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'phial-kill-'));
});
const copyFiles = (): Promise<unknown> => promisify(execFile)('cp', ['-a', `${made}/.`, dataDir]);

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.stdin?.end();
    if (child.exitCode === null && child.signalCode === null)
      await new Promise((resolve) => {
        child.once('exit', resolve);
      });
  }
  for (const server of servers.splice(0)) await server.stop();
  await rm(dataDir, { recursive: true });
});

function startOwner(name: string): { child: ChildProcess; said: Promise<Output> } {
  const child = spawn(process.execPath, [path.join(folder, 'owner.mjs'), dataDir, name], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  children.push(child);
  const said = new Promise<Output>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line) as Output));
    child.once('exit', () => reject(new Error('the owner ended without a message')));
  });
  said.catch(() => undefined);
  return { child, said };
}

async function openHere(): Promise<EmbeddedServer> {
  const server = await openEmbedded({
    dataDir,
    applicationName: 'phial test',
    lock: 'required',
    log: pino({ level: 'silent' }),
  });
  servers.push(server);
  return server;
}

async function connect(url: string | undefined): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function query<R>(url: string | undefined, sql: string): Promise<R[]> {
  const client = await connect(url);
  return (await client.query(sql).finally(() => client.end())).rows as R[];
}

/** Kills the owner alone, or its whole process group, as a closed terminal would. */
async function killAndWait(child: ChildProcess, which: 'alone' | 'group' = 'alone'): Promise<void> {
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  process.kill(which === 'group' ? -(child.pid ?? NaN) : (child.pid ?? NaN), 'SIGKILL');
  await ended;
}

const readPostmasterPid = async (): Promise<number> =>
  Number((await readFile(path.join(dataDir, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0]);

/** Inserts 0, 1, 2 … in one transaction each until the server is gone. Returns how many were acknowledged. */
async function insertUntilLost(url: string): Promise<number> {
  const client = await connect(url);
  for (let acknowledged = 0; ; acknowledged += 1) {
    try {
      await client.query('insert into kit values ($1)', [acknowledged]);
    } catch {
      return acknowledged;
    }
  }
}

describe('after kill -9', () => {
  test('of the owner and its process group the next start attaches to the server and has the data', async () => {
    await copyFiles();
    const { child, said } = startOwner('phial killed');
    const { url } = await said;
    await query(url, 'create table kit (id int); insert into kit values (1)');
    const pid = await readPostmasterPid();
    await killAndWait(child, 'group');
    const next = await openHere();
    expect(next.owned).toBe(true);
    expect(await readPostmasterPid()).toBe(pid);
    expect(await query(next.url, 'select id from kit')).toEqual([{ id: 1 }]);
    await next.stop();
    await expect(connect(next.url)).rejects.toThrow(/ECONNREFUSED/);
  });

  test('of the server its owner notices, and the next start has every acknowledged row', async () => {
    await copyFiles();
    const first = await openHere();
    await query(first.url, 'create table kit (id int)');
    const inserting = insertUntilLost(first.url);
    await expect
      .poll(async () => (await query<{ n: number }>(first.url, 'select count(*)::int as n from kit'))[0]?.n, {
        timeout: 10_000,
      })
      .toBeGreaterThan(20);
    process.kill(await readPostmasterPid(), 'SIGKILL');
    const acknowledged = await inserting;
    expect((await first.lost).message).toMatch(/lost/);
    const next = await openHere();
    const [found] = await query<{ n: number }>(
      next.url,
      `select count(*)::int as n from kit where id < ${acknowledged}`,
    );
    expect(found?.n).toBe(acknowledged);
  });

  test('of the owner, and then of its server, the next start recovers', async () => {
    await copyFiles();
    const { child, said } = startOwner('phial killed');
    const { url } = await said;
    await query(url, 'create table kit (id int); insert into kit values (1)');
    await killAndWait(child);
    process.kill(await readPostmasterPid(), 'SIGKILL');
    expect(await query((await openHere()).url, 'select id from kit')).toEqual([{ id: 1 }]);
  });

  test('of owner and server together the next start recovers', async () => {
    await copyFiles();
    const { child, said } = startOwner('phial killed');
    const { url } = await said;
    await query(url, 'create table kit (id int); insert into kit values (1)');
    process.kill(await readPostmasterPid(), 'SIGKILL');
    await killAndWait(child);
    expect(await query((await openHere()).url, 'select id from kit')).toEqual([{ id: 1 }]);
  });

  test.each(['postgres.new-', 'data'])('during initdb (%s seen) the next start makes the files again', async (sign) => {
    const { child } = startOwner('phial killed');
    await expect
      .poll(async () => (await readdir(dataDir, { recursive: true })).some((name) => name.includes(sign)), {
        interval: 2,
        timeout: 10_000,
      })
      .toBe(true);
    await expectMadeAgain(child);
  });

  test('during initdb (template databases seen) too, and no shared memory of the killed one is left', async () => {
    const { child, segment } = await catchInitdb();
    await (await expectMadeAgain(child)).stop();
    if (process.platform !== 'linux') return;
    expect(segment).toBeGreaterThan(0);
    const segments = (await readFile('/proc/sysvipc/shm', 'utf8')).split('\n').slice(1);
    expect(segments.map((line) => Number(line.trim().split(/\s+/)[1]))).not.toContain(segment);
  });
});

async function expectMadeAgain(killed: ChildProcess): Promise<EmbeddedServer> {
  await killAndWait(killed);
  expect(await readdir(dataDir)).not.toContain('postgres');
  const next = await openHere();
  expect(await query(next.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(await readDataDir(dataDir)).toEqual(['postgres']);
  return next;
}

/** On a busy machine initdb can end between two looks. Then another start makes the files once more. */
async function catchInitdb(): Promise<{ child: ChildProcess; segment: number }> {
  for (let tries = 0; tries < 5; tries += 1) {
    const { child, said } = startOwner('phial killed');
    const end = said.then(() => 'ended' as const);
    let segment: number | null = null;
    while (segment === null && (await Promise.race([end, wait(2)])) !== 'ended') segment = await unfinishedSegment();
    if (segment !== null) return { child, segment };
    child.stdin?.end();
    await once(child, 'exit');
    await rm(dataDir, { recursive: true });
    dataDir = await mkdtemp(path.join(tmpdir(), 'phial-kill-'));
  }
  throw new Error('initdb ended five times between two looks.');
}

/**
 * Returns the id of the shared memory that initdb's PostgreSQL uses while it makes the template databases. Its
 * postmaster.pid names it. Returns null before that, and 0 on systems other than Linux, where we cannot find it again.
 */
async function unfinishedSegment(): Promise<number | null> {
  const name = (await readdir(dataDir)).find((entry) => entry.startsWith('postgres.new-'));
  const data = path.join(dataDir, `${name}`, 'data');
  if (!existsSync(path.join(data, 'base/4'))) return null;
  if (process.platform !== 'linux') return 0;
  const lines = await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  return Number(lines.split('\n')[6]?.trim().split(/\s+/)[1] ?? 0) || null;
}

describe('two starts at the same moment', () => {
  test('in an empty directory make one owner, and the other names it', async () => {
    const names = ['phial one', 'phial two'];
    const both = await Promise.all(names.map((name) => startOwner(name).said));
    const owner = both.findIndex(({ url }) => url !== undefined);
    expect(both[1 - owner]).toEqual({ refusal: 'AlreadyServed', holder: names[owner] });
    expect(await readDataDir(dataDir)).toEqual(['postgres']);
    expect(await query(both[owner]?.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('after a kill of the server make one owner too', async () => {
    await copyFiles();
    await openHere();
    process.kill(await readPostmasterPid(), 'SIGKILL');
    const both = await Promise.all(['phial one', 'phial two'].map((name) => startOwner(name).said));
    expect(both.filter(({ url }) => url !== undefined)).toHaveLength(1);
    expect(both.filter(({ refusal }) => refusal === 'AlreadyServed')).toHaveLength(1);
  });
});
