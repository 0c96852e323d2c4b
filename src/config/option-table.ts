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

type Option = { default: string; read: Kind<unknown>; meaning: string };

/** Every option by its name; `.env.example` repeats names, defaults and meanings, and a test keeps them equal. */
export const OPTIONS = {
  PHIAL_ENVIRONMENT: {
    default: 'sandbox',
    read: oneOf('sandbox', 'production'),
    meaning: 'sandbox or production; one deployment serves one.',
  },
  PHIAL_REGION: {
    default: 'us',
    read: oneOf('us', 'eu'),
    meaning: 'us or eu; data never leaves its region.',
  },
  PHIAL_BASE_URL: {
    default: '',
    read: orNull(httpAddress),
    meaning: 'Public address used in links; empty: http://localhost:PORT.',
  },
  PHIAL_HOST: {
    default: '127.0.0.1',
    read: text,
    meaning: 'Address to listen on; 0.0.0.0 for every interface.',
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
    default: '',
    read: orNull(postgresUrl),
    meaning: 'PostgreSQL 15 or newer; empty: the embedded server is started in the data directory.',
  },
  PHIAL_OWNER_DATABASE_URL: {
    default: '',
    read: orNull(postgresUrl),
    meaning: 'Connection of the role that owns the tables and migrates; empty: DATABASE_URL.',
  },
  PHIAL_DATABASE_POOL_SIZE: {
    default: '10',
    read: whole(2, 200),
    meaning:
      'Connections of the API of this process to PostgreSQL (2 to 200), beside nine: for management keys, look-ups of keys, and requests without one.',
  },
  PHIAL_DATABASE_DELIVERY_POOL_SIZE: {
    default: '3',
    read: whole(3, 50),
    meaning: 'Connections of webhook delivery (3 to 50): one reads, one settles, one is for what comes between.',
  },
  PHIAL_DATABASE_JOBS_POOL_SIZE: {
    default: '6',
    read: whole(3, 50),
    meaning: 'Connections of background jobs, one of which listens (3 to 50).',
  },
  PHIAL_DATABASE_STATEMENT_TIMEOUT_SECONDS: {
    default: '30',
    read: whole(1, 600),
    meaning: 'Seconds after which a statement of the API or of delivery is cancelled (1 to 600).',
  },
  PHIAL_DATABASE_JOB_STATEMENT_TIMEOUT_SECONDS: {
    default: '300',
    read: whole(1, 86_400),
    meaning: 'The same for background jobs: erasure and retention among them (1 to 86400).',
  },
  PHIAL_DATABASE_LOCK_TIMEOUT_SECONDS: {
    default: '10',
    read: whole(1, 600),
    meaning: 'Seconds that a statement waits for a lock (1 to 600).',
  },
  PHIAL_DATABASE_IDLE_TIMEOUT_SECONDS: {
    default: '30',
    read: whole(1, 600),
    meaning: 'Seconds after which a transaction that does nothing is ended (1 to 600).',
  },
  PHIAL_LOOKUP_KEY: {
    default: '',
    read: orNull(key32),
    meaning: '32 bytes in base64 that key the name look-up hashes; needed in production.',
  },
  PHIAL_ENCRYPTION_KEYS: {
    default: '',
    read: text,
    meaning:
      'Keys of the personal columns, as 2:BASE64,1:BASE64 with 32 bytes each; the first seals, all open. Needed in production, here or in a file.',
  },
  PHIAL_ENCRYPTION_KEYS_FILE: {
    default: '',
    read: text,
    meaning: 'A file that holds what PHIAL_ENCRYPTION_KEYS would, an entry a line.',
  },
  PHIAL_HEADER_PREFIXES: {
    default: '',
    read: headerPrefixes,
    meaning:
      'Comma-separated prefixes, as x-acme-, under which api-key and link-token headers are read beside x-service-; empty: under any x-<word>-.',
  },
  PHIAL_API_KEY: {
    default: '',
    read: orNull(text),
    meaning: 'Team API key that `phial listen` reads events with; the service itself needs none.',
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
    meaning: 'json: every line is JSON; text: start and failure are told in words; empty: json in production.',
  },
  PHIAL_METRICS_PORT: {
    default: '',
    read: orNull(whole(0, 65_535)),
    meaning:
      "Port of /metrics, /healthz and /readyz, for workers too; empty: off, but /metrics beside a sandbox's API.",
  },
  PHIAL_HL7_PORT: {
    default: '',
    read: orNull(whole(0, 65_535)),
    meaning: 'Port on which laboratories send results by MLLP; empty: none.',
  },
  PHIAL_HL7_TLS_CERTIFICATE_FILE: {
    default: '',
    read: orNull(text),
    meaning: 'Certificate of that port in PEM, with its chain; empty: no TLS, as within a VPN.',
  },
  PHIAL_HL7_TLS_KEY_FILE: {
    default: '',
    read: orNull(text),
    meaning: 'Private key of that certificate in PEM.',
  },
  PHIAL_HL7_TLS_CLIENT_CA_FILE: {
    default: '',
    read: orNull(text),
    meaning: 'Who signs the certificates that laboratories have to show there, in PEM; empty: they need none.',
  },
  PHIAL_HL7_FAILED_FILES_DAYS: {
    default: '90',
    read: whole(1, 3650),
    meaning: 'Days that files of laboratories stay in the folder failed (1 to 3650).',
  },
  PHIAL_SANDBOX_AUTOPILOT_SECONDS: {
    default: '',
    read: orNull(whole(0, 86_400)),
    meaning:
      'Seconds between steps that orders of simulated laboratories take by themselves; empty: nothing moves by itself.',
  },
  PHIAL_RETENTION_DAYS: {
    default: '30',
    read: whole(1, 3650),
    meaning: 'Days that event bodies and delivery attempts are kept (1 to 3650).',
  },
  PHIAL_AUDIT_RETENTION_YEARS: {
    default: '6',
    read: whole(1, 100),
    meaning: 'Years that the audit log is kept (1 to 100); `phial migrate` drops the months before.',
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
      'CIDRs that webhooks may reach although they are private; empty: loopback in a sandbox that listens on loopback itself, else none.',
  },
  PHIAL_WEBHOOK_TIMEOUT_SECONDS: {
    default: '15',
    read: whole(1, 60),
    meaning: 'Seconds from the start of a delivery attempt to its end (1 to 60).',
  },
  PHIAL_WEBHOOK_IN_FLIGHT_PER_ENDPOINT: {
    default: '64',
    read: whole(1, 256),
    meaning: 'Concurrent attempts to one endpoint by one process (1 to 256).',
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
    meaning: 'Requests that a key may send at once after a pause; empty: twice those of a second.',
  },
  PHIAL_REQUEST_TIMEOUT_SECONDS: {
    default: '30',
    read: whole(1, 600),
    meaning: 'Seconds in which a request arrives whole, and in which its answer is read (1 to 600).',
  },
  PHIAL_MAX_CONNECTIONS: {
    default: '4000',
    read: whole(10, 65_535),
    meaning: 'Connections that a process keeps open (10 to 65535); further ones are closed.',
  },
  PHIAL_MAX_CONNECTIONS_PER_ADDRESS: {
    default: '',
    read: orNull(whole(1, 65_535)),
    meaning: 'The same for one address, other than a trusted proxy; empty: no limit.',
  },
  PHIAL_TRUSTED_PROXIES: {
    default: '',
    read: networks,
    meaning:
      'CIDRs of the proxies before the service: X-Forwarded-For of one of them tells where a request came from; empty: none.',
  },
  PHIAL_CARRIER_WEBHOOK_SECRETS: {
    default: '',
    read: hiddenList,
    meaning:
      'Comma-separated secrets by which carriers sign what they tell of parcels, several while one is changed; empty: carriers tell nothing.',
  },
  PHIAL_SMTP_URL: {
    default: '',
    read: (value: string) => (value === '' ? null : new Hidden(smtpUrl(value))),
    meaning:
      'Server that mail is sent by, as smtps://USER:PASSWORD@smtp.example.com:465 or smtp://…:587; empty: mail waits in the outbox.',
  },
  PHIAL_MAIL_FROM: {
    default: '',
    read: orNull(mailAddress),
    meaning: 'Address that mail is sent from; needed with PHIAL_SMTP_URL.',
  },
  PHIAL_DOMAIN_NAME_SERVERS: {
    default: '',
    read: orNull(nameServers),
    meaning:
      'Comma-separated name servers that are asked for the proofs of domains, as 192.0.2.53 or 192.0.2.53:5353; empty: those of this machine.',
  },
  PHIAL_DRAIN_SECONDS: {
    default: '10',
    read: whole(0, 600),
    meaning: 'Seconds that running requests are given at shutdown.',
  },
  ...PROVIDER_OPTIONS,
} satisfies Record<string, Option>;
