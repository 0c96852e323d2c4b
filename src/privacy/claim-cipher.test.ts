import { afterAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { parseConfig } from '../config/options.ts';
import { claimCipher } from './claim-cipher.ts';
import type { Cipher } from './cipher.ts';

const key = (version: number, byte = version): string => `${version}:${Buffer.alloc(32, byte).toString('base64')}`;
const row = { team_id: '00000000-0000-7000-8000-000000000001', id: '00000000-0000-7000-8000-000000000002' };
const seal = (cipher: Cipher): Buffer => cipher.sealText('orders.notes', row, 'W-1');
const open = (cipher: Cipher, sealed: Buffer): string => cipher.openText('orders.notes', row, sealed);

const apps: TestApp[] = [];
let app: TestApp;

/** Claims the cipher for the same database once more, like a second start with these encryption keys. */
const start = (keys = ''): Promise<Cipher> => {
  const { config, secrets } = parseConfig({ PHIAL_ENCRYPTION_KEYS: keys });
  return claimCipher(app.db, config, secrets);
};

beforeEach(async () => {
  app = await startTestApp();
  apps.push(app);
});
afterAll(() => Promise.all(apps.map((each) => each.close())));

test('every process of a sandbox uses the key that the first one made', async () => {
  expect(open(await start(), seal(app.ctx.cipher))).toBe('W-1');
});

test('a sandbox with a new key can still open values of its own key', async () => {
  const sealed = seal(app.ctx.cipher);
  const cipher = await start(key(2));
  expect(open(cipher, sealed)).toBe('W-1');
  expect(seal(cipher)[0]).toBe(2);
});

test('a start without a key in use is refused, and names its version', async () => {
  await start(key(2));
  await expect(start()).rejects.toThrow(
    /sealed under encryption key version 2, which is missing in PHIAL_ENCRYPTION_KEYS/,
  );
  await expect(start(key(3))).rejects.toThrow(/version 2/);
});

test('another key for a known version is refused', async () => {
  await start(key(2));
  await expect(start(key(2, 9))).rejects.toThrow(/version 2 is not the key/);
  await expect(start(key(1, 9))).rejects.toThrow(/version (1|2)/);
});

test('a key that is listed second opens values and does not seal', async () => {
  await start(key(2));
  expect(seal(await start(`${key(2)},${key(3)}`))[0]).toBe(2);
  expect(open(await start(`${key(2)},${key(3)}`), seal(await start(`${key(3)},${key(2)}`)))).toBe('W-1');
});
