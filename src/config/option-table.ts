import {
  headerPrefixes,
  httpAddress,
  key32,
  mailAddress,
  nameServers,
  networks,
  oneOf,
  orNull,
  postgresUrl,
  smtpUrl,
  text,
  whole,
  type Kind,
} from './option-kinds.ts';
import { FILE_OPTIONS } from './file-options.ts';
import { LIMIT_OPTIONS } from './limit-options.ts';
import { Hidden, hiddenList, PROVIDER_OPTIONS } from './provider-options.ts';
import { SIGN_IN_OPTIONS } from './sign-in-options.ts';
import { TRACE_OPTIONS } from './trace-options.ts';

/** A `secret` can also be in a file, which the option `<name>_FILE` names. */
export type Option = { default: string; read: Kind<unknown>; meaning: string; secret?: true };

/** Every option by its name. `npm run options` writes `.env.example` and `docs/operate/options.md` from it. */
export const OPTIONS = {
  PHIAL_ENVIRONMENT: {
    default: 'sandbox',
    read: oneOf('sandbox', 'production'),
    meaning: 'sandbox or production. A deployment serves one of them.',
  },
  PHIAL_REGION: {
    default: 'us',
    read: oneOf('us', 'eu'),
    meaning: 'us or eu. Data never leaves its region.',
  },
  PHIAL_BASE_URL: {
    default: '',
    read: orNull(httpAddress),
    meaning: 'Public address, used in links; empty: http://localhost:PORT.',
  },
  PHIAL_HOST: {
    default: '127.0.0.1',
    read: text,
    meaning: 'Address to listen on. 0.0.0.0 means every interface.',
  },
  PORT: {
    default: '3000',
    read: whole(0, 65_535),
    meaning: 'Port to listen on.',
  },
  PHIAL_DATA_DIR: {
    default: '',
    read: orNull(text),
    meaning: 'Directory of the embedded PostgreSQL and credentials.json; empty: .phial in the project.',
  },
  DATABASE_URL: {
    secret: true,
    default: '',
    read: orNull(postgresUrl),
    meaning: 'Address of PostgreSQL 15 or newer; empty: Phial starts the embedded server in the data directory.',
  },
  PHIAL_OWNER_DATABASE_URL: {
    secret: true,
    default: '',
    read: orNull(postgresUrl),
    meaning: 'Address of the same database for the role that owns the tables and migrates; empty: DATABASE_URL.',
  },
  PHIAL_DATABASE_POOL_SIZE: {
    default: '10',
    read: whole(2, 200),
    meaning:
      'Connections of this process for the API (2 to 200). Nine more are reserved for management keys, key ' +
      'look-ups, and requests without a key.',
  },
  PHIAL_DATABASE_DELIVERY_POOL_SIZE: {
    default: '3',
    read: whole(3, 50),
    meaning: 'Connections of this process for webhook delivery (3 to 50).',
  },
  PHIAL_DATABASE_JOBS_POOL_SIZE: {
    default: '6',
    read: whole(3, 50),
    meaning: 'Connections of this process for background jobs (3 to 50). One of them waits for new jobs.',
  },
  PHIAL_DATABASE_STATEMENT_TIMEOUT_SECONDS: {
    default: '30',
    read: whole(1, 600),
    meaning: 'Seconds after which a statement of the API or of delivery is cancelled (1 to 600).',
  },
  PHIAL_DATABASE_JOB_STATEMENT_TIMEOUT_SECONDS: {
    default: '300',
    read: whole(1, 86_400),
    meaning:
      'Seconds after which a statement of a background job, such as erasure or retention, is cancelled (1 to 86400).',
  },
  PHIAL_DATABASE_LOCK_TIMEOUT_SECONDS: {
    default: '10',
    read: whole(1, 600),
    meaning: 'Seconds that a statement may wait for a lock (1 to 600).',
  },
  PHIAL_DATABASE_IDLE_TIMEOUT_SECONDS: {
    default: '30',
    read: whole(1, 600),
    meaning: 'Seconds after which an idle transaction is ended (1 to 600).',
  },
  PHIAL_LOOKUP_KEY: {
    secret: true,
    default: '',
    read: orNull(key32),
    meaning: 'Key of the hashes that names are looked up by: 32 bytes in base64. Needed in production.',
  },
  PHIAL_ENCRYPTION_KEYS: {
    secret: true,
    default: '',
    read: text,
    meaning:
      'Keys that encrypt personal data, as 2:BASE64,1:BASE64 with 32 bytes each. The first encrypts, all ' +
      'decrypt. In a file also one key a line. Needed in production.',
  },
  PHIAL_HEADER_PREFIXES: {
    default: '',
    read: headerPrefixes,
    meaning:
      'Comma-separated prefixes, such as x-acme-. Headers of API keys and link tokens are read with these ' +
      'prefixes and x-service-; empty: with any x-<word>-.',
  },
  PHIAL_API_KEY: {
    secret: true,
    default: '',
    read: orNull(text),
    meaning: 'Key for commands that ask a running service, such as `phial orders`. The service does not use it.',
  },
  PHIAL_BODY_LIMIT_BYTES: {
    default: '1048576',
    read: whole(1024, 104_857_600),
    meaning: 'Largest request body in bytes.',
  },
  PHIAL_LOG_LEVEL: {
    default: 'info',
    read: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    meaning: 'fatal, error, warn, info, debug, trace or silent.',
  },
  PHIAL_LOG_FORMAT: {
    default: '',
    read: orNull(oneOf('text', 'json')),
    meaning:
      'json: every line is JSON; text: the start and the reason of a failed start are plain text; empty: ' +
      'json in production, else text.',
  },
  PHIAL_METRICS_PORT: {
    default: '',
    read: orNull(whole(0, 65_535)),
    meaning:
      'Port of /metrics, /healthz and /readyz, also of a worker; empty: none. A sandbox then shows /metrics ' +
      'on the port of the API.',
  },
  ...TRACE_OPTIONS,
  PHIAL_HL7_PORT: {
    default: '',
    read: orNull(whole(0, 65_535)),
    meaning: 'Port on which laboratories send results over MLLP; empty: none.',
  },
  PHIAL_HL7_TLS_CERTIFICATE_FILE: {
    default: '',
    read: orNull(text),
    meaning: 'Certificate of that port in PEM, with its chain; empty: no TLS, for example within a VPN.',
  },
  PHIAL_HL7_TLS_KEY_FILE: {
    default: '',
    read: orNull(text),
    meaning: 'Private key of that certificate in PEM.',
  },
  PHIAL_HL7_TLS_CLIENT_CA_FILE: {
    default: '',
    read: orNull(text),
    meaning:
      'Certificate authority, in PEM, of the client certificates that laboratories must show; empty: they need none.',
  },
  PHIAL_HL7_FAILED_FILES_DAYS: {
    default: '90',
    read: whole(1, 3650),
    meaning: 'Days that files of laboratories are kept in the folder failed (1 to 3650).',
  },
  PHIAL_SANDBOX_AUTOPILOT_SECONDS: {
    default: '',
    read: orNull(whole(0, 86_400)),
    meaning:
      'Seconds between two automatic steps of an order at a simulated laboratory; empty: orders take no ' +
      'automatic steps.',
  },
  PHIAL_RETENTION_DAYS: {
    default: '30',
    read: whole(1, 3650),
    meaning: 'Days that event bodies and delivery attempts are kept (1 to 3650).',
  },
  PHIAL_AUDIT_RETENTION_YEARS: {
    default: '6',
    read: whole(1, 100),
    meaning: 'Years that the audit log is kept (1 to 100). `phial migrate` drops older months.',
  },
  PHIAL_SAMPLE_RETENTION_MONTHS: {
    default: '',
    read: orNull(whole(1, 1200)),
    meaning: 'Months that samples of wearables are kept (1 to 1200); empty: until their user is erased.',
  },
  PHIAL_WEBHOOK_ALLOWED_NETWORKS: {
    default: '',
    read: orNull(networks),
    meaning:
      'Private networks (CIDR) that webhooks may reach; empty: loopback for a sandbox that itself listens on ' +
      'loopback, else none.',
  },
  PHIAL_WEBHOOK_TIMEOUT_SECONDS: {
    default: '15',
    read: whole(1, 60),
    meaning: 'Seconds from the start of a delivery attempt to its end (1 to 60).',
  },
  PHIAL_WEBHOOK_IN_FLIGHT_PER_ENDPOINT: {
    default: '64',
    read: whole(1, 256),
    meaning: 'Concurrent attempts of one process to one endpoint (1 to 256).',
  },
  ...LIMIT_OPTIONS,
  ...FILE_OPTIONS,
  PHIAL_RATE_LIMIT_PER_SECOND: {
    default: '',
    read: orNull(whole(0, 100_000)),
    meaning: 'Requests that a key may send per second, over all processes; 0: no limit; empty: 50 in production.',
  },
  PHIAL_RATE_LIMIT_BURST: {
    default: '',
    read: orNull(whole(1, 1_000_000)),
    meaning: 'Requests that a key may send at once after a pause; empty: twice the number per second.',
  },
  PHIAL_REQUEST_TIMEOUT_SECONDS: {
    default: '30',
    read: whole(1, 600),
    meaning: 'Seconds in which a request must arrive, and in which its answer must be read (1 to 600).',
  },
  PHIAL_MAX_CONNECTIONS: {
    default: '4000',
    read: whole(10, 65_535),
    meaning: 'Connections of clients that a process keeps open (10 to 65535). Further ones are closed.',
  },
  PHIAL_MAX_CONNECTIONS_PER_ADDRESS: {
    default: '',
    read: orNull(whole(1, 65_535)),
    meaning: 'Connections that a process keeps open with one address, unless it is a trusted proxy; empty: no limit.',
  },
  PHIAL_TRUSTED_PROXIES: {
    default: '',
    read: networks,
    meaning:
      'Networks (CIDR) of the proxies in front of the service. Their X-Forwarded-For names the address of ' +
      'the client; empty: none.',
  },
  PHIAL_CARRIER_WEBHOOK_SECRETS: {
    secret: true,
    default: '',
    read: hiddenList,
    meaning:
      'Comma-separated secrets that carriers sign their notifications of parcels with. Give two while you ' +
      'change one; empty: no notifications are taken.',
  },
  PHIAL_SMTP_URL: {
    secret: true,
    default: '',
    read: (value: string) => (value === '' ? null : new Hidden(smtpUrl(value))),
    meaning:
      'Mail server, as smtps://USER:PASSWORD@smtp.example.com:465 or smtp://…:587; empty: mail waits in the outbox.',
  },
  PHIAL_MAIL_FROM: {
    default: '',
    read: orNull(mailAddress),
    meaning: 'Address that mail is sent from. Needed with PHIAL_SMTP_URL.',
  },
  ...SIGN_IN_OPTIONS,
  PHIAL_DOMAIN_NAME_SERVERS: {
    default: '',
    read: orNull(nameServers),
    meaning:
      'Comma-separated DNS servers that are asked when an organisation proves that it owns a domain, as ' +
      '192.0.2.53 or 192.0.2.53:5353; empty: those of this machine.',
  },
  PHIAL_DRAIN_SECONDS: {
    default: '10',
    read: whole(0, 600),
    meaning: 'Seconds that running requests get to finish at shutdown.',
  },
  ...PROVIDER_OPTIONS,
} satisfies Record<string, Option>;
