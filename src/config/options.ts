import { findEncryptionKeys, type EncryptionKey } from './encryption-keys.ts';
import { databaseLimits, hl7Listener, rateLimit, usualNetworks } from './derived-options.ts';
import { misspelledOptions, type Env } from './read-environment.ts';
import {
  readProviderClients,
  readProviderSettings,
  unencryptedProviders,
  type Hidden,
  type ProviderClient,
  type ProviderSettings,
} from './provider-options.ts';
import { readOptions, type OptionValues } from './read-options.ts';
import { openidOf, problemsOfOpenid } from './openid.ts';

/** The configuration of the service. We parse and check all options once, before anything starts. */
export type Config = {
  environment: 'sandbox' | 'production';
  region: 'us' | 'eu';
  /** The public URL of the service, without a slash at its end. We use it in links. */
  baseUrl: string;
  host: string;
  port: number;
  /** Directory of the embedded PostgreSQL and of credentials.json. Null: we choose it at start. */
  dataDir: string | null;
  /** Prefixes of headers for keys and link tokens that we accept beside the documented one. Empty: every prefix. */
  headerPrefixes: string[];
  bodyLimitBytes: number;
  logLevel: string;
  logFormat: 'text' | 'json';
  /** Port of /metrics. Null: a sandbox serves it on the port of the API, and production does not serve it. */
  metricsPort: number | null;
  /** The collector of traces, and the share of traces that it gets. Null: there are no traces. */
  traces: { url: string; percent: number } | null;
  /** The MLLP listener to which laboratories send results. */
  hl7: {
    /** Null: there is no listener. */
    port: number | null;
    tls: { certificateFile: string; keyFile: string; clientCaFile: string | null } | null;
    /** How many days an unusable file stays in the folder `failed` of a laboratory. */
    failedFilesDays: number;
  };
  /** Seconds between two automatic steps of a sandbox order. Null: there are no automatic steps. */
  autopilotSeconds: number | null;
  retentionDays: number;
  auditRetentionYears: number;
  /** How many months we store samples of wearables. Null: until we erase their user. */
  sampleRetentionMonths: number | null;
  webhookAllowedNetworks: string[];
  webhookTimeoutMs: number;
  webhookInFlightPerEndpoint: number;
  databasePools: { api: number; delivery: number; jobs: number };
  databaseLimits: DatabaseLimits;
  /** Limits for statements of background jobs. They may run longer than statements of requests. */
  jobLimits: DatabaseLimits;
  /** Directory of uploaded files. Null: the folder `uploads` in the data directory, which we choose at start. */
  uploadDir: string | null;
  uploads: UploadLimits;
  /** The most bytes of a team's lab reports. We store reports for as long as their users. */
  labReportBytes: number;
  /** The same limits for an organisation: bytes of files that wait for their import, and bytes of lab reports. */
  orgBytes: { uploads: number; labReports: number };
  storage: {
    /** How many bytes must stay free on the disk. We refuse files that would use them. */
    reserveBytes: number;
    /** The size to which the database may grow. Null: not known. */
    databaseBytes: number | null;
    /** Directory of the embedded server, which we choose at start. Null: the database is on another server. */
    databaseDir: string | null;
  };
  drainSeconds: number;
  /** The longest time in which a request must arrive, and in which the client must read the response. */
  requestTimeoutMs: number;
  maxConnections: number;
  /** Null: there is no limit per address, only maxConnections. */
  maxConnectionsPerAddress: number | null;
  /** Networks of trusted proxies, which name the client's address in X-Forwarded-For. */
  trustedProxies: string[];
  /** The rate limit of one key. Null: no limit. */
  rateLimit: { perSecond: number; burst: number } | null;
  limits: Limits;
  /** Our applications at providers of wearable data, by the provider's slug. */
  providers: Readonly<Record<string, ProviderClient>>;
  /**
   * The settings of every provider that users can connect, by the provider's slug. It has providers at which we have no
   * application, too.
   */
  providerSettings: Readonly<Record<string, ProviderSettings>>;
  /** The secrets with which carriers sign their updates. Empty: we accept no updates from carriers. */
  carrierSecrets: readonly Hidden[];
  /** The mail server. Null: we send no mail, and mail stays in the outbox. */
  mail: { url: Hidden; from: string } | null;
  /** The issuer of OpenID Connect at which members sign in. Null: none. */
  openid: { issuer: string; clientId: string; clientSecret: Hidden; name: string } | null;
  /** The DNS servers that we ask whether an organisation owns a domain. Null: those of this machine. */
  domainNameServers: readonly string[] | null;
};

type UploadLimits = {
  /** The most bytes of one file. */
  fileBytes: number;
  /** The most bytes of all files of a team that wait for their import. */
  teamBytes: number;
  /** The most bytes of one file after we have unpacked it. */
  expandedBytes: number;
  /** The processor time for parsing one file. */
  cpuSeconds: number;
  /** The time for the import of one file, without its time in the queue. */
  importMs: number;
};

/** Time limits of the database. It ends a statement, a wait for a lock, or an idle transaction that takes longer. */
export type DatabaseLimits = {
  statementMs: number;
  lockMs: number;
  idleMs: number;
  /** If a server sends nothing, we wait this much longer than statementMs. */
  silenceMs: number;
  /** The longest wait of a statement for a connection of its pool. */
  waitMs: number;
};

/** The most objects of each kind that an organisation or a team may have. Null: no limit. */
export type Limits = {
  teamsPerOrg: number;
  managementKeysPerOrg: number;
  /** Counts members and open invites together. */
  membersPerOrg: number;
  domainsPerOrg: number;
  ehrMembersPerOrg: number;
  apiKeysPerTeam: number;
  labTestsPerTeam: number;
  webhooksPerTeam: number;
  continuousQueriesPerTeam: number;
  usersPerTeam: number | null;
};

/** The secrets. They are not part of Config, so that nobody logs them with the configuration. */
export type Secrets = {
  databaseUrl: string | null;
  /** Connection URL of the role that owns the tables. Null: the same as databaseUrl. */
  ownerDatabaseUrl: string | null;
  /** The key (32 bytes) of the hashes with which we look up names. Null: the database stores the key. */
  lookupKey: Buffer | null;
  /** Encryption keys for personal columns. The first one encrypts. Empty: the sandbox makes its own key. */
  encryptionKeys: EncryptionKey[];
};

/** The error with all problems of the configuration, one per line. */
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

/** Reads the options from `env`. Throws ConfigError with every problem. */
export function parseConfig(env: Env): { config: Config; secrets: Secrets } {
  const { given, wrong } = readOptions(env);
  const encryption = findEncryptionKeys(given, wrong.has('PHIAL_ENCRYPTION_KEYS'));
  const problems = [
    ...misspelledOptions(env),
    ...wrong.values(),
    ...encryption.problems,
    ...readProviderClients(given, wrong).problems,
  ];
  if ((given.PHIAL_HL7_TLS_CERTIFICATE_FILE === null) !== (given.PHIAL_HL7_TLS_KEY_FILE === null)) {
    problems.push('PHIAL_HL7_TLS_CERTIFICATE_FILE and PHIAL_HL7_TLS_KEY_FILE belong together. Set both or none.');
  }
  if ((given.PHIAL_SMTP_URL === null) !== (given.PHIAL_MAIL_FROM === null) && !wrong.has('PHIAL_SMTP_URL')) {
    problems.push('PHIAL_SMTP_URL and PHIAL_MAIL_FROM belong together. Set both or none.');
  }
  problems.push(...problemsOfOpenid(given, wrong));
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

const configOf = (given: OptionValues): Config => ({
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
  traces: given.PHIAL_OTLP_URL === null ? null : { url: given.PHIAL_OTLP_URL, percent: given.PHIAL_TRACE_PERCENT },
  hl7: hl7Listener(given),
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
  openid: openidOf(given),
  domainNameServers: given.PHIAL_DOMAIN_NAME_SERVERS,
});
