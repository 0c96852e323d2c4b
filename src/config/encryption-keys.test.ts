import { expect, test } from 'vitest';
import { configProblems } from '../../test/config-problems.ts';
import { parseConfig } from './options.ts';

const one = Buffer.alloc(32, 1).toString('base64');
const two = Buffer.alloc(32, 2).toString('base64');

test('encryption keys keep their order, and the first one seals', () => {
  const { secrets } = parseConfig({ PHIAL_ENCRYPTION_KEYS: `2:${two}, 1:${one}` });
  expect(secrets.encryptionKeys).toEqual([
    { version: 2, key: Buffer.alloc(32, 2) },
    { version: 1, key: Buffer.alloc(32, 1) },
  ]);
});

test.each([
  ['no version', one],
  ['a version of 0', `0:${one}`],
  ['a version over a byte', `256:${one}`],
  ['a short key', `1:${Buffer.alloc(31).toString('base64')}`],
  ['a version twice', `1:${one},1:${two}`],
])('an entry with %s is refused, and the error holds no part of a key', (_what, value) => {
  const problems = configProblems({ PHIAL_ENCRYPTION_KEYS: value });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^PHIAL_ENCRYPTION_KEYS: entry \d must be a version of its own/);
  expect(problems[0]).not.toContain(one.slice(0, 8));
});
