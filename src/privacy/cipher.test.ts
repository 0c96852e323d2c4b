import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openCipher, type KeyRing } from './cipher.ts';

const key = (byte: number): Buffer => Buffer.alloc(32, byte);
const ring = (sealing: number, ...versions: number[]): KeyRing => ({
  sealing,
  keys: new Map(versions.map((version) => [version, key(version)])),
  lookupKey: key(99),
});
const row = { team_id: randomUUID(), id: randomUUID() };
const cipher = openCipher(ring(1, 1));

test('a sealed value opens for its own row, whatever the case of its ids', () => {
  const sealed = cipher.sealText('shipments.notes', row, 'W-123456');
  expect(sealed.includes('W-123456')).toBe(false);
  expect(cipher.openText('shipments.notes', row, sealed)).toBe('W-123456');
  const upper = { team_id: row.team_id.toUpperCase(), id: row.id.toUpperCase() };
  expect(cipher.openText('shipments.notes', upper, sealed)).toBe('W-123456');
});

test('JSON is unchanged after it was sealed and opened', () => {
  const value = { first_name: 'Ada', lines: ['1 Main St', ''], nothing: null };
  expect(cipher.openJson('user_info.info', row, cipher.sealJson('user_info.info', row, value))).toEqual(value);
});

test.each(['short', 'long'])('a packed value is unchanged after it was opened: %s', async (length) => {
  const json = JSON.stringify({
    data: Array.from({ length: length === 'long' ? 1000 : 1 }, (_, value) => ({ value })),
  });
  const sealed = await cipher.sealPacked('events.body', row, json);
  expect(await cipher.openPacked('events.body', row, sealed)).toBe(json);
  expect(sealed.length < json.length).toBe(length === 'long');
  await expect(cipher.openPacked('events.body', { ...row, id: randomUUID() }, sealed)).rejects.toThrow(/does not open/);
});

test('equal values are sealed differently each time', () => {
  const values = Array.from({ length: 1000 }, () => cipher.sealText('orders.notes', row, 'same').toString('hex'));
  expect(new Set(values).size).toBe(1000);
});

test('a value that was moved to another row, team or column does not open', () => {
  const sealed = cipher.sealText('shipments.notes', row, 'W-123456');
  for (const open of [
    () => cipher.openText('shipments.notes', { ...row, id: randomUUID() }, sealed),
    () => cipher.openText('shipments.notes', { ...row, team_id: randomUUID() }, sealed),
    () => cipher.openText('orders.notes', row, sealed),
  ]) {
    expect(open).toThrow(/does not open/);
  }
});

test('a value with a changed byte does not open', () => {
  const sealed = cipher.sealText('shipments.notes', row, 'W-123456');
  for (let i = 1; i < sealed.length; i++) {
    const changed = Buffer.from(sealed);
    changed[i] = (changed[i] as number) ^ 1;
    expect(() => cipher.openText('shipments.notes', row, changed)).toThrow(/does not open/);
  }
  expect(() => cipher.openText('shipments.notes', row, sealed.subarray(0, 20))).toThrow(/too short/);
});

test('an older key opens its values, and an unknown version is named', () => {
  const old = cipher.sealText('orders.notes', row, 'ring twice');
  const both = openCipher(ring(2, 2, 1));
  expect(both.openText('orders.notes', row, old)).toBe('ring twice');
  const resealed = both.reseal('orders.notes', row, old) as Buffer;
  expect(resealed[0]).toBe(2);
  expect(openCipher(ring(2, 2)).openText('orders.notes', row, resealed)).toBe('ring twice');
  expect(both.reseal('orders.notes', row, resealed)).toBeNull();
  expect(() => openCipher(ring(2, 2)).openText('orders.notes', row, old)).toThrow(/key version 1/);
});

test('look-up hashes are equal only for equal text of one team and kind', () => {
  const hash = cipher.lookupHash('name_word', row.team_id, 'garcia');
  expect(cipher.lookupHash('name_word', row.team_id.toUpperCase(), 'garcia')).toEqual(hash);
  expect(cipher.lookupHash('name_word', randomUUID(), 'garcia')).not.toEqual(hash);
  expect(cipher.lookupHash('birth_date', row.team_id, 'garcia')).not.toEqual(hash);
});
