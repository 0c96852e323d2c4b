import { isIP } from 'node:net';
import { readEncryptionKeys, readKeyFile, type EncryptionKey } from './encryption-keys.ts';
import { misspelledOptions, type Env } from './environment.ts';
import { OPTIONS } from './option-table.ts';

/** What the service is told by its surroundings: every option once, parsed and checked before anything starts. */
export type Config = {
  environment: 'sandbox' | 'production';
  region: 'us' | 'eu';
  /** Public address without a trailing slash, used in links. */
  baseUrl: string;
  host: string;
  port: number;
  /** Directory of the embedded PostgreSQL and of credentials.json; null: chosen at start. */
  dataDir: string | null;
  /** Accepted prefixes of header names, first the documented one. */
  headerPrefixes: string[];
  bodyLimitBytes: number;
  logLevel: string;
  /** Port of /metrics; null: beside the API in the sandbox, nowhere in production. */
  metricsPort: number | null;
  /** Seconds between the steps that sandbox orders take by themselves; null: nothing moves by itself. */
  autopilotSeconds: number | null;
  retentionDays: number;
  auditRetentionYears: number;
  webhookAllowedNetworks: string[];
  webhookTimeoutMs: number;
  webhookInFlightPerEndpoint: number;
  databasePools: { api: number; delivery: number; jobs: number };
  databaseLimits: DatabaseLimits;
  /** Of background jobs, which work through what a request never would. */
  jobLimits: DatabaseLimits;
  drainSeconds: number;
  /** A request has arrived by then, and its answer been read. */
  requestTimeoutMs: number;
  maxConnections: number;
  /** null: no more than maxConnections says. */
  maxConnectionsPerAddress: number | null;
  /** Requests of one key; null: as many as it likes. */
  rateLimit: { perSecond: number; burst: number } | null;
  limits: Limits;
};

/** After how long the database gives up a statement, a wait for a lock, and a transaction that does nothing. */
export type DatabaseLimits = {
  statementMs: number;
  lockMs: number;
  idleMs: number;
  /** How long after statementMs a server that says nothing is given up. */
  silenceMs: number;
};

/** How many of a thing one organisation or team may have; null: as many as it likes. */
export type Limits = {
  teamsPerOrg: number;
  managementKeysPerOrg: number;
  apiKeysPerTeam: number;
  webhooksPerTeam: number;
  usersPerTeam: number | null;
};

/** Kept apart from Config so that it is never logged with it. */
export type Secrets = {
  databaseUrl: string | null;
  /** Connection of the role that owns the tables; null: the same as databaseUrl. */
  ownerDatabaseUrl: string | null;
  /** 32 bytes that key the hashes names are looked up by; null: kept in the database. */
  lookupKey: Buffer | null;
  /** Keys of the personal columns, the first of which seals; empty: the sandbox makes its own. */
  encryptionKeys: EncryptionKey[];
};

/** All wrong options at once, a line each. */
export class ConfigError extends Error {
  readonly problems: string[];

  constructor(problems: string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems
        .map((problem) => `  - ${problem}`)
        .join('\n')}`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Reads the options from `env` (an empty value counts as absent) or throws ConfigError with every problem. */
export function parseConfig(env: Env): { config: Config; secrets: Secrets } {
  const problems = misspelledOptions(env);
  const text = (name: string): string => {
    const option = OPTIONS.find((o) => o.name === name);
    return env[name]?.trim() || (option?.default ?? '');
  };
  const oneOf = <T extends string>(name: string, values: readonly T[]): T => {
    const value = text(name);
    if (values.includes(value as T)) return value as T;
    problems.push(`${name} must be one of ${values.join(', ')}, but is ${JSON.stringify(value)}.`);
    return values[0] as T;
  };
  const whole = (name: string, least: number, most: number): number => {
    const value = text(name);
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= least && number <= most) return number;
    problems.push(`${name} must be a whole number from ${least} to ${most}, but is ${JSON.stringify(value)}.`);
    return least;
  };
  const wholeOrNull = (name: string, least: number, most: number): number | null =>
    text(name) === '' ? null : whole(name, least, most);

  const environment = oneOf('PHIAL_ENVIRONMENT', ['sandbox', 'production']);
  const port = whole('PORT', 0, 65_535);
  const baseUrl = text('PHIAL_BASE_URL') || `http://localhost:${port}`;
  if (!/^https?:\/\/[^/\s?#]+(\/[^\s?#]*)?$/.test(baseUrl)) {
    problems.push(`PHIAL_BASE_URL must be an http or https address without query, but is ${JSON.stringify(baseUrl)}.`);
  } else if (environment === 'production' && text('PHIAL_BASE_URL').startsWith('http:')) {
    problems.push('PHIAL_BASE_URL must be an https address in production: keys and personal data travel to it.');
  }
  const headerPrefixes = text('PHIAL_HEADER_PREFIXES')
    .split(',')
    .map((p) => p.trim().toLowerCase())
    .filter(Boolean);
  for (const prefix of headerPrefixes) {
    if (!/^[a-z][a-z0-9-]*-$/.test(prefix)) {
      problems.push(
        `PHIAL_HEADER_PREFIXES: ${JSON.stringify(prefix)} must be letters, digits and hyphens and end with a hyphen, as x-service-.`,
      );
    }
  }
  // A sandbox that others can reach must not be their way to what listens on this machine alone.
  const local = environment === 'sandbox' && /^(127\.[\d.]+|::1|localhost)$/.test(text('PHIAL_HOST'));
  const allowedDefault = local ? '127.0.0.0/8,::1/128' : '';
  const webhookAllowedNetworks = (text('PHIAL_WEBHOOK_ALLOWED_NETWORKS') || allowedDefault)
    .split(',')
    .map((n) => n.trim())
    .filter(Boolean);
  for (const network of webhookAllowedNetworks) {
    if (!isNetwork(network)) {
      problems.push(`PHIAL_WEBHOOK_ALLOWED_NETWORKS: ${JSON.stringify(network)} is not a network such as 10.0.0.0/8.`);
    }
  }
  const rateLimit = (): Config['rateLimit'] => {
    const asked = wholeOrNull('PHIAL_RATE_LIMIT_PER_SECOND', 0, 100_000);
    const perSecond = asked ?? (environment === 'production' ? 50 : 0);
    const burst = wholeOrNull('PHIAL_RATE_LIMIT_BURST', 1, 1_000_000) ?? 2 * perSecond;
    return perSecond === 0 ? null : { perSecond, burst };
  };
  const databaseLimits = (statements: string, most: number): DatabaseLimits => ({
    statementMs: whole(statements, 1, most) * 1000,
    silenceMs: 5_000,
    lockMs: whole('PHIAL_DATABASE_LOCK_TIMEOUT_SECONDS', 1, 600) * 1000,
    idleMs: whole('PHIAL_DATABASE_IDLE_TIMEOUT_SECONDS', 1, 600) * 1000,
  });
  const config: Config = {
    environment,
    region: oneOf('PHIAL_REGION', ['us', 'eu']),
    baseUrl: baseUrl.replace(/\/+$/, ''),
    host: text('PHIAL_HOST'),
    port,
    dataDir: text('PHIAL_DATA_DIR') || null,
    headerPrefixes,
    bodyLimitBytes: whole('PHIAL_BODY_LIMIT_BYTES', 1024, 104_857_600),
    logLevel: oneOf('PHIAL_LOG_LEVEL', ['info', 'fatal', 'error', 'warn', 'debug', 'trace', 'silent']),
    metricsPort: wholeOrNull('PHIAL_METRICS_PORT', 0, 65_535),
    autopilotSeconds: wholeOrNull('PHIAL_SANDBOX_AUTOPILOT_SECONDS', 0, 86_400),
    retentionDays: whole('PHIAL_RETENTION_DAYS', 1, 3650),
    auditRetentionYears: whole('PHIAL_AUDIT_RETENTION_YEARS', 1, 100),
    webhookAllowedNetworks,
    webhookTimeoutMs: whole('PHIAL_WEBHOOK_TIMEOUT_SECONDS', 1, 60) * 1000,
    webhookInFlightPerEndpoint: whole('PHIAL_WEBHOOK_IN_FLIGHT_PER_ENDPOINT', 1, 256),
    databasePools: {
      api: whole('PHIAL_DATABASE_POOL_SIZE', 2, 200),
      delivery: whole('PHIAL_DATABASE_DELIVERY_POOL_SIZE', 3, 50),
      jobs: whole('PHIAL_DATABASE_JOBS_POOL_SIZE', 3, 50),
    },
    databaseLimits: databaseLimits('PHIAL_DATABASE_STATEMENT_TIMEOUT_SECONDS', 600),
    jobLimits: databaseLimits('PHIAL_DATABASE_JOB_STATEMENT_TIMEOUT_SECONDS', 86_400),
    drainSeconds: whole('PHIAL_DRAIN_SECONDS', 0, 600),
    requestTimeoutMs: whole('PHIAL_REQUEST_TIMEOUT_SECONDS', 1, 600) * 1000,
    maxConnections: whole('PHIAL_MAX_CONNECTIONS', 10, 65_535),
    maxConnectionsPerAddress: wholeOrNull('PHIAL_MAX_CONNECTIONS_PER_ADDRESS', 1, 65_535),
    rateLimit: rateLimit(),
    limits: {
      teamsPerOrg: whole('PHIAL_TEAMS_PER_ORG', 1, 100_000),
      managementKeysPerOrg: whole('PHIAL_MANAGEMENT_KEYS_PER_ORG', 2, 10_000),
      apiKeysPerTeam: whole('PHIAL_API_KEYS_PER_TEAM', 1, 10_000),
      webhooksPerTeam: whole('PHIAL_WEBHOOKS_PER_TEAM', 1, 1000),
      usersPerTeam: wholeOrNull('PHIAL_USERS_PER_TEAM', 1, 1_000_000_000),
    },
  };
  const postgresUrl = (name: string): string | null => {
    const value = text(name);
    if (value && !/^postgres(ql)?:\/\//.test(value))
      problems.push(`${name} must start with postgres:// or postgresql://.`);
    return value || null;
  };
  const encryptionKeys = (): EncryptionKey[] => {
    const file = text('PHIAL_ENCRYPTION_KEYS_FILE');
    const listed = text('PHIAL_ENCRYPTION_KEYS');
    if (file && listed) {
      problems.push('PHIAL_ENCRYPTION_KEYS_FILE and PHIAL_ENCRYPTION_KEYS are both there: give the keys in one place.');
      return [];
    }
    const content = file ? readKeyFile(file) : listed;
    if (content === null) {
      problems.push(`PHIAL_ENCRYPTION_KEYS_FILE: ${JSON.stringify(file)} cannot be read.`);
      return [];
    }
    const read = readEncryptionKeys(content, file ? 'PHIAL_ENCRYPTION_KEYS_FILE' : 'PHIAL_ENCRYPTION_KEYS');
    problems.push(...read.problems);
    if (environment === 'production' && read.keys.length === 0 && read.problems.length === 0) {
      problems.push(
        'PHIAL_ENCRYPTION_KEYS is needed in production: set it to 1:$(openssl rand -base64 32) and keep it: without it nothing personal can be read again.',
      );
    }
    return read.keys;
  };
  const secrets: Secrets = {
    databaseUrl: postgresUrl('DATABASE_URL'),
    ownerDatabaseUrl: postgresUrl('PHIAL_OWNER_DATABASE_URL'),
    lookupKey: text('PHIAL_LOOKUP_KEY') ? Buffer.from(text('PHIAL_LOOKUP_KEY'), 'base64') : null,
    encryptionKeys: encryptionKeys(),
  };
  if (secrets.lookupKey !== null && secrets.lookupKey.length !== 32) {
    problems.push('PHIAL_LOOKUP_KEY must be 32 bytes in base64, as `openssl rand -base64 32` prints them.');
  }
  if (environment === 'production' && secrets.lookupKey === null) {
    problems.push(
      'PHIAL_LOOKUP_KEY is needed in production: set it to the output of `openssl rand -base64 32` and keep it.',
    );
  }
  if (problems.length > 0) throw new ConfigError([...new Set(problems)]);
  return { config, secrets };
}

function isNetwork(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  const family = isIP(address);
  return rest.length === 0 && family > 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}
