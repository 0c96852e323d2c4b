import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chooseAccount } from './account.ts';
import { chooseDataDir, prepareDataDir } from './data-dir.ts';

const isRoot = process.getuid?.() === 0;
let place: string;

beforeEach(async () => {
  place = await mkdtemp(path.join(tmpdir(), 'phial-dir-'));
  await chmod(place, 0o755);
});
afterEach(() => rm(place, { recursive: true }));

describe('the data directory', () => {
  test('is the configured one, as an absolute path', () => {
    const chosen = chooseDataDir({ configured: path.relative(process.cwd(), place), projectRoot: '/nowhere' });
    expect(chosen.dataDir).toBe(place);
  });

  test('is .phial in the project by default', () => {
    expect(chooseDataDir({ configured: null, projectRoot: place }).dataDir).toBe(path.join(place, '.phial'));
  });

  test('is made with the folders above it', async () => {
    const dataDir = path.join(place, 'a', 'b');
    await prepareDataDir(dataDir, chooseAccount(dataDir));
    expect((await stat(dataDir)).mode & 0o777).toBe(isRoot ? 0o711 : 0o700);
  });

  // In /proc nobody makes folders, as on a read-only file system.
  test.each([path.join('/dev/null', 'data'), path.join('/proc', 'phial-nowhere', 'data')])(
    'that cannot be made is refused with the setting that changes it: %s',
    async (dataDir) => {
      await expect(prepareDataDir(dataDir, null)).rejects.toThrow(
        new RegExp(`The data directory ${dataDir} cannot be made .*, mkdir.*PHIAL_DATA_DIR`, 's'),
      );
    },
  );

  test('that is a file is refused too', async () => {
    const file = path.join(place, 'file');
    await writeFile(file, '');
    await expect(prepareDataDir(file, null)).rejects.toThrow(/cannot be made or used \(ENOTDIR/);
  });
});

describe.runIf(isRoot)('as root the data directory', () => {
  let privateHome: string;
  beforeEach(async () => {
    privateHome = path.join(place, 'home');
    await mkdir(privateHome, { mode: 0o700 });
  });

  test('is /var/lib/phial when the server’s user cannot reach the project, and the reason is told', () => {
    const chosen = chooseDataDir({ configured: null, projectRoot: path.join(privateHome, 'phial') });
    expect(chosen.dataDir).toBe('/var/lib/phial');
    expect(chosen.why).toContain(path.join(privateHome, 'phial', '.phial'));
  });

  test('that is configured below a private folder is refused, naming the folder and the ways out', () => {
    const choose = (): unknown => chooseDataDir({ configured: path.join(privateHome, 'data'), projectRoot: place });
    expect(choose).toThrow(new RegExp(`${privateHome}[^/].*PHIAL_DATA_DIR.*DATABASE_URL`, 's'));
  });

  test('is opened for passing when root made it private', async () => {
    const account = chooseAccount(privateHome);
    await prepareDataDir(privateHome, account);
    expect((await stat(privateHome)).mode & 0o777).toBe(0o711);
  });

  test('is passable under a strict umask, with the folders made above it', async () => {
    const before = process.umask(0o077);
    try {
      const dataDir = path.join(place, 'a', 'b');
      await expect(prepareDataDir(dataDir, chooseAccount(dataDir))).resolves.toBeUndefined();
    } finally {
      process.umask(before);
    }
  });
});
