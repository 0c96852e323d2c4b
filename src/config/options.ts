import { findEncryptionKeys, type EncryptionKey } from './encryption-keys.ts';
import { misspelledOptions, type Env } from './environment.ts';
import {
  readProviderClients,
  readProviderSettings,
  unencryptedProviders,
  type Hidden,
  type ProviderClient,
  type ProviderSettings,
} from './provider-options.ts';
import { readOptions, type Given } from './read-options.ts';

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
  /** Prefixes of the headers of keys and link tokens that are read beside the documented one; empty: any. */
  headerPrefixes: string[];
  bodyLimitBytes: number;
  logLevel: string;
  logFormat: 'text' | 'json';
  /** Port of /metrics; null: beside the API in the sandbox, nowhere in production. */
  metricsPort: number | null;
  /** Where laboratories send results by MLLP. */
  hl7: {
    /** null: nowhere. */
    port: number | null;
    tls: { certificateFile: string; keyFile: string; clientCaFile: string | null } | null;
    /** How long what cannot be taken stays in a laboratory's folder. */
    failedFilesDays: number;
  };
  /** Seconds between the steps that sandbox orders take by themselves; null: nothing moves by itself. */
  autopilotSeconds: number | null;
  retentionDays: number;
  auditRetentionYears: number;
  /** How long samples of wearables are kept; null: until their user is erased. */
  sampleRetentionMonths: number | null;
  webhookAllowedNetworks: string[];
  webhookTimeoutMs: number;
  webhookInFlightPerEndpoint: number;
  databasePools: { api: number; delivery: number; jobs: number };
  databaseLimits: DatabaseLimits;
  /** Of background jobs, which work through what a request never would. */
  jobLimits: DatabaseLimits;
  /** Directory of uploaded files; null: uploads in the data directory, which is chosen at start. */
  uploadDir: string | null;
  uploads: UploadLimits;
  /** Bytes that a team's lab reports may take, which stay as long as their users. */
  labReportBytes: number;
  /** The same for an organisation: of files that wait to be imported, and of lab reports. */
  orgBytes: { uploads: number; labReports: number };
  storage: {
    /** What stays free: files are refused before it is used. */
    reserveBytes: number;
    /** That the database may grow to; null: not known. */
    databaseBytes: number | null;
    /** Of the embedded server, chosen at start; null: the database is elsewhere. */
    databaseDir: string | null;
  };
  drainSeconds: number;
  /** A request has arrived by then, and its answer been read. */
  requestTimeoutMs: number;
  maxConnections: number;
  /** null: no more than maxConnections says. */
  maxConnectionsPerAddress: number | null;
  /** Whose X-Forwarded-For tells where a request came from. */
  trustedProxies: string[];
  /** Requests of one key; null: as many as it likes. */
  rateLimit: { perSecond: number; burst: number } | null;
  limits: Limits;
  /** The applications that are registered with providers of wearable data, by the provider's slug. */
  providers: Readonly<Record<string, ProviderClient>>;
  /** Of every provider that can be connected, by its slug, also where no application is registered with it. */
  providerSettings: Readonly<Record<string, ProviderSettings>>;
  /** By which carriers sign; none: their news is not taken. */
  carrierSecrets: readonly Hidden[];
  /** Where mail goes out; null: it waits in the outbox. */
  mail: { url: Hidden; from: string } | null;
  /** Who is asked for the proofs of domains; null: the name servers of this machine. */
  domainNameServers: readonly string[] | null;
};

type UploadLimits = {
  /** Of one file. */
  fileBytes: number;
  /** Of all files of a team that are not imported yet. */
  teamBytes: number;
  /** Of what one file holds when it is unpacked. */
  expandedBytes: number;
  /** Of the processor, to read one file. */
  cpuSeconds: number;
  /** For the import of one file, without the time in which it waits for its turn. */
  importMs: number;
};

/** After how long the database gives up a statement, a wait for a lock, and a transaction that does nothing. */
export type DatabaseLimits = {
  statementMs: number;
  lockMs: number;
  idleMs: number;
  /** How long after statementMs a server that says nothing is given up. */
  silenceMs: number;
  /** How long a statement waits for a connection of its pool. */
  waitMs: number;
};

/** How many of a thing one organisation or team may have; null: as many as it likes. */
export type Limits = {
  teamsPerOrg: number;
  managementKeysPerOrg: number;
  /** Members and open invites together. */
  membersPerOrg: number;
  domainsPerOrg: number;
  ehrMembersPerOrg: number;
  apiKeysPerTeam: number;
  labTestsPerTeam: number;
  webhooksPerTeam: number;
  continuousQueriesPerTeam: number;
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

/** Reads the options from `env` or throws ConfigError with every problem. */
export function parseConfig(env: Env): { config: Config; secrets: Secrets } {
  const { given, wrong } = readOptions(env);
  const encryption = findEncryptionKeys(given);
  const problems = [
    ...misspelledOptions(env),
    ...wrong.values(),
    ...encryption.problems,
    ...readProviderClients(given).problems,
  ];
  if ((given.PHIAL_HL7_TLS_CERTIFICATE_FILE === null) !== (given.PHIAL_HL7_TLS_KEY_FILE === null)) {
    problems.push('PHIAL_HL7_TLS_CERTIFICATE_FILE and PHIAL_HL7_TLS_KEY_FILE belong together: set both or none.');
  }
  if ((given.PHIAL_SMTP_URL === null) !== (given.PHIAL_MAIL_FROM === null)) {
    problems.push('PHIAL_SMTP_URL and PHIAL_MAIL_FROM belong together: set both or none.');
  }
  if (given.PHIAL_ENVIRONMENT === 'production') {
    if (given.PHIAL_BASE_URL?.startsWith('http:')) {
      problems.push('PHIAL_BASE_URL must be an https address in production: keys and personal data travel to it.');
    }
    for (const option of unencryptedProviders(given)) {
      problems.push(`${option} must be an https address in production: tokens and personal data travel to it.`);
    }
    if (given.PHIAL_LOOKUP_KEY === null && !wrong.has('PHIAL_LOOKUP_KEY')) {
      problems.push(
        'PHIAL_LOOKUP_KEY is needed in production: set it to the output of `openssl rand -base64 32` and keep it.',
      );
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const secrets = {
    databaseUrl: given.DATABASE_URL,
    ownerDatabaseUrl: given.PHIAL_OWNER_DATABASE_URL,
    lookupKey: given.PHIAL_LOOKUP_KEY,
    encryptionKeys: encryption.keys,
  };
  return { config: configOf(given), secrets };
}

const configOf = (given: Given): Config => ({
  environment: given.PHIAL_ENVIRONMENT,
  region: given.PHIAL_REGION,
  baseUrl: given.PHIAL_BASE_URL ?? `http://localhost:${given.PORT}`,
  host: given.PHIAL_HOST,
  port: given.PORT,
  dataDir: given.PHIAL_DATA_DIR,
  headerPrefixes: given.PHIAL_HEADER_PREFIXES,
  bodyLimitBytes: given.PHIAL_BODY_LIMIT_BYTES,
  logLevel: given.PHIAL_LOG_LEVEL,
  logFormat: given.PHIAL_LOG_FORMAT ?? (given.PHIAL_ENVIRONMENT === 'production' ? 'json' : 'text'),
  metricsPort: given.PHIAL_METRICS_PORT,
  hl7: {
    port: given.PHIAL_HL7_PORT,
    tls:
      given.PHIAL_HL7_TLS_CERTIFICATE_FILE === null || given.PHIAL_HL7_TLS_KEY_FILE === null
        ? null
        : {
            certificateFile: given.PHIAL_HL7_TLS_CERTIFICATE_FILE,
            keyFile: given.PHIAL_HL7_TLS_KEY_FILE,
            clientCaFile: given.PHIAL_HL7_TLS_CLIENT_CA_FILE,
          },
    failedFilesDays: given.PHIAL_HL7_FAILED_FILES_DAYS,
  },
  autopilotSeconds: given.PHIAL_SANDBOX_AUTOPILOT_SECONDS,
  retentionDays: given.PHIAL_RETENTION_DAYS,
  auditRetentionYears: given.PHIAL_AUDIT_RETENTION_YEARS,
  sampleRetentionMonths: given.PHIAL_SAMPLE_RETENTION_MONTHS,
  webhookAllowedNetworks: given.PHIAL_WEBHOOK_ALLOWED_NETWORKS ?? usualNetworks(given),
  webhookTimeoutMs: given.PHIAL_WEBHOOK_TIMEOUT_SECONDS * 1000,
  webhookInFlightPerEndpoint: given.PHIAL_WEBHOOK_IN_FLIGHT_PER_ENDPOINT,
  databasePools: {
    api: given.PHIAL_DATABASE_POOL_SIZE,
    delivery: given.PHIAL_DATABASE_DELIVERY_POOL_SIZE,
    jobs: given.PHIAL_DATABASE_JOBS_POOL_SIZE,
  },
  databaseLimits: databaseLimits(given, given.PHIAL_DATABASE_STATEMENT_TIMEOUT_SECONDS),
  jobLimits: databaseLimits(given, given.PHIAL_DATABASE_JOB_STATEMENT_TIMEOUT_SECONDS),
  uploadDir: given.PHIAL_UPLOAD_DIR,
  uploads: {
    fileBytes: given.PHIAL_UPLOAD_LIMIT_BYTES,
    teamBytes: given.PHIAL_UPLOAD_QUOTA_BYTES,
    expandedBytes: given.PHIAL_IMPORT_EXPANDED_LIMIT_BYTES,
    cpuSeconds: given.PHIAL_IMPORT_CPU_SECONDS,
    importMs: given.PHIAL_IMPORT_TIMEOUT_SECONDS * 1000,
  },
  labReportBytes: given.PHIAL_LAB_REPORT_QUOTA_BYTES,
  orgBytes: { uploads: given.PHIAL_UPLOAD_QUOTA_BYTES_PER_ORG, labReports: given.PHIAL_LAB_REPORT_QUOTA_BYTES_PER_ORG },
  storage: {
    reserveBytes: given.PHIAL_STORAGE_RESERVE_BYTES,
    databaseBytes: given.PHIAL_DATABASE_LIMIT_BYTES,
    databaseDir: null,
  },
  drainSeconds: given.PHIAL_DRAIN_SECONDS,
  requestTimeoutMs: given.PHIAL_REQUEST_TIMEOUT_SECONDS * 1000,
  maxConnections: given.PHIAL_MAX_CONNECTIONS,
  maxConnectionsPerAddress: given.PHIAL_MAX_CONNECTIONS_PER_ADDRESS,
  trustedProxies: given.PHIAL_TRUSTED_PROXIES,
  rateLimit: rateLimit(given),
  limits: {
    teamsPerOrg: given.PHIAL_TEAMS_PER_ORG,
    managementKeysPerOrg: given.PHIAL_MANAGEMENT_KEYS_PER_ORG,
    membersPerOrg: given.PHIAL_MEMBERS_PER_ORG,
    domainsPerOrg: given.PHIAL_DOMAINS_PER_ORG,
    ehrMembersPerOrg: given.PHIAL_EHR_MEMBERS_PER_ORG,
    apiKeysPerTeam: given.PHIAL_API_KEYS_PER_TEAM,
    labTestsPerTeam: given.PHIAL_LAB_TESTS_PER_TEAM,
    webhooksPerTeam: given.PHIAL_WEBHOOKS_PER_TEAM,
    continuousQueriesPerTeam: given.PHIAL_CONTINUOUS_QUERIES_PER_TEAM,
    usersPerTeam: given.PHIAL_USERS_PER_TEAM,
  },
  providers: readProviderClients(given).clients,
  providerSettings: readProviderSettings(given),
  carrierSecrets: given.PHIAL_CARRIER_WEBHOOK_SECRETS,
  mail:
    given.PHIAL_SMTP_URL === null || given.PHIAL_MAIL_FROM === null
      ? null
      : { url: given.PHIAL_SMTP_URL, from: given.PHIAL_MAIL_FROM },
  domainNameServers: given.PHIAL_DOMAIN_NAME_SERVERS,
});

/** A sandbox that others can reach must not be their way to what listens on this machine alone. */
function usualNetworks(given: Given): string[] {
  const local = given.PHIAL_ENVIRONMENT === 'sandbox' && /^(127\.[\d.]+|::1|localhost)$/.test(given.PHIAL_HOST);
  return local ? ['127.0.0.0/8', '::1/128'] : [];
}

function rateLimit(given: Given): Config['rateLimit'] {
  const perSecond = given.PHIAL_RATE_LIMIT_PER_SECOND ?? (given.PHIAL_ENVIRONMENT === 'production' ? 50 : 0);
  return perSecond === 0 ? null : { perSecond, burst: given.PHIAL_RATE_LIMIT_BURST ?? 2 * perSecond };
}

const databaseLimits = (given: Given, statementSeconds: number): DatabaseLimits => ({
  statementMs: statementSeconds * 1000,
  silenceMs: 5_000,
  waitMs: 5_000,
  lockMs: given.PHIAL_DATABASE_LOCK_TIMEOUT_SECONDS * 1000,
  idleMs: given.PHIAL_DATABASE_IDLE_TIMEOUT_SECONDS * 1000,
});
