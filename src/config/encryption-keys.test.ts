import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseConfig, type ConfigError } from './options.ts';

const one = Buffer.alloc(32, 1).toString('base64');
const two = Buffer.alloc(32, 2).toString('base64');

const problemsOf = (env: Record<string, string>): string[] => {
  try {
    parseConfig(env);
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
};

test('encryption keys keep their order, and the first one seals', () => {
  const { secrets } = parseConfig({ PHIAL_ENCRYPTION_KEYS: `2:${two}, 1:${one}` });
  expect(secrets.encryptionKeys).toEqual([
    { version: 2, key: Buffer.alloc(32, 2) },
    { version: 1, key: Buffer.alloc(32, 1) },
  ]);
});

test('a file holds encryption keys, one entry a line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'phial-keys-'));
  const file = join(folder, 'keys');
  writeFileSync(file, `2:${two}\n1:${one}\n`);
  const { secrets } = parseConfig({ PHIAL_ENCRYPTION_KEYS_FILE: file });
  expect(secrets.encryptionKeys.map(({ version }) => version)).toEqual([2, 1]);
  rmSync(folder, { recursive: true });
});

test.each([
  ['no version', one],
  ['a version of 0', `0:${one}`],
  ['a version over a byte', `256:${one}`],
  ['a short key', `1:${Buffer.alloc(31).toString('base64')}`],
  ['a version twice', `1:${one},1:${two}`],
])('an entry with %s is refused, and the error holds no part of a key', (_what, value) => {
  const problems = problemsOf({ PHIAL_ENCRYPTION_KEYS: value });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^PHIAL_ENCRYPTION_KEYS: entry \d must be a version of its own/);
  expect(problems[0]).not.toContain(one.slice(0, 8));
});

test('keys in two options, or in a missing file, are refused', () => {
  expect(problemsOf({ PHIAL_ENCRYPTION_KEYS: `1:${one}`, PHIAL_ENCRYPTION_KEYS_FILE: 'x' })[0]).toMatch(
    /in one of them/,
  );
  expect(problemsOf({ PHIAL_ENCRYPTION_KEYS_FILE: '/nowhere/keys' })[0]).toMatch(/cannot be read/);
});
