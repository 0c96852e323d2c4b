import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chooseAccount } from './account.ts';
import { chooseDataDir, prepareDataDir } from './data-dir.ts';

const isRoot = process.getuid?.() === 0;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'phial-dir-'));
  await chmod(directory, 0o755);
});
afterEach(() => rm(directory, { recursive: true }));

describe('the data directory', () => {
  test('is the configured one, as an absolute path', () => {
    const chosen = chooseDataDir({ configured: path.relative(process.cwd(), directory), projectRoot: '/nowhere' });
    expect(chosen.dataDir).toBe(directory);
  });

  test('is .phial in the project by default', () => {
    expect(chooseDataDir({ configured: null, projectRoot: directory }).dataDir).toBe(path.join(directory, '.phial'));
  });

  test('is made with its parent folders', async () => {
    const dataDir = path.join(directory, 'a', 'b');
    await prepareDataDir(dataDir, chooseAccount(dataDir));
    expect((await stat(dataDir)).mode & 0o777).toBe(isRoot ? 0o711 : 0o700);
  });

  // Nobody can make folders in /proc, as in a read-only file system.
  test.each([path.join('/dev/null', 'data'), path.join('/proc', 'phial-nowhere', 'data')])(
    'that cannot be made is refused with the option that changes it: %s',
    async (dataDir) => {
      await expect(prepareDataDir(dataDir, null)).rejects.toThrow(
        new RegExp(`The data directory ${dataDir} cannot be made .*, mkdir.*PHIAL_DATA_DIR`, 's'),
      );
    },
  );

  test('that is a file is refused too', async () => {
    const file = path.join(directory, 'file');
    await writeFile(file, '');
    await expect(prepareDataDir(file, null)).rejects.toThrow(/cannot be made or used \(ENOTDIR/);
  });
});

describe.runIf(isRoot)('as root the data directory', () => {
  let privateHome: string;
  beforeEach(async () => {
    privateHome = path.join(directory, 'home');
    await mkdir(privateHome, { mode: 0o700 });
  });

  test('is /var/lib/phial when the server’s user cannot reach the project, with the reason', () => {
    const chosen = chooseDataDir({ configured: null, projectRoot: path.join(privateHome, 'phial') });
    expect(chosen.dataDir).toBe('/var/lib/phial');
    expect(chosen.why).toContain(path.join(privateHome, 'phial', '.phial'));
  });

  test('below a private folder is refused, with the folder and the remedies', () => {
    const choose = (): unknown => chooseDataDir({ configured: path.join(privateHome, 'data'), projectRoot: directory });
    expect(choose).toThrow(new RegExp(`${privateHome}[^/].*PHIAL_DATA_DIR.*DATABASE_URL`, 's'));
  });

  test('gets the right to pass when root made it private', async () => {
    const account = chooseAccount(privateHome);
    await prepareDataDir(privateHome, account);
    expect((await stat(privateHome)).mode & 0o777).toBe(0o711);
  });

  test('can be passed under a strict umask, with the parent folders that were made', async () => {
    const before = process.umask(0o077);
    try {
      const dataDir = path.join(directory, 'a', 'b');
      await expect(prepareDataDir(dataDir, chooseAccount(dataDir))).resolves.toBeUndefined();
    } finally {
      process.umask(before);
    }
  });
});
