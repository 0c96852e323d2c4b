import { expect, test } from 'vitest';
import { parseConfig } from '../config/options.ts';
import { noticesOn } from './notices.ts';

const production = {
  PHIAL_ENVIRONMENT: 'production',
  PHIAL_LOOKUP_KEY: Buffer.alloc(32, 1).toString('base64'),
  PHIAL_ENCRYPTION_KEYS: `1:${Buffer.alloc(32, 2).toString('base64')}`,
};
const notices = (env: Record<string, string>, embedded = false): string[] =>
  noticesOn(parseConfig(env).config, { embedded, dataDir: '/data' });

test('a sandbox on loopback, and production with a base address on its own server, cause no notice', () => {
  expect(notices({}, true)).toEqual([]);
  for (const PHIAL_HOST of ['localhost', '::1', '127.0.0.1']) expect(notices({ PHIAL_HOST })).toEqual([]);
  expect(notices({ ...production, PHIAL_BASE_URL: 'https://api.example.com', PHIAL_HOST: '0.0.0.0' })).toEqual([]);
});

test('production on the embedded server causes a notice that nobody else copies its data', () => {
  const [notice, ...others] = notices({ ...production, PHIAL_BASE_URL: 'https://api.example.com' }, true);
  expect(others).toEqual([]);
  expect(notice).toMatch(/embedded PostgreSQL: all data is in \/data .* DATABASE_URL/);
});

test('production without a base address causes a notice about its links', () => {
  expect(notices(production)).toEqual([
    expect.stringMatching(/links in answers point to http:\/\/localhost:3000.*https/),
  ]);
});

test('production refuses a base address that is not https', () => {
  for (const PHIAL_BASE_URL of ['http://api.example.com', 'http://localhost:3000']) {
    expect(() => notices({ ...production, PHIAL_BASE_URL })).toThrow(
      /PHIAL_BASE_URL must be an https address in production/,
    );
  }
});

test('a sandbox that listens beyond this machine causes a notice about who can reach it', () => {
  for (const PHIAL_HOST of ['0.0.0.0', '::', '192.0.2.7', 'api.example.com', '127.example.com']) {
    expect(notices({ PHIAL_HOST })).toEqual([
      expect.stringContaining(`Listening on ${PHIAL_HOST}, beyond this machine`),
    ]);
  }
});
