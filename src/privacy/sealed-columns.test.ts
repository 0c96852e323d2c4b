import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { SEALED_COLUMNS } from './sealed-columns.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** Binary columns with hashes or key checks, which contain no data. */
const HASHES = [
  'api_access_tokens.token_hash',
  'appointment_slots.site_hash',
  'hl7_messages.content_hash',
  'carrier_scans.number_hash',
  'connections.external_user_hash',
  'deployment.lookup_key',
  'deployment.lookup_key_check',
  'ehr_members.integration_member_hash',
  'encryption_keys.key_check',
  'encryption_keys.made_key',
  'idempotency_keys.request_hash',
  'inbox.hash',
  'link_codes.code_hash',
  'link_tokens.token_hash',
  'mails.reader_hash',
  'management_keys.key_hash',
  'oauth_states.browser_hash',
  'oauth_states.state_hash',
  'order_name_words.word_hash',
  'org_invites.email_hash',
  'org_members.address_hash',
  'org_members.email_hash',
  'sessions.token_hash',
  'sign_in_links.token_hash',
  'sign_in_requests.address_hash',
  'sign_in_requests.network_hash',
  'summaries.raw_hash',
  'summaries.stream_hash',
  'summaries.content_hash',
  'team_api_keys.key_hash',
  'team_credentials.client_secret_hash',
  'sample_records.record',
  'tracking_numbers.number_hash',
  'unmatched_results.report_hash',
  'user_search_hashes.hash',
  'user_tokens.token_hash',
];

test('every sealed column is binary, and every binary column is sealed or a hash', async () => {
  const { rows } = await sql<{ name: string }>`
    select format('%s.%s', c.relname, a.attname) as name
      from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.attnum > 0 and not a.attisdropped and a.atttypid = 'bytea'::regtype`.execute(app.db);
  expect(rows.map((row) => row.name).toSorted()).toEqual([...Object.keys(SEALED_COLUMNS), ...HASHES].toSorted());
});

test('columns of one table are bound to the same row and team', () => {
  const byTable = new Map<string, Set<string>>();
  for (const [columnName, { row, team }] of Object.entries(SEALED_COLUMNS)) {
    const table = columnName.split('.')[0] as string;
    byTable.set(table, (byTable.get(table) ?? new Set()).add(`${row.join('/')} ${team}`));
  }
  expect([...byTable].filter(([, bindings]) => bindings.size !== 1)).toEqual([]);
});
