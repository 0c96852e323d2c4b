type Option = { name: string; default: string; meaning: string };

/** Name, default and meaning of each option; `.env.example` repeats this table and a test keeps them equal. */
export const OPTIONS: Option[] = [
  { name: 'PHIAL_ENVIRONMENT', default: 'sandbox', meaning: 'sandbox or production; one deployment serves one.' },
  { name: 'PHIAL_REGION', default: 'us', meaning: 'us or eu; data never leaves its region.' },
  { name: 'PHIAL_BASE_URL', default: '', meaning: 'Public address used in links; empty: http://localhost:PORT.' },
  { name: 'PHIAL_HOST', default: '127.0.0.1', meaning: 'Address to listen on; 0.0.0.0 for every interface.' },
  { name: 'PORT', default: '3000', meaning: 'Port to listen on.' },
  {
    name: 'PHIAL_DATA_DIR',
    default: '',
    meaning: 'Directory of the embedded PostgreSQL and credentials.json; empty: .phial in the project.',
  },
  {
    name: 'DATABASE_URL',
    default: '',
    meaning: 'PostgreSQL 15 or newer; empty: the embedded server is started in the data directory.',
  },
  {
    name: 'PHIAL_OWNER_DATABASE_URL',
    default: '',
    meaning: 'Connection of the role that owns the tables and migrates; empty: DATABASE_URL.',
  },
  {
    name: 'PHIAL_DATABASE_POOL_SIZE',
    default: '10',
    meaning: 'Connections of the API of this process to PostgreSQL (2 to 200).',
  },
  {
    name: 'PHIAL_DATABASE_DELIVERY_POOL_SIZE',
    default: '3',
    meaning: 'Connections of webhook delivery (3 to 50): one reads, one settles, one is for what comes between.',
  },
  {
    name: 'PHIAL_DATABASE_JOBS_POOL_SIZE',
    default: '6',
    meaning: 'Connections of background jobs, one of which listens (3 to 50).',
  },
  {
    name: 'PHIAL_DATABASE_STATEMENT_TIMEOUT_SECONDS',
    default: '30',
    meaning: 'Seconds after which a statement of the API or of delivery is cancelled (1 to 600).',
  },
  {
    name: 'PHIAL_DATABASE_JOB_STATEMENT_TIMEOUT_SECONDS',
    default: '300',
    meaning: 'The same for background jobs: erasure and retention among them (1 to 86400).',
  },
  {
    name: 'PHIAL_DATABASE_LOCK_TIMEOUT_SECONDS',
    default: '10',
    meaning: 'Seconds that a statement waits for a lock (1 to 600).',
  },
  {
    name: 'PHIAL_DATABASE_IDLE_TIMEOUT_SECONDS',
    default: '30',
    meaning: 'Seconds after which a transaction that does nothing is ended (1 to 600).',
  },
  {
    name: 'PHIAL_LOOKUP_KEY',
    default: '',
    meaning: '32 bytes in base64 that key the name look-up hashes; needed in production.',
  },
  {
    name: 'PHIAL_ENCRYPTION_KEYS',
    default: '',
    meaning:
      'Keys of the personal columns, as 2:BASE64,1:BASE64 with 32 bytes each; the first seals, all open. Needed in production, here or in a file.',
  },
  {
    name: 'PHIAL_ENCRYPTION_KEYS_FILE',
    default: '',
    meaning: 'A file that holds what PHIAL_ENCRYPTION_KEYS would, an entry a line.',
  },
  {
    name: 'PHIAL_HEADER_PREFIXES',
    default: 'x-service-',
    meaning: 'Comma-separated prefixes under which the api-key header is accepted.',
  },
  { name: 'PHIAL_BODY_LIMIT_BYTES', default: '1048576', meaning: 'Largest request body in bytes.' },
  { name: 'PHIAL_LOG_LEVEL', default: 'info', meaning: 'fatal, error, warn, info, debug, trace or silent.' },
  {
    name: 'PHIAL_METRICS_PORT',
    default: '',
    meaning: 'Port of /metrics; empty: beside the API in the sandbox, off in production.',
  },
  {
    name: 'PHIAL_SANDBOX_AUTOPILOT_SECONDS',
    default: '',
    meaning: 'Seconds between steps of orders that move by themselves; empty: nothing moves by itself.',
  },
  {
    name: 'PHIAL_RETENTION_DAYS',
    default: '30',
    meaning: 'Days that event bodies and delivery attempts are kept (1 to 3650).',
  },
  {
    name: 'PHIAL_AUDIT_RETENTION_YEARS',
    default: '6',
    meaning: 'Years that the audit log is kept (1 to 100); `phial migrate` drops the months before.',
  },
  {
    name: 'PHIAL_WEBHOOK_ALLOWED_NETWORKS',
    default: '',
    meaning:
      'CIDRs that webhooks may reach although they are private; empty: loopback in a sandbox that listens on loopback itself, else none.',
  },
  {
    name: 'PHIAL_WEBHOOK_TIMEOUT_SECONDS',
    default: '15',
    meaning: 'Seconds from the start of a delivery attempt to its end (1 to 60).',
  },
  {
    name: 'PHIAL_WEBHOOK_IN_FLIGHT_PER_ENDPOINT',
    default: '16',
    meaning: 'Concurrent attempts to one endpoint by one process (1 to 256).',
  },
  { name: 'PHIAL_TEAMS_PER_ORG', default: '100', meaning: 'Teams that an organisation may have (1 to 100000).' },
  {
    name: 'PHIAL_MANAGEMENT_KEYS_PER_ORG',
    default: '100',
    meaning: 'Management keys that an organisation may have in use (2 to 10000).',
  },
  {
    name: 'PHIAL_API_KEYS_PER_TEAM',
    default: '50',
    meaning: 'API keys that a team may have in use (1 to 10000).',
  },
  {
    name: 'PHIAL_WEBHOOKS_PER_TEAM',
    default: '50',
    meaning: 'Webhook endpoints that a team may have (1 to 1000).',
  },
  {
    name: 'PHIAL_USERS_PER_TEAM',
    default: '',
    meaning: 'Users that a team may have; empty: as many as it likes.',
  },
  {
    name: 'PHIAL_RATE_LIMIT_PER_SECOND',
    default: '',
    meaning: 'Requests that a key may send per second, over all processes; 0: no limit; empty: 50 in production.',
  },
  {
    name: 'PHIAL_RATE_LIMIT_BURST',
    default: '',
    meaning: 'Requests that a key may send at once after a pause; empty: twice those of a second.',
  },
  {
    name: 'PHIAL_REQUEST_TIMEOUT_SECONDS',
    default: '30',
    meaning: 'Seconds in which a request arrives whole, and in which its answer is read (1 to 600).',
  },
  {
    name: 'PHIAL_MAX_CONNECTIONS',
    default: '4000',
    meaning: 'Connections that a process keeps open (10 to 65535); further ones are closed.',
  },
  {
    name: 'PHIAL_MAX_CONNECTIONS_PER_ADDRESS',
    default: '',
    meaning: 'The same for one address; empty: no limit, as behind a proxy, which is one address for all.',
  },
  { name: 'PHIAL_DRAIN_SECONDS', default: '10', meaning: 'Seconds that running requests are given at shutdown.' },
];
