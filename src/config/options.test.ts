import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { nearest } from './nearest.ts';
import { OPTIONS } from './option-table.ts';
import { ConfigError, parseConfig } from './options.ts';

test('.env.example is a valid configuration', () => {
  const env = Object.fromEntries(
    readFileSync('.env.example', 'utf8')
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  expect(Object.keys(env)).toEqual(Object.keys(OPTIONS));
  expect(parseConfig(env)).toEqual(parseConfig({}));
});

test('without options the service is a sandbox in the US on port 3000', () => {
  expect(parseConfig({}).config).toMatchObject({
    environment: 'sandbox',
    region: 'us',
    port: 3000,
    baseUrl: 'http://localhost:3000',
    host: '127.0.0.1',
  });
});

test('by default a body has 30 seconds to arrive, and the audit log stays for 6 years', () => {
  expect(parseConfig({}).config).toMatchObject({ requestTimeoutMs: 30_000, auditRetentionYears: 6 });
});

test('the error lists every bad option by name', () => {
  const bad = {
    PHIAL_ENVIRONMENT: 'staging',
    PHIAL_REGION: 'mars',
    PORT: 'http',
    PHIAL_BASE_URL: 'example',
    PHIAL_BODY_LIMIT_BYTES: '1',
    PHIAL_HEADER_PREFIXES: 'x_acme',
    PHIAL_WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/64',
    DATABASE_URL: 'mysql://db',
    PHIAL_LOOKUP_KEY: 'short',
    PHIAL_LOG_LEVEL: 'loud',
    PHIAL_RETENTION_DAYS: '0',
    PHIAL_METRICS_PORT: '70000',
    PHIAL_SANDBOX_AUTOPILOT_SECONDS: '-1',
    PHIAL_WEBHOOK_TIMEOUT_SECONDS: '61',
    PHIAL_WEBHOOK_IN_FLIGHT_PER_ENDPOINT: '0',
    PHIAL_DATABASE_POOL_SIZE: '1',
    PHIAL_DRAIN_SECONDS: 'x',
    PHIAL_OWNER_DATABASE_URL: 'db',
    PHIAL_TEAMS_PER_ORG: '0',
    PHIAL_MANAGEMENT_KEYS_PER_ORG: '1',
    PHIAL_API_KEYS_PER_TEAM: '-1',
    PHIAL_WEBHOOKS_PER_TEAM: '1001',
    PHIAL_USERS_PER_TEAM: 'many',
  };
  let problems: string[] = [];
  try {
    parseConfig(bad);
  } catch (error) {
    problems = (error as ConfigError).problems;
  }
  for (const name of Object.keys(bad)) expect(problems.filter((problem) => problem.startsWith(name))).toHaveLength(1);
});

const productionEnv = {
  PHIAL_ENVIRONMENT: 'production',
  PHIAL_LOOKUP_KEY: Buffer.alloc(32, 7).toString('base64'),
  PHIAL_ENCRYPTION_KEYS: `1:${Buffer.alloc(32, 8).toString('base64')}`,
};

test('four processes and a psql session fit into the connections of the embedded server', () => {
  const { api, delivery, jobs } = parseConfig({}).config.databasePools;
  // max_connections minus the connections that are reserved for superusers
  expect(4 * (api + delivery + jobs + 1)).toBeLessThan(100 - 3);
});

test('statements of background jobs have a longer limit than those of requests, and each limit is an option', () => {
  const { databaseLimits, jobLimits } = parseConfig({}).config;
  expect(databaseLimits).toEqual({
    statementMs: 30_000,
    lockMs: 10_000,
    idleMs: 30_000,
    silenceMs: 5_000,
    waitMs: 5_000,
  });
  expect(jobLimits.statementMs).toBe(300_000);
  const set = parseConfig({
    PHIAL_DATABASE_STATEMENT_TIMEOUT_SECONDS: '4',
    PHIAL_DATABASE_JOB_STATEMENT_TIMEOUT_SECONDS: '5',
    PHIAL_DATABASE_LOCK_TIMEOUT_SECONDS: '2',
    PHIAL_DATABASE_IDLE_TIMEOUT_SECONDS: '3',
  }).config;
  expect(set.databaseLimits).toMatchObject({ statementMs: 4_000, lockMs: 2_000, idleMs: 3_000 });
  expect(set.jobLimits).toMatchObject({ statementMs: 5_000, lockMs: 2_000, idleMs: 3_000 });
});

test('production needs the keys of personal data, and sends webhooks to public addresses only', () => {
  for (const name of ['PHIAL_LOOKUP_KEY', 'PHIAL_ENCRYPTION_KEYS']) {
    expect(() => parseConfig({ ...productionEnv, [name]: '' })).toThrow(new RegExp(`${name} is needed`));
  }
  expect(parseConfig(productionEnv).config.webhookAllowedNetworks).toEqual([]);
});

test('production uses https for providers and for clients', () => {
  const options = Object.keys(OPTIONS).filter((name) => name.endsWith('_BASE_URL'));
  expect(options.length).toBeGreaterThan(8);
  for (const name of options) {
    expect(() => parseConfig({ ...productionEnv, [name]: 'http://stand-in.example.com' })).toThrow(
      `${name} must be an https address in production`,
    );
    parseConfig({ ...productionEnv, [name]: 'https://stand-in.example.com' });
  }
});

test('an option that is both wrong and required gives one problem', () => {
  expect(() => parseConfig({ ...productionEnv, PHIAL_LOOKUP_KEY: 'short' })).toThrow(
    /^The configuration has a problem:\n {2}- PHIAL_LOOKUP_KEY must be 32 bytes/,
  );
});

test('the error of a list names the wrong items', () => {
  expect(() => parseConfig({ PHIAL_WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8, home, ::1/129' })).toThrow(
    'PHIAL_WEBHOOK_ALLOWED_NETWORKS must be networks such as 10.0.0.0/8, but has "home", "::1/129".',
  );
});

test('the error of a misspelled name with our prefix names the option that was meant', () => {
  expect(() =>
    parseConfig({ PHIAL_LOG_LEVL: 'debug', PHIAL_SPEED: '9', PHIAL_TEST_DATABASE_URL: 'x', PATH: '/' }),
  ).toThrow(
    'The configuration has 2 problems:\n' +
      '  - PHIAL_LOG_LEVL is not an option of Phial. Did you mean PHIAL_LOG_LEVEL?\n' +
      '  - PHIAL_SPEED is not an option of Phial. .env.example lists them all.',
  );
});

test('options of other programs for their database are ignored', () => {
  expect(() => parseConfig({ DATABASE_HOST: 'db', DATABASE_USER: 'x' })).not.toThrow();
  expect(() => parseConfig({ DATABASE_URI: 'x', DATABASE_URL: 'postgres://db.example.com/phial' })).not.toThrow();
});

test.each([
  ['PHIAL_PORT', 'PORT'],
  ['PHIAL_DATABASE_URL', 'DATABASE_URL'],
  ['DATABASE_ULR', 'DATABASE_URL'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['PHIAL_OWNER_DATABSE_URL', 'PHIAL_OWNER_DATABASE_URL'],
  ['PHIAL_STRVA_CLIENT_ID', 'PHIAL_STRAVA_CLIENT_ID'],
  ['PHIAL_STRAVA_CLIENTID', 'PHIAL_STRAVA_CLIENT_ID'],
  ['PHIAL_WHOOP_CLIENT_SECRET', 'PHIAL_WHOOP_V2_CLIENT_SECRET'],
  ['PHIAL_OURA_HISTORY_DAY', 'PHIAL_OURA_HISTORY_DAYS'],
  ['PHIAL_DEXCOM_BASE_URL', 'PHIAL_DEXCOM_V3_BASE_URL'],
  ['PHIAL_BASSE_URL', 'PHIAL_BASE_URL'],
])('the error for %s suggests %s', (name, meant) => {
  expect(() => parseConfig({ [name]: '1' })).toThrow(`${name} is not an option of Phial. Did you mean ${meant}?`);
});

test.each(['PHIAL_FOO', 'PHIAL_DB', 'PHIAL_SPEED'])(
  'the error for %s suggests nothing: no option is similar',
  (name) => {
    expect(() => parseConfig({ [name]: '1' })).toThrow(
      `${name} is not an option of Phial. .env.example lists them all.`,
    );
  },
);

test.each(['PHIAL_FITBIT_CLIENT_ID', 'PHIAL_GARMIN_CLIENT_SECRET', 'PHIAL_SUUNTO_BASE_URL'])(
  'the error for %s, of a provider without options, suggests no option of another provider',
  (name) => {
    expect(() => parseConfig({ [name]: '1' })).toThrow(
      `${name} is not an option of Phial. .env.example lists them all.`,
    );
  },
);

test.each([
  ['serv', 'serve'],
  ['bakup', 'backup'],
  ['backup', 'backup'],
  ['pi', 'api'],
  ['dance', null],
])('the nearest name to %s is %s', (word, name) => {
  expect(nearest(word, ['serve', 'api', 'backup', 'bootstrap'])).toBe(name);
});

test('only a sandbox that listens on loopback sends webhooks to loopback', () => {
  const networks = (env: Record<string, string>) => parseConfig(env).config.webhookAllowedNetworks;
  expect(networks({})).toEqual(['127.0.0.0/8', '::1/128']);
  expect(networks({ PHIAL_HOST: '0.0.0.0' })).toEqual([]);
  expect(networks({ PHIAL_HOST: '10.1.2.3' })).toEqual([]);
  expect(networks({ PHIAL_HOST: '0.0.0.0', PHIAL_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' })).toEqual(['127.0.0.0/8']);
});

describe('the application at a provider', () => {
  test('needs both an id and a secret', () => {
    const { config } = parseConfig({ PHIAL_OURA_CLIENT_ID: 'client', PHIAL_OURA_CLIENT_SECRET: 'hush' });
    expect(config.providers['oura']).toMatchObject({ id: 'client' });
    expect(config.providerSettings['strava']).toEqual({ baseUrl: null, historyDays: null });
    expect(config.providers['oura']?.secret.reveal()).toBe('hush');
    expect(config.providers['strava']).toBeUndefined();
    expect(() => parseConfig({ PHIAL_STRAVA_CLIENT_ID: 'client' })).toThrow(
      'PHIAL_STRAVA_CLIENT_SECRET belong together',
    );
  });

  test.each(['0', '366', '1.5', 'all'])('does not accept %s days of past data', (PHIAL_OURA_HISTORY_DAYS) => {
    expect(() => parseConfig({ PHIAL_OURA_HISTORY_DAYS })).toThrow('must be a whole number from 1 to 365');
  });

  test('never shows its secret', () => {
    const { config } = parseConfig({ PHIAL_OURA_CLIENT_ID: 'client', PHIAL_OURA_CLIENT_SECRET: 'hush-hush' });
    expect(JSON.stringify(config) + inspect(config, { depth: 9, showHidden: true })).not.toContain('hush-hush');
  });
});

describe('the issuer at which members sign in', () => {
  const all = {
    PHIAL_OPENID_ISSUER: 'https://login.example.com/tenant/',
    PHIAL_OPENID_CLIENT_ID: 'phial',
    PHIAL_OPENID_CLIENT_SECRET: 'quailbrush',
  };
  test('needs its address, a client and a secret, and is null without them', () => {
    expect(parseConfig({}).config.openid).toBeNull();
    const { openid } = parseConfig(all).config;
    expect(openid).toMatchObject({ issuer: all.PHIAL_OPENID_ISSUER, clientId: 'phial', name: 'your company account' });
    expect([openid?.clientSecret.reveal(), JSON.stringify(openid).includes('quailbrush')]).toEqual([
      'quailbrush',
      false,
    ]);
    for (const name of Object.keys(all)) {
      expect(() => parseConfig({ ...all, [name]: '' })).toThrow('belong together');
    }
  });

  test('is an https address in production', () => {
    const plain = { ...productionEnv, ...all, PHIAL_OPENID_ISSUER: 'http://login.example.com' };
    expect(() => parseConfig(plain)).toThrow('PHIAL_OPENID_ISSUER must be an https address');
    expect(() => parseConfig({ ...all, PHIAL_OPENID_ISSUER: 'login.example.com' })).toThrow('PHIAL_OPENID_ISSUER must');
  });
});
