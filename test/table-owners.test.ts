import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isUnder, sourcePathOf, sources } from './source-files.ts';

/** Every table has one owner: only files of that module write to it. */
const OWNERS: Record<string, string[]> = {
  'tenancy/orgs': ['orgs'],
  'tenancy/access-tokens': ['api_access_tokens'],
  'tenancy/members': ['org_members', 'org_invites'],
  'tenancy/sessions': ['sessions', 'sign_in_links'],
  'tenancy/sign-in': ['sign_in_requests'],
  'tenancy/domains': ['org_domains'],
  'tenancy/ehr': ['ehr_configurations', 'ehr_members'],
  mail: ['mails'],
  'tenancy/teams': ['teams', 'physicians', 'team_deletions'],
  'team-export': ['team_exports'],
  'demo-clinic': ['demo_clinics'],
  'tenancy/keys': ['team_api_keys', 'management_keys'],
  totals: ['totals'],
  users: ['users', 'client_user_ids', 'user_info', 'user_search_hashes', 'user_tokens'],
  insurance: ['payors', 'payor_external_codes', 'insurances', 'insurance_documents'],
  'wearables/connections': [
    'connections',
    'token_revocations',
    'application_subscriptions',
    'user_subscriptions',
    'ended_agreements',
  ],
  'wearables/link': ['bulk_ops', 'scope_requirements', 'link_tokens', 'link_codes', 'oauth_states'],
  'labs/appointments': ['appointments', 'appointment_events', 'appointment_slots', 'scheduler_calls'],
  'labs/schedulers': ['scheduler_connections'],
  'labs/locations': ['zip_prefixes', 'service_centers'],
  'labs/catalogue': [
    'labs',
    'analytes',
    'markers',
    'marker_analytes',
    'marker_questions',
    'lab_tests',
    'lab_test_markers',
    'lab_accounts',
  ],
  'labs/orders': [
    'order_transactions',
    'orders',
    'order_events',
    'sample_ids',
    'shipments',
    'order_name_words',
    'tracking_numbers',
    'event_resends',
    'order_communication_settings',
    'order_signatures',
    'order_notes',
    'order_status_rules',
  ],
  'labs/results': [
    'lab_report_files',
    'lab_report_chunks',
    'lab_report_jobs',
    'lab_results',
    'critical_results',
    'lab_result_documents',
    'unmatched_results',
    'unmatched_candidates',
  ],
  'labs/laboratories/simulated': ['simulations'],
  'labs/carriers': ['carrier_scans'],
  'labs/laboratories/hl7': [
    'laboratory_outbox',
    'laboratory_connections',
    'laboratory_codes',
    'laboratory_senders',
    'order_numbers',
    'patient_numbers',
    'laboratory_numbers',
    'hl7_outgoing',
    'hl7_messages',
  ],
  'wearables/files': ['imports'],
  'wearables/aggregate': ['continuous_queries', 'continuous_query_tasks', 'continuous_query_results'],
  'wearables/credentials': ['team_credentials'],
  'wearables/priorities': ['source_priorities'],
  'wearables/hooks': ['inbox'],
  'wearables/pulls': ['pulls', 'polls', 'provider_waits', 'team_provider_waits', 'data_pull_preferences'],
  'wearables/timeseries': ['streams', 'samples', 'sample_notes', 'sample_records'],
  'wearables/summaries': ['summaries', 'summary_streams'],
  pipelines: ['ehr_pipelines', 'etl_pipelines'],
  'webhooks/endpoints': ['webhooks', 'webhook_secrets', 'webhook_header_sets', 'webhook_urls'],
  'webhooks/replays': ['webhook_replays'],
  events: ['events', 'deferred_events', 'event_readers'],
  delivery: [
    'endpoint_queues',
    'delivery_workers',
    'deliveries',
    'retries',
    'deferred_deliveries',
    'attempts',
    'delivery_tallies',
  ],
  audit: ['audit_log'],
  'http/response': ['idempotency_keys'],
  'http/limits': ['rate_limits'],
  files: ['queue_last_served'],
  privacy: ['encryption_keys', 'processes'],
  db: ['deployment', 'migrations', 'seeds', 'event_epochs'],
};

/** Writes of another module than the owner, each with its reason. */
const GUESTS: Record<string, string> = {
  'imports from files/file-queue': 'waiting files are leased in one way, whatever they hold',
  'lab_report_jobs from files/file-queue': 'waiting files are leased in one way, whatever they hold',
  'continuous_queries from wearables/ask-for-runs': 'another order of providers starts the spread of its queries again',
  'continuous_query_tasks from wearables/ask-for-runs': 'incoming data asks for the runs of the queries that read it',
  'events from delivery/erase': 'the envelopes about an erased user are deleted with their queue rows and attempts',
  'team_api_keys from tenancy/teams/deletion/delete': 'the keys of a deleted team end with it',
  'deliveries from events/publish': 'the queue rows of an event are written in the statement that writes the event',
  'webhook_replays from delivery/replays/replay-progress': 'the worker that sends a replay writes its progress',
  'webhooks from delivery/disable': 'an endpoint that fails for days is disabled with the outcome of its attempt',
  'laboratory_outbox from labs/orders/send-out': 'outgoing messages are written in the transaction of their order',
  'simulations from labs/orders/under-way/cancel-order': 'a cancelled order is not simulated further',
};

const migrations = readdirSync('migrations').map((file) => readFileSync(`migrations/${file}`, 'utf8'));
const dropped = new Set(migrations.flatMap((sql) => [...sql.matchAll(/^drop table (\w+);/gm)].map(([, name]) => name)));
const renamed = new Map(
  migrations.flatMap((sql) =>
    [...sql.matchAll(/^alter table (\w+) rename to (\w+);/gm)].map(([, from, to]) => [from, to as string] as const),
  ),
);
const tables = [
  'migrations',
  ...migrations.flatMap((sql) =>
    [...sql.matchAll(/^create (?:unlogged )?table (?:public\.)?(\w+)\b(?! partition of)/gm)].map(([, name]) => name),
  ),
]
  .filter((name) => !dropped.has(name))
  .map((name) => renamed.get(name) ?? (name as string));

/** Kysely's three functions, and SQL in lower case, with the literal name or by `sql.table`. Comments do not count. */
const WRITES =
  /\b(?:insertInto|updateTable|deleteFrom|mergeInto)\(\s*'(\w+)|\b(?:insert into|update|delete from|merge into|truncate(?: table)?)\s+(?:only\s+)?(?:public\.)?(?:\$\{sql\.table\('|")?(\w+)/g;
const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

/** The same with the name of a variable, or of a function that makes the name. */
const WRITES_BY_VARIABLE =
  /\b(?:insertInto|updateTable|deleteFrom|mergeInto)\(\s*(\w+)|\b(?:insert into|update|delete from|merge into|truncate(?: table)?)\s+(?:only\s+)?\$\{(?:sql\.table\()?(?!sql\b)(\w+)/g;

/** The tables of a variable in a loop or a list, as the file lists them. */
function tablesOf(variable: string, text: string): string[] {
  const lists = text.matchAll(new RegExp(`\\bfor \\(const ${variable} of (\\w+|\\[[^\\]]*\\])`, 'g'));
  const written = [...lists].map(([, list = '']) =>
    list.startsWith('[') ? list : (new RegExp(`\\bconst ${list} = (\\[[^\\]]*\\])`).exec(text)?.[1] ?? ''),
  );
  const oneOf = text.matchAll(new RegExp(`\\b${variable}: ('\\w+'(?: \\| '\\w+')*)`, 'g'));
  return [...written, ...[...oneOf].map(([, names]) => names)].flatMap(
    (names) => names?.match(/(?<=')\w+(?=')/g) ?? [],
  );
}

const files = sources.map(({ file, text }) => ({ sourcePath: sourcePathOf(file), text: withoutComments(text) }));
const byVariable = files.flatMap(({ sourcePath, text }) =>
  [...text.matchAll(WRITES_BY_VARIABLE)].map(([, built, plain]) => ({
    sourcePath,
    among: tablesOf((built ?? plain) as string, text),
  })),
);
const writes = files
  .flatMap(({ sourcePath, text }) =>
    [...text.matchAll(WRITES)].map(([, built, plain]) => ({ sourcePath, table: (built ?? plain) as string })),
  )
  .concat(byVariable.flatMap(({ sourcePath, among }) => among.map((table) => ({ sourcePath, table }))))
  .filter(({ table }) => tables.includes(table));
const ownerOf = (table: string): string | undefined =>
  Object.keys(OWNERS).find((module) => OWNERS[module]?.includes(table));
/** The erase.ts of a module acts for its sub-folders. */
const isEraseOfModule = (sourcePath: string, table: string): boolean =>
  sourcePath === `${(ownerOf(table) as string).split('/')[0]}/erase`;

test('every table has one owner, and every owner has its tables', () => {
  const owned = Object.values(OWNERS).flat();
  expect(owned.toSorted()).toEqual(tables.toSorted());
  expect(new Set(owned).size).toBe(owned.length);
});

test('only the module that owns a table writes to it', () => {
  const wrong = writes
    .filter(
      ({ sourcePath, table }) => !isUnder(sourcePath, ownerOf(table) as string) && !isEraseOfModule(sourcePath, table),
    )
    .map(({ sourcePath, table }) => `${table} from ${sourcePath}`);
  expect([...new Set(wrong)].filter((write) => !(write in GUESTS))).toEqual([]);
  expect(Object.keys(GUESTS).filter((write) => !wrong.includes(write))).toEqual([]);
  expect(writes.length).toBeGreaterThan(30);
});

/** Files that write to tables without naming them, each with its reason. */
const NAMELESS: Record<string, string> = {
  'db/backup/restore': 'a restore empties the database first',
  'privacy/rotate': 'every column in columns.ts is sealed again',
};

test('every other write names its table, or the tables of its loop', () => {
  const nameless = byVariable.filter(({ among }) => among.length === 0).map(({ sourcePath }) => sourcePath);
  expect(nameless).toEqual(Object.keys(NAMELESS));
});
