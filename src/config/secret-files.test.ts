import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPTIONS } from './option-table.ts';
import { configProblems } from '../../test/config-problems.ts';
import { parseConfig } from './options.ts';

const SECRETS = {
  DATABASE_URL: 'postgres://service:pass@127.0.0.1/phial',
  PHIAL_OWNER_DATABASE_URL: 'postgres://owner:pass@127.0.0.1/phial',
  PHIAL_LOOKUP_KEY: Buffer.alloc(32, 3).toString('base64'),
  PHIAL_ENCRYPTION_KEYS: `2:${Buffer.alloc(32, 2).toString('base64')}\n1:${Buffer.alloc(32, 1).toString('base64')}`,
  PHIAL_CARRIER_WEBHOOK_SECRETS: 'first-secret,second-secret',
  PHIAL_SMTP_URL: 'smtps://user:pass@smtp.example.com:465',
  PHIAL_OURA_CLIENT_SECRET: 'secret-of-oura',
};
const BESIDE = { PHIAL_MAIL_FROM: 'phial@example.com', PHIAL_OURA_CLIENT_ID: 'client' };

let folder: string;
const fileOf = (name: string): string => join(folder, name);
const asFiles = (): Record<string, string> =>
  Object.fromEntries(Object.keys(SECRETS).map((name) => [`${name}_FILE`, fileOf(name)]));
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'phial-secrets-'));
  for (const [name, value] of Object.entries(SECRETS)) writeFileSync(fileOf(name), `${value}\n`);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a secret in a file', () => {
  test('is the same as in the environment, without the end of its line', () => {
    const found = parseConfig({ ...BESIDE, ...asFiles() });
    expect(found).toEqual(parseConfig({ ...BESIDE, ...SECRETS }));
    expect(found.secrets.databaseUrl).toBe(SECRETS.DATABASE_URL);
    expect(found.config.carrierSecrets.map((secret) => secret.reveal())).toEqual(['first-secret', 'second-secret']);
    expect(found.config.mail?.url.reveal()).toBe(SECRETS.PHIAL_SMTP_URL);
    expect(found.config.providers['oura']?.secret.reveal()).toBe('secret-of-oura');
  });

  test('is checked like in the environment, and the problem does not contain it', () => {
    writeFileSync(fileOf('wrong'), 'mysql://db-secret');
    const [problem, ...others] = configProblems({ DATABASE_URL_FILE: fileOf('wrong') });
    expect(others).toEqual([]);
    expect(problem).toMatch(/^DATABASE_URL must/);
    expect(problem).not.toContain('db-secret');
  });

  test('is refused beside the same secret in the environment, without a file, and in an empty or huge file', () => {
    writeFileSync(fileOf('empty'), '\n');
    writeFileSync(fileOf('huge'), 'x'.repeat(65_537));
    const problems = configProblems({
      PHIAL_ENVIRONMENT: 'production',
      PHIAL_MAIL_FROM: 'phial@example.com',
      DATABASE_URL: SECRETS.DATABASE_URL,
      DATABASE_URL_FILE: fileOf('DATABASE_URL'),
      PHIAL_LOOKUP_KEY_FILE: fileOf('nowhere'),
      PHIAL_ENCRYPTION_KEYS_FILE: fileOf('empty'),
      PHIAL_SMTP_URL_FILE: fileOf('huge'),
      PHIAL_API_KEY_FILE: folder,
      PHIAL_OURA_CLIENT_ID: 'client',
      PHIAL_OURA_CLIENT_SECRET_FILE: fileOf('nowhere'),
    });
    expect(problems).toEqual([
      'DATABASE_URL and DATABASE_URL_FILE are both set. Give the secret in one of them.',
      `PHIAL_LOOKUP_KEY cannot be read from ${JSON.stringify(fileOf('nowhere'))}, which PHIAL_LOOKUP_KEY_FILE names.`,
      `PHIAL_ENCRYPTION_KEYS is empty in ${JSON.stringify(fileOf('empty'))}, which PHIAL_ENCRYPTION_KEYS_FILE names.`,
      `PHIAL_API_KEY cannot be read from ${JSON.stringify(folder)}, which PHIAL_API_KEY_FILE names.`,
      `PHIAL_SMTP_URL cannot be read from ${JSON.stringify(fileOf('huge'))}, which PHIAL_SMTP_URL_FILE names.`,
      `PHIAL_OURA_CLIENT_SECRET cannot be read from ${JSON.stringify(fileOf('nowhere'))}, which ` +
        'PHIAL_OURA_CLIENT_SECRET_FILE names.',
    ]);
  });

  test('needs an option that is a secret', () => {
    expect(configProblems({ PHIAL_REGION_FILE: fileOf('DATABASE_URL') })[0]).toMatch(
      /^PHIAL_REGION_FILE is not an option/,
    );
  });
});

test('every option whose name says that it holds a key, secret or password can be in a file', () => {
  const named = Object.entries(OPTIONS).filter(([name]) => /KEY|SECRET|PASSWORD|DATABASE_URL|SMTP_URL/.test(name));
  const bare = named.filter(
    ([name, option]) => !('secret' in option) && !name.endsWith('_FILE') && !/_PER_/.test(name),
  );
  expect(bare.map(([name]) => name)).toEqual([]);
  expect(named.length).toBeGreaterThan(10);
});
