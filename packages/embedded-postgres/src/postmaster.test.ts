import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Cluster } from './cluster.ts';
import { findPostmasterOrNull, setAsideDeadPidFile } from './postmaster.ts';

let cluster: Cluster;
let pidFile: string;

beforeEach(async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'phial-pid-'));
  const data = path.join(directory, 'data');
  await mkdir(data);
  pidFile = path.join(data, 'postmaster.pid');
  cluster = { directory, data, serverLog: path.join(directory, 'server.log'), password: 'secret' };
});
afterEach(() => rm(cluster.directory, { recursive: true }));

const writePidFile = (startedAt: number): Promise<void> =>
  writeFile(pidFile, [4711, cluster.data, startedAt, 54321, '', '127.0.0.1', '  12345  7', 'ready   ', ''].join('\n'));

describe('postmaster.pid', () => {
  test('has the process, its start, its port and whether it is ready', async () => {
    await writePidFile(1_700_000_000);
    expect(await findPostmasterOrNull(cluster)).toEqual({
      pid: 4711,
      startedAt: 1_700_000_000,
      port: 54321,
      ready: true,
    });
  });

  test('is ignored while it is missing or half written', async () => {
    expect(await findPostmasterOrNull(cluster)).toBeNull();
    await writeFile(pidFile, `4711\n${cluster.data}\n`);
    expect(await findPostmasterOrNull(cluster)).toBeNull();
  });

  test('is moved away when it is older than the start of the machine', async () => {
    await writePidFile(1_000_000_000);
    expect(await setAsideDeadPidFile(cluster)).toBe(true);
    expect(await readdir(cluster.data)).toEqual([]);
  });

  test('stays when the server may have started since', async () => {
    await writePidFile(Math.floor(Date.now() / 1000));
    const before = await readFile(pidFile, 'utf8');
    expect(await setAsideDeadPidFile(cluster)).toBe(false);
    expect(await readFile(pidFile, 'utf8')).toBe(before);
  });

  test('stays when it is half written', async () => {
    await writeFile(pidFile, '4711\n');
    expect(await setAsideDeadPidFile(cluster)).toBe(false);
    expect(await readdir(cluster.data)).toEqual(['postmaster.pid']);
  });
});
