import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { EXPORTS } from './export-team.ts';

/** Tables with data of teams that an export leaves out, each with the reason. */
const NOT_EXPORTED: Record<string, string> = {
  api_access_tokens: 'gives access to the team',
  appointment_slots: 'keyed hashes of slots; the appointments are exported',
  attempts: 'the log of deliveries, stored for days: it repeats what is exported',
  audit_log: 'the operator stores and exports it',
  client_user_ids: 'finds users by a value that their line contains',
  continuous_query_tasks: 'when queries were computed',
  deliveries: 'the delivery queue',
  event_resends: 'the deliveries that are sent again',
  events: 'events that repeat what is exported, stored for days',
  deferred_deliveries: 'the delivery queue',
  demo_clinics: 'how far the demo clinic is loaded; the data that it made is exported',
  idempotency_keys: 'answers that are stored for a day',
  inbox: 'notifications of providers about new data',
  laboratory_outbox: 'the queue to laboratories',
  endpoint_queues: 'the delivery queue',
  link_codes: 'can make a connection',
  link_tokens: 'can make a connection',
  management_keys: 'belongs to the organisation and gives access to it',
  oauth_states: 'can make a connection',
  order_name_words: 'keyed hashes for finding orders',
  orgs: 'the organisation',
  polls: 'when providers are polled next',
  pulls: 'the progress of pulls',
  retries: 'the delivery queue',
  sample_records: 'keyed hashes for deleting samples',
  sessions: "gives access to the organisation's teams",
  sign_in_links: "gives access to the organisation's teams",
  simulations: 'steps of simulated orders',
  team_deletions: 'belongs to the organisation',
  team_exports: 'marks a running export',
  team_provider_waits: 'when providers are polled next',
  token_revocations: 'gives access to an account at a provider',
  totals: 'counts of what is exported',
  tracking_numbers: 'keyed hashes; the numbers are in the orders',
  user_subscriptions: 'subscriptions for notifications of providers',
  user_search_hashes: 'keyed hashes for finding users',
  user_tokens: 'gives access to the service for a user',
  webhook_header_sets: 'gives access to an endpoint',
  webhook_secrets: 'gives access to an endpoint',
  webhook_urls: 'earlier addresses of endpoints, stored for days',
  lab_accounts: "the organisation's",
  mails: "the organisation's",
  org_invites: "the organisation's",
  org_members: "the organisation's",
  delivery_tallies: 'counts of deliveries, stored for days',
  team_credentials: 'gives access to an application at a provider; its own operation returns the rest',
  ehr_configurations: "the organisation's",
  ehr_members: "the organisation's",
  event_readers: 'the readers that wait at the change feed',
  deferred_events: 'events that are published after an undo',
  org_domains: "the organisation's",
  webhook_replays: 'events that are sent again',
};

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const declared = EXPORTS.flatMap(({ ofTeam = [], ofUser = [] }) => [...ofTeam, ...ofUser]);

test('every table with data of teams is exported, or left out for a reason', async () => {
  const { rows } = await sql<{ name: string }>`
    select distinct c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and (a.attname in ('team_id', 'org_id', 'user_id', 'scope_id')
         or c.relname in ('orgs', 'teams', 'samples', 'lab_test_markers', 'payor_external_codes'))`.execute(app.db);
  const exportedTables = declared.flatMap((each) => ('tables' in each ? each.tables : [each.table])).concat('users');
  const names = rows.map(({ name }) => name);
  expect(names.filter((name) => !exportedTables.includes(name as never) && !(name in NOT_EXPORTED)).toSorted()).toEqual(
    [],
  );
  expect(exportedTables.filter((name) => name in NOT_EXPORTED)).toEqual([]);
  expect(Object.keys(NOT_EXPORTED).filter((name) => !names.includes(name))).toEqual([]);
});
