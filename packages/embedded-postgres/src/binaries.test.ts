import { execFile } from 'node:child_process';
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chooseAccount, runAs } from './account.ts';
import { type Binaries, findPackage, prepareBinaries } from './binaries.ts';

let directory: string;
let dataDir: string;
let native: string;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'phial-bin-'));
  await chmod(directory, 0o755);
  dataDir = path.join(directory, 'data');
  await mkdir(dataDir);
  native = path.join(directory, 'package', 'native');
  await cp((await findPackage()).native, native, {
    recursive: true,
    filter: async (file) => !(await lstat(file)).isSymbolicLink(),
  });
});

afterEach(async () => {
  await chmod(path.join(native, 'lib'), 0o755);
  await rm(directory, { recursive: true });
});

const account = (): ReturnType<typeof chooseAccount> => chooseAccount(dataDir);
const prepare = (): Promise<Binaries> =>
  prepareBinaries(dataDir, account(), Promise.resolve({ native, version: '18.9' }));

async function versionOf(binaries: Binaries): Promise<string> {
  const { stdout } = await promisify(execFile)(binaries.postgres, ['--version'], {
    env: {},
    cwd: '/',
    ...runAs(account()),
  });
  return stdout;
}

describe('the PostgreSQL programs', () => {
  test('run from the package as npm installs it, without its install script', async () => {
    const binaries = await prepare();
    expect(binaries.postgres).toBe(path.join(native, 'bin', path.basename(binaries.postgres)));
    expect(await versionOf(binaries)).toContain('PostgreSQL) 18');
    expect(await readdir(dataDir)).toEqual([]);
  });

  test('can be prepared by several processes at once, and again', async () => {
    const all = await Promise.all([prepare(), prepare(), prepare()]);
    expect(new Set(all.map(({ postgres }) => postgres)).size).toBe(1);
    const before = await readdir(path.join(native, 'lib'));
    await prepare();
    expect(await readdir(path.join(native, 'lib'))).toEqual(before);
    expect(before.filter((name) => /-[0-9a-f]{8}$/.test(name))).toEqual([]);
  });

  test('are copied into the data directory when the package is unusable in its own folder', async () => {
    // As root the server's user must be kept out. A normal user must be kept from writing.
    if (account() === null) await chmod(path.join(native, 'lib'), 0o555);
    else await chmod(path.join(directory, 'package'), 0o700);
    const [binaries, same] = await Promise.all([prepare(), prepare()]);
    expect(binaries).toEqual(same);
    expect(binaries.postgres.startsWith(path.join(dataDir, 'postgres-bin-18.9', 'bin'))).toBe(true);
    expect(await versionOf(binaries)).toContain('PostgreSQL) 18');
    expect(await readdir(dataDir)).toEqual(['postgres-bin-18.9']);
  });
});
