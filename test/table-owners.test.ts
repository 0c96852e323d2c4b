import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isUnder, placeOf, sources } from './source-files.ts';

/** Every table has one owner: only files of that room write to it. */
const OWNERS: Record<string, string[]> = {
  'tenancy/orgs': ['orgs'],
  'tenancy/access-tokens': ['api_access_tokens'],
  'tenancy/members': ['org_members', 'org_invites'],
  'tenancy/domains': ['org_domains'],
  'tenancy/ehr': ['ehr_configurations', 'ehr_members'],
  mail: ['mails'],
  'tenancy/teams': ['teams', 'physicians', 'team_deletions'],
  'team-export': ['team_exports'],
  'tenancy/keys': ['team_api_keys', 'management_keys'],
  totals: ['totals'],
  users: ['users', 'client_user_ids', 'user_info', 'user_tokens'],
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
  'labs/places': ['zip_prefixes', 'service_centers'],
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
    'order_status_rules',
  ],
  'labs/results': [
    'lab_report_files',
    'lab_report_pieces',
    'lab_report_jobs',
    'lab_results',
    'lab_result_documents',
    'unmatched_results',
    'unmatched_candidates',
  ],
  'labs/laboratories/simulated': ['simulations'],
  'labs/laboratories/carriers': ['carrier_scans'],
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
  'webhooks/receivers': ['webhooks', 'webhook_secrets', 'webhook_header_sets'],
  'webhooks/replays': ['webhook_replays'],
  events: ['events', 'held_events', 'event_readers'],
  delivery: ['lanes', 'delivery_workers', 'deliveries', 'retries', 'held_deliveries', 'attempts', 'delivery_tallies'],
  audit: ['audit_log'],
  'http/answer': ['idempotency_keys'],
  'http/limits': ['rate_limits'],
  files: ['queue_turns'],
  privacy: ['encryption_keys', 'processes'],
  db: ['deployment', 'migrations', 'seeds', 'event_epochs'],
};

/** Writes of a room that is not the owner, each for a reason. */
const GUESTS: Record<string, string> = {
  'imports from files/file-queue': 'files that wait are leased in one way, whatever they hold',
  'lab_report_jobs from files/file-queue': 'files that wait are leased in one way, whatever they hold',
  'continuous_queries from wearables/ask-for-runs': 'another order of providers begins the spread of its queries anew',
  'continuous_query_tasks from wearables/ask-for-runs': 'what comes in asks for the runs of the queries that read it',
  'events from delivery/erase': 'the envelopes that tell of an erased user go with their queue rows and attempts',
  'team_api_keys from tenancy/teams/deletion/delete': 'the keys of a deleted team end with it',
  'deliveries from events/publish': 'the queue rows of an event are written in the statement that writes the event',
  'webhook_replays from delivery/replays/progress': 'how far a replay came is written by the worker that sends it',
  'webhooks from delivery/disable': 'a receiver that fails for days is disabled with the outcome of its attempt',
  'laboratory_outbox from labs/orders/send-out': 'what goes out is written in the transaction of the order it tells of',
  'simulations from labs/orders/under-way/cancel': 'a cancelled order is simulated no further',
};

const migrations = readdirSync('migrations').map((file) => readFileSync(`migrations/${file}`, 'utf8'));
const dropped = new Set(migrations.flatMap((sql) => [...sql.matchAll(/^drop table (\w+);/gm)].map(([, name]) => name)));
const tables = [
  'migrations',
  ...migrations.flatMap((sql) =>
    [...sql.matchAll(/^create (?:unlogged )?table (?:public\.)?(\w+)\b(?! partition of)/gm)].map(([, name]) => name),
  ),
].filter((name) => !dropped.has(name)) as string[];

/** Kysely's three, and SQL in lower case, with the name as it is or by `sql.table`; a comment writes nothing. */
const WRITES =
  /\b(?:insertInto|updateTable|deleteFrom|mergeInto)\(\s*'(\w+)|\b(?:insert into|update|delete from|merge into|truncate(?: table)?)\s+(?:only\s+)?(?:public\.)?(?:\$\{sql\.table\('|")?(\w+)/g;
const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

/** The same with the name of a variable, or of what makes the name. */
const WRITES_BY_VARIABLE =
  /\b(?:insertInto|updateTable|deleteFrom|mergeInto)\(\s*(\w+)|\b(?:insert into|update|delete from|merge into|truncate(?: table)?)\s+(?:only\s+)?\$\{(?:sql\.table\()?(?!sql\b)(\w+)/g;

/** The tables that a variable goes through, or may be, as the file writes them out. */
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

const files = sources.map(({ file, text }) => ({ place: placeOf(file), text: withoutComments(text) }));
const byVariable = files.flatMap(({ place, text }) =>
  [...text.matchAll(WRITES_BY_VARIABLE)].map(([, built, plain]) => ({
    place,
    among: tablesOf((built ?? plain) as string, text),
  })),
);
const writes = files
  .flatMap(({ place, text }) =>
    [...text.matchAll(WRITES)].map(([, built, plain]) => ({ place, table: (built ?? plain) as string })),
  )
  .concat(byVariable.flatMap(({ place, among }) => among.map((table) => ({ place, table }))))
  .filter(({ table }) => tables.includes(table));
const ownerOf = (table: string): string | undefined =>
  Object.keys(OWNERS).find((room) => OWNERS[room]?.includes(table));
/** A wing's own erase.ts speaks for its rooms. */
const isEraseOfWing = (place: string, table: string): boolean =>
  place === `${(ownerOf(table) as string).split('/')[0]}/erase`;

test('every table has one owner, and every owner its tables', () => {
  const owned = Object.values(OWNERS).flat();
  expect(owned.toSorted()).toEqual(tables.toSorted());
  expect(new Set(owned).size).toBe(owned.length);
});

test('only the room that owns a table writes to it', () => {
  const wrong = writes
    .filter(({ place, table }) => !isUnder(place, ownerOf(table) as string) && !isEraseOfWing(place, table))
    .map(({ place, table }) => `${table} from ${place}`);
  expect([...new Set(wrong)].filter((write) => !(write in GUESTS))).toEqual([]);
  expect(Object.keys(GUESTS).filter((write) => !wrong.includes(write))).toEqual([]);
  expect(writes.length).toBeGreaterThan(30);
});

/** Who writes to tables that it does not name, each for a reason. */
const NAMELESS: Record<string, string> = {
  'db/backup/restore': 'a database that is restored is emptied before',
  'privacy/rotate': 'what is sealed, wherever columns.ts says so, is sealed anew',
};

test('every other write names its table, or the tables that it goes through', () => {
  const nameless = byVariable.filter(({ among }) => among.length === 0).map(({ place }) => place);
  expect(nameless).toEqual(Object.keys(NAMELESS));
});
