import { randomUUID } from 'node:crypto';
// Calls every operation as another team that knows all ids: none shows or changes anything of the team that owns them.
import { sql, type RawBuilder } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../src/operations.ts';
import type { Operation } from '../src/operation/operation.ts';
import { createTeam } from '../src/tenancy/teams/create.ts';
import { createSignInLink } from '../src/tenancy/sessions/create-sign-in-link.ts';
import { operatorOf } from '../src/tenancy/sessions/person.ts';
import { addPhysician } from '../src/tenancy/teams/physicians.ts';
import { storeMessage } from '../src/labs/laboratories/hl7/inbox/store-message.ts';
import { createTeamKey } from '../src/tenancy/keys/create-team-key.ts';
import { SUMMARY_BODIES, SUMMARY_QUERIES } from '../src/openapi-texts/examples/summaries.ts';
import { apiOf, startTestApp, type Answer, type Team, type TestApp } from './test-app.ts';
import {
  addAccount,
  consents,
  recipeOf,
  healthInsurance,
  kitTestId,
  makeUser,
  orderKit,
  patientAddress,
  patientDetails,
  physician,
  pushEverySummary,
  readOrder,
  register,
  shippingAddress,
  simulate,
  loseResults,
  subscribe,
  useLink,
  hookOfOura,
  webhookPath,
} from './factories.ts';
import { bookedOrder, phoenix } from './collected-orders.ts';
import { createQuery, heartRateByDay, runPendingQueries } from './continuous.ts';
import { upload } from './exports.ts';
import { pngHead } from './images.ts';
import { plantDocument } from './lab-reports.ts';
import { invite, letIn, makeMember } from './people-of-orgs.ts';
import { ehrPath, ehrPipeline, etlPath, etlPipeline } from './pipelines.ts';
import { reportForm, sendReport } from './sent-reports.ts';
import { signInOperator } from './signed-in.ts';
import { homeAddress, person } from './people.ts';
import { startEndpoint, type Endpoint } from './endpoint.ts';

/** The ids of a team, by their names in paths, queries and bodies. */
type Ids = {
  org_id: string;
  team_id: string;
  deleted_team_id: string;
  user_id: string;
  client_user_id: string;
  other_client_user_id: string;
  deleted_user_id: string;
  deleted_client_user_id: string;
  order_id: string;
  waiting_order_id: string;
  phlebotomy_order_id: string;
  walk_in_order_id: string;
  transaction_id: string;
  sample_id: string;
  raw_result_id: string;
  critical_result_id: string;
  note_id: string;
  message_id: string;
  outbox_id: string;
  lab_test_id: string;
  lab_account_id: string;
  credential_id: string;
  payor_code: string;
  webhook_id: string;
  attempt_id: string;
  event_id: string;
  replay_id: string;
  workout_id: string;
  sleep_id: string;
  device_id: string;
  import_id: string;
  job_id: string;
  npi: string;
  query_id: string;
  query_id_or_slug: string;
  api_key_id: string;
  account_id: string;
  key_id: string;
  member_id: string;
  invite_id: string;
  domain_id: string;
  ehr_member_id: string;
  provider: string;
  name: string;
};

/** A request, with the status that another team gets. */
type Attempt = {
  params?: Partial<Ids>;
  query?: string;
  body?: unknown;
  file?: string;
  form?: Record<string, string>;
  status: number;
};

const insurance = (payor_code: string): object => ({
  payor_code,
  member_id: 'M-1',
  relationship: 'Self',
  insured: person,
});
const patient = { patient_details: patientDetails, patient_address: patientAddress, consents, physician };
const note = {
  resource: 'note',
  provider: 'manual',
  start: '2026-01-05T07:00:00Z',
  end: '2026-01-05T07:00:00Z',
  unit: 'text',
  value: 'Two eggs',
  record_id: 'record-of-the-owner',
};
const countOfDays = { select: [{ func: 'count', arg: { activity: 'steps' } }] };
const application = { provider: 'oura', client_id: 'clinic', client_secret: 'hush' };
const days = { oura: { default: { historical_days_to_pull: 1 } } };
const none: Attempt = { status: 200 };
const REASON_AT_HOME = '0b7f6a52-3c1d-4e8a-9f20-000000000101';
const REASON_AT_CENTER = '0b7f6a52-3c1d-4e8a-9f20-000000000201';
const found = (...queries: string[]): Attempt[] => [none, ...queries.map((query) => ({ query, status: 200 }))];

/** The filters of the order list that could name another team's rows. */
const orderFilters = (of: Ids): Attempt[] =>
  found(
    `user_id=${of.user_id}`,
    `order_ids=${of.order_id}`,
    `order_transaction_id=${of.transaction_id}`,
    `search_input=${of.order_id}`,
    `search_input=${of.sample_id}`,
    `search_input=${of.name}`,
    `patient_name=${of.name}`,
    `shipping_recipient_name=${of.name}`,
  );

/**
 * How an attacker would use an operation to reach the rows of others. Unlisted operations are tried with the other
 * team's ids in their path. Operations without parameters must be listed.
 */
const ATTEMPTS: Record<string, (own: Ids, others: Ids) => Attempt[]> = {
  create_user: (_, { other_client_user_id }) => [{ body: { client_user_id: other_client_user_id }, status: 200 }],
  list_users: () => [none],
  find_users: (_, { name, user_id }) => [
    { body: { name }, status: 200 },
    { body: { user_ids: [user_id] }, status: 200 },
  ],
  get_team_metrics: () => [none],
  list_events: () => [none],
  list_event_types: () => [], // everybody may read the catalogue
  undo_delete_user: (_, { deleted_user_id, deleted_client_user_id }) => [
    { query: `user_id=${deleted_user_id}`, status: 404 },
    { query: `client_user_id=${deleted_client_user_id}`, status: 404 },
  ],
  patch_user: () => [{ body: { fallback_time_zone: 'America/Denver' }, status: 404 }],
  put_user_info: () => [{ body: person, status: 404 }],
  search_users: (_, { user_id, client_user_id }) =>
    [`query_id=${user_id}`, `query_id=${client_user_id}`].map((query) => ({ query, status: 200 })),
  create_insurance: ({ user_id, payor_code }, others) => [
    { body: insurance(payor_code), status: 404 },
    { params: { user_id }, body: insurance(others.payor_code), status: 400 },
  ],
  // Nothing is pulled here, so it waits for its whole time.
  refresh_user: () => [{ query: 'timeout=5', status: 404 }],
  connect_demo: (_, { user_id }) => [{ body: { user_id, provider: 'oura' }, status: 404 }],
  introspect_resources: (_, { user_id }) => [none, { query: `user_id=${user_id}`, status: 404 }],
  introspect_historical_pulls: (_, { user_id }) => [none, { query: `user_id=${user_id}`, status: 404 }],
  get_webhook_portal: () => [none],
  list_team_connections: () => found('status=connected', 'status=error', 'status=paused'),
  count_team_connections: () => [none],
  list_source_priorities: () => [none],
  set_source_priorities: () => [{ body: [{ data_type: 'sleep', providers: ['oura'] }], status: 200 }],
  query_user: () => [
    {
      body: {
        timeframe: { anchor: '2026-01-05', past: { unit: 'week' } },
        queries: [{ select: [{ func: 'count', arg: { timeseries: 'steps' } }] }],
      },
      status: 404,
    },
  ],
  push_samples: () => [{ body: [note], status: 404 }],
  delete_samples: () => [
    { body: [{ resource: 'note', provider: 'manual', timestamp: note.start }], status: 404 },
    { body: [{ provider: 'manual', record_id: note.record_id }], status: 404 },
  ],
  ...Object.fromEntries(Object.keys(SUMMARY_BODIES).map((id) => [id.replace(/^push_/, 'delete_'), deletionsOf])),
  import_file: () => [{ file: '<gpx/>', status: 404 }],
  create_lab_report_parser_job: (_, { user_id }) => [{ form: { user_id }, status: 404 }],
  search_payors: (_, { name }) => found(`insurance_name=${name}`),
  search_payors_by_post: (_, { name }) => [{ body: { insurance_name: name }, status: 200 }],
  search_diagnoses: () => [], // everybody may read diagnoses
  validate_icd_codes: () => [],
  create_payor: (_, { name }) => [{ body: { name: `${name} Mutual`, address: homeAddress }, status: 200 }],
  ...Object.fromEntries(Object.keys(SUMMARY_BODIES).map((id) => [id, summariesOf(id)])),
  ...Object.fromEntries(
    Object.keys(SUMMARY_QUERIES).map((id) => [
      id,
      () => [{ query: 'start_date=2026-01-01&end_date=2026-12-31', status: 404 }],
    ]),
  ),
  page_lab_tests: () => [none],
  list_lab_tests: () => [none],
  list_labs: () => [none],
  list_order_set_markers: (_, { lab_test_id, lab_account_id }) => [
    { body: { lab_test_ids: [lab_test_id] }, status: 404 },
    { body: { add_on: { marker_ids: [1001] }, lab_account_id }, status: 404 },
  ],
  search_compendium: (_, { name }) => [{ body: { mode: 'canonical', query: name }, status: 200 }],
  convert_compendium: (_, { lab_test_id }) => [
    { body: { lab_test_id, target_lab: 'simulated-reference-lab' }, status: 404 },
  ],
  create_lab_test: (_, { lab_account_id }) => [
    { body: { name: 'A', description: 'B', method: 'testkit', marker_ids: [1001], lab_account_id }, status: 404 },
  ],
  patch_lab_test: () => [{ body: { name: 'mine', active: false }, status: 404 }],
  get_area_info: (_, { lab_account_id }) => [{ query: `zip_code=85004&lab_account_id=${lab_account_id}`, status: 404 }],
  get_psc_info: (_, { lab_account_id }) => [
    { query: `zip_code=85004&lab_id=2&lab_account_id=${lab_account_id}`, status: 404 },
  ],
  list_lab_accounts: (_, { lab_account_id }) => found(`lab_account_id=${lab_account_id}`),
  get_lab_test: ({ lab_test_id }, others) => [
    { status: 404 },
    { params: { lab_test_id }, query: `lab_account_id=${others.lab_account_id}`, status: 404 },
  ],
  list_markers: (_, { lab_account_id }) => [none, { query: `lab_account_id=${lab_account_id}`, status: 404 }],
  get_marker: () => [], // everybody may read the catalogue
  delete_connection: (_, { user_id }) => [{ params: { user_id }, status: 404 }],
  bulk_import_connections: (_, { user_id }) => [
    { body: { provider: 'oura', connections: [recipeOf(user_id)], wait_for_completion: true }, status: 200 },
  ],
  bulk_export_connections: (_, { user_id }) => [
    { body: { provider: 'oura', user_ids: [user_id] }, status: 200 },
    { body: { provider: 'oura' }, status: 200 },
  ],
  bulk_trigger_historical_pull: (_, { user_id }) => [
    { body: { provider: 'oura', user_ids: [user_id], wait_for_completion: true }, status: 200 },
  ],
  bulk_pause_connections: (_, { user_id }) => [{ body: { provider: 'oura', user_ids: [user_id] }, status: 200 }],
  list_bulk_ops: () => [none],
  create_portal_url: (own, others) => [
    { body: { context: 'launch' }, status: 404 },
    { body: { context: 'communications', order_id: others.order_id }, params: { user_id: own.user_id }, status: 404 },
  ],
  create_link_token: (_, { user_id }) => [{ body: { user_id }, status: 404 }],
  create_link_code: (_, { user_id }) => [{ query: `user_id=${user_id}`, status: 404 }],
  put_link_redirect_urls: () => [{ body: { urls: ['https://stranger.example.com/in'] }, status: 404 }],
  list_providers: () => [], // and providers
  create_order: (own, others) => [
    { body: { ...patient, user_id: others.user_id, order_set: { lab_test_ids: [own.lab_test_id] } }, status: 404 },
    { body: { ...patient, user_id: own.user_id, order_set: { lab_test_ids: [others.lab_test_id] } }, status: 404 },
  ],
  import_order: (own, others) =>
    [
      { user_id: others.user_id, lab_test_id: own.lab_test_id, sample_id: 'IMPORTED-1', status: 404 },
      { user_id: own.user_id, lab_test_id: others.lab_test_id, sample_id: 'IMPORTED-1', status: 404 },
      { user_id: own.user_id, lab_test_id: own.lab_test_id, sample_id: others.sample_id, status: 400 },
    ].map(({ user_id, lab_test_id, sample_id, status }) => ({
      body: {
        ...patient,
        user_id,
        sample_id,
        billing_type: 'client_bill',
        collection_method: 'testkit',
        order_set: { lab_test_ids: [lab_test_id] },
      },
      status,
    })),
  create_testkit_order: (own, others) => [
    { body: { user_id: others.user_id, lab_test_id: own.lab_test_id, shipping_details: shippingAddress }, status: 404 },
    { body: { user_id: own.user_id, lab_test_id: others.lab_test_id, shipping_details: shippingAddress }, status: 404 },
  ],
  register_testkit: (own, others) => [
    { body: { ...patient, sample_id: others.sample_id }, status: 400 },
    { body: { ...patient, sample_id: others.sample_id, user_id: own.user_id }, status: 400 },
    { body: { ...patient, sample_id: others.sample_id, user_id: others.user_id }, status: 404 },
    { body: { ...patient, sample_id: 'NOBODY-KNOWS-1', user_id: others.user_id }, status: 404 },
  ],
  resend_order_events: (_, { order_id }) => [{ body: { order_ids: [order_id] }, status: 404 }],
  patch_order_communication_settings: () => [{ body: { sms_enabled: false }, status: 404 }],
  create_order_note: () => [{ body: { text: 'mine', author: 'Mine' }, status: 404 }],
  patch_order: () => [{ body: { activate_by: '2030-01-01' }, status: 404 }],
  correct_patient_details: () => [{ body: { patient_details: patient.patient_details }, status: 404 }],
  cancel_order: (_, others) =>
    [others.order_id, others.waiting_order_id].map((order_id) => ({ params: { order_id }, status: 404 })),
  get_phlebotomy_availability: () => [{ body: phoenix, status: 200 }],
  get_psc_availability: () => [{ query: 'lab=sonora_quest&zip_code=85004', status: 200 }],
  ...ofAppointments('phlebotomy', 'phlebotomy_order_id', { cancellation_reason_id: REASON_AT_HOME }),
  ...ofAppointments('psc', 'walk_in_order_id', { cancellationReasonId: REASON_AT_CENTER }),
  get_psc_info_of_order: (_, { walk_in_order_id }) => [{ params: { order_id: walk_in_order_id }, status: 404 }],
  request_phlebotomy_appointment: (_, { phlebotomy_order_id }) => [
    { params: { order_id: phlebotomy_order_id }, body: { address: phoenix, provider: 'getlabs' }, status: 404 },
  ],
  list_orders: (_, others) => orderFilters(others),
  list_team_notes: (_, others) => [{ status: 200 }, { status: 200, query: `order_ids=${others.order_id}` }],
  list_orders_short_path: (_, others) => orderFilters(others),
  list_unmatched_results: () => [none],
  count_orders: () => [none],
  list_appointments: () => found('start_date=2020-01-01&end_date=2020-01-31'),
  list_critical_results: (_, { user_id, order_id }) => found(`user_id=${user_id}`, `order_id=${order_id}`),
  acknowledge_critical_result: () => [{ body: { acknowledged_by: 'Mine' }, status: 404 }],
  sign_off_critical_result: () => [{ body: { signed_off_by: 'Mine' }, status: 404 }],
  accept_unmatched_result: (own, others) => [
    { body: {}, status: 404 },
    { body: { order_id: own.order_id }, status: 404 },
    { params: { raw_result_id: own.raw_result_id }, body: { order_id: others.order_id }, status: 404 },
  ],
  resolve_unmatched_result: () => [{ body: { action: 'reject' }, status: 404 }],
  simulate_order: (_, others) => [{ status: 404 }, { params: { order_id: others.waiting_order_id }, status: 404 }],

  get_labels_pdf: () => [{ query: 'collection_date=2026-01-05', status: 404 }],
  create_team: (_, others) => [{ body: { name: 'Mine', region: 'us', id: others.team_id }, status: 409 }],
  list_teams: (_, { team_id, name }) => [
    none,
    { query: `search_query=${name}`, status: 200 },
    { query: `team_id=${team_id}`, status: 404 },
  ],
  // The caller's own log has the ids that the caller tried, so the requests ask for lines of successes.
  list_audit_log: (_, { team_id, user_id }) => [
    { query: 'action=create_user', status: 200 },
    { query: `action=create_user&record_id=${user_id}`, status: 200 },
    { query: `team_id=${team_id}`, status: 404 },
  ],
  export_audit_log: (_, { team_id }) => [{ query: `team_id=${team_id}`, status: 404 }],
  get_usage: () => [none],
  put_physician: () => [{ body: { first_name: 'Mine', last_name: 'Mine' }, status: 404 }],
  issue_kits: () => [{ body: { count: 1 }, status: 404 }],
  ship_kit: ({ team_id }, { order_id }) => [
    { body: { outbound_tracking_number: '1Z999AA10123456784' }, status: 404 },
    { params: { team_id, order_id }, body: { outbound_tracking_number: '1Z999AA10123456784' }, status: 404 },
  ],
  get_org: (_, { org_id }) => [{ params: { org_id }, status: 404 }],
  patch_org: (_, { org_id }) => [{ params: { org_id }, body: { name: 'mine' }, status: 404 }],
  patch_team: () => [{ body: { name: 'mine', sandbox: { minor_ordering_enabled: true } }, status: 404 }],
  resolve_team: (_, { name }) => [{ body: { integration_team_id: name }, status: 404 }],
  get_team_deletion: (_, { deleted_team_id }) => [{ params: { team_id: deleted_team_id }, status: 404 }],
  list_team_api_keys: (_, { team_id }) => [none, { query: `team_id=${team_id}`, status: 404 }],
  create_team_api_key: (_, { team_id }) => [{ body: { label: 'mine', team_id }, status: 404 }],
  delete_team_api_keys: (_, { api_key_id }) => [{ query: `api_key_id=${api_key_id}`, status: 200 }],
  create_api_access_token: () => [{ body: { env: 'sandbox' }, status: 404 }],
  list_org_lab_accounts: (_, { team_id, lab_account_id }) => [
    none,
    { query: `team_id=${team_id}`, status: 404 },
    { query: `lab_account_id=${lab_account_id}`, status: 200 },
  ],
  patch_org_lab_account: (own, { team_id, lab_account_id }) => [
    { body: { team_id_allowlist: [] }, status: 404 },
    { params: { account_id: own.lab_account_id }, body: { team_id_allowlist: [team_id] }, status: 404 },
    { params: { account_id: lab_account_id }, body: { team_id_allowlist: [] }, status: 404 },
  ],
  create_org_lab_account: (_, { team_id }) => [
    {
      body: {
        lab: 'simulated-kit-lab',
        provider_account_id: 'ACC-MINE',
        allowed_billing: {},
        team_id_allowlist: [team_id],
      },
      status: 403,
    },
  ],
  put_org_lab_account_status: (_, { lab_account_id }) => [
    { params: { account_id: lab_account_id }, body: { status: 'active' }, status: 403 },
  ],
  get_org_plan: () => [none],
  put_org_plan: () => [{ body: { plan: 'scale' }, status: 403 }],
  put_closed_beta: () => [{ body: { is_open: true }, status: 403 }],
  approve_lab_test: () => [{ status: 403 }],
  correct_lab_report: () => [{ body: { metadata: {}, results: [{ test_name: 'Glucose', value: '88' }] }, status: 404 }],
  set_scope_requirements: () => [{ body: { oura: { user_must_grant: ['daily'], user_may_grant: [] } }, status: 404 }],
  list_team_data_pull_preferences: (_, { team_id }) => [none, { query: `team_id=${team_id}`, status: 404 }],
  set_team_data_pull_preferences: (own, { team_id }) => [
    { body: { team_ids: [team_id], providers: days }, status: 404 },
    { body: { team_ids: [own.team_id, team_id], providers: days }, status: 404 },
  ],
  delete_team_data_pull_preferences: (own, { team_id }) => [
    { query: `team_id=${team_id}`, status: 404 },
    { query: `team_id=${own.team_id}&team_id=${team_id}`, status: 404 },
  ],
  list_team_etl_pipelines: (_, { team_id }) => [none, { query: `team_id=${team_id}`, status: 404 }],
  set_team_etl_pipelines: (own, { team_id }) => [
    { body: etlPipeline([team_id]), status: 404 },
    { body: etlPipeline([own.team_id, team_id]), status: 404 },
  ],
  delete_team_etl_pipelines: (own, { team_id }) => [
    { query: `team_id=${team_id}`, status: 404 },
    { query: `team_id=${own.team_id}&team_id=${team_id}`, status: 404 },
  ],
  list_team_ehr_pipelines: (_, { team_id }) => [none, { query: `team_id=${team_id}`, status: 404 }],
  set_team_ehr_pipelines: (own, { team_id }) => [
    { body: ehrPipeline([team_id]), status: 404 },
    { body: ehrPipeline([own.team_id, team_id]), status: 404 },
  ],
  delete_team_ehr_pipelines: (own, { team_id }) => [
    { query: `ehr_type=fhir&team_id=${team_id}`, status: 404 },
    { query: `ehr_type=fhir&team_id=${own.team_id}&team_id=${team_id}`, status: 404 },
  ],
  list_team_custom_credentials: (_, { team_id }) => [none, { query: `team_id=${team_id}`, status: 404 }],
  set_team_custom_credentials: (_, { team_id }) => [{ body: { ...application, team_id }, status: 404 }],
  delete_team_custom_credentials: (_, { credential_id }) => [{ query: `credential_id=${credential_id}`, status: 200 }],
  prepare_team_custom_credentials: (_, { team_id }) => [{ body: { team_id, provider: 'oura' }, status: 404 }],
  list_management_keys: (_, { team_id }) => [none, { query: `team_id=${team_id}`, status: 404 }],
  create_management_key: (_, { team_id }) => [
    { body: { label: 'mine', role: 'team_admin', team_role_bindings: [{ team_id }] }, status: 404 },
  ],
  patch_management_key: () => [{ body: { label: 'mine' }, status: 404 }],
  list_members: (_, { name }) => found(`search_query=${name}`),
  list_invites: (_, { name }) => found(`search_query=${name}`),
  patch_member: () => [{ body: { role: 'no_role', team_role_bindings: null }, status: 404 }],
  list_domains: () => [none],
  create_dashboard_url: (own, others) =>
    [
      { integration_member_id: `ehr ${others.name}` },
      { member_id: others.ehr_member_id },
      { member_id: own.ehr_member_id, team_id: others.team_id },
    ].map((body) => ({
      body: { ...body, feature: 'orders', modality: 'link_out', environment: 'sandbox' },
      status: 404,
    })),
  create_ehr_member: (_, { name, team_id }) => [
    {
      body: {
        integration_member_id: `ehr ${name}`,
        name: 'Mine',
        email: 'mine@example.com',
        team_role_bindings: [{ team_id }],
      },
      status: 404,
    },
  ],
  list_ehr_members: () => [none],
  resolve_ehr_member: (_, { name }) => [{ body: { integration_member_id: `ehr ${name}` }, status: 404 }],
  get_ehr_member: (_, { ehr_member_id }) => [{ params: { member_id: ehr_member_id }, status: 404 }],
  patch_ehr_member: (_, { ehr_member_id }) => [
    { params: { member_id: ehr_member_id }, body: { name: 'Mine' }, status: 404 },
  ],
  delete_ehr_member: (_, { ehr_member_id }) => [{ params: { member_id: ehr_member_id }, status: 404 }],
  get_ehr_configuration: () => [none],
  put_ehr_configuration: (_, { org_id }) => [
    { body: { slug: `ehr-${org_id}`, modalities: [], origin_configs: [] }, status: 409 },
  ],
  create_domain: (_, { name }) => [{ body: { domain: `${name}.example.com` }, status: 201 }],
  send_domain_instructions: () => [{ body: { to_email: 'dns@example.com' }, status: 404 }],
  create_invite: (_, { team_id, name }) => [
    {
      body: { email: `${name}@example.com`, role: 'team_admin', team_role_bindings: [{ team_id }] },
      status: 404,
    },
    { body: { email: `${name}@example.com`, role: 'no_role' }, status: 200 },
  ],
  create_webhook: () => [{ body: { url: 'https://stranger.example.com/in' }, status: 404 }],
  get_laboratory_message: ofTeamsOwn(undefined),
  repair_laboratory_message: ofTeamsOwn({ changes: [{ segment: 2, field: 11, value: 'F' }] }),
  replay_laboratory_message: ofTeamsOwn(undefined),
  discard_laboratory_message: ofTeamsOwn(undefined),
  resend_laboratory_order: ofTeamsOwn(undefined),
  hold_laboratory_order: ofTeamsOwn(undefined),
  release_laboratory_order: ofTeamsOwn(undefined),
  get_managed_unmatched_result: ofTeamsOwn(undefined),
  accept_managed_unmatched_result: (own, others) => [
    { body: { order_id: own.order_id }, status: 404 },
    { params: { team_id: own.team_id }, body: { order_id: own.order_id }, status: 404 },
    {
      params: { team_id: own.team_id, raw_result_id: own.raw_result_id },
      body: { order_id: others.order_id },
      status: 404,
    },
  ],
  resolve_managed_unmatched_result: ofTeamsOwn({ action: 'reject' }),
  get_webhook: ofTeamsOwn(undefined),
  patch_webhook: ofTeamsOwn({ description: 'mine' }),
  delete_webhook: ofTeamsOwn(undefined),
  get_webhook_headers: ofTeamsOwn(undefined),
  test_webhook: ofTeamsOwn({ event_type: 'labtest.order.created' }),
  put_webhook_headers: ofTeamsOwn({ headers: { 'x-tenant': 'mine' } }),
  get_webhook_secret: ofTeamsOwn(undefined),
  rotate_webhook_secret: ofTeamsOwn({}),
  recover_webhook: () => [{ body: { since: new Date().toISOString() }, status: 404 }],
  replay_webhook: () => [{ body: { since: new Date().toISOString() }, status: 404 }],
  get_webhook_public_key: ofTeamsOwn(undefined),
  get_webhook_metrics: ofTeamsOwn(undefined),
  rotate_webhook_public_key: ofTeamsOwn({}),
  create_continuous_query: () => [{ body: heartRateByDay, status: 404 }],
  validate_continuous_query: () => [{ body: heartRateByDay, status: 404 }],
  patch_continuous_query: ofTeamsOwn({ title: 'mine' }),
  delete_continuous_query: ofTeamsOwn(undefined),
  get_result_table: ofUserAndQuery,
  list_continuous_query_tasks: ofUserAndQuery,
};

/** Summaries of the other team's user; and of its own user with an id of the other team. */
function deletionsOf(own: Ids, others: Ids): Attempt[] {
  return [
    { body: [{ id: others.sleep_id }], status: 404 },
    { body: [{ provider: 'oura', start_date: '2020-01-01', end_date: '2030-01-01' }], status: 404 },
    { params: { user_id: own.user_id }, body: [{ id: others.sleep_id }], status: 200 },
  ];
}

/** Summaries for the other team's user; for its own user with a sleep or a device of the other team. */
function summariesOf(id: string): (own: Ids, others: Ids) => Attempt[] {
  return (own, others) => {
    const [item] = SUMMARY_BODIES[id] as [object];
    const foreign = { ...item, ...('sleep_id' in item ? { sleep_id: others.sleep_id } : {}) };
    const attempts: Attempt[] = [{ body: [foreign], status: 404 }];
    if (id === 'push_device') return attempts;
    const measured = { ...foreign, device_id: others.device_id };
    return [...attempts, { params: { user_id: own.user_id }, body: [measured], status: 404 }];
  };
}

/** An order of the other team that has an appointment, for every operation on appointments. */
function ofAppointments(
  kind: 'phlebotomy' | 'psc',
  order: 'phlebotomy_order_id' | 'walk_in_order_id',
  cancellation: object,
): Record<string, (own: Ids, others: Ids) => Attempt[]> {
  const attempt =
    (body?: object) =>
    (_: Ids, others: Ids): Attempt[] => [{ params: { order_id: others[order] }, ...(body && { body }), status: 404 }];
  return {
    [`get_${kind}_appointment`]: attempt(),
    [`book_${kind}_appointment`]: attempt({ booking_key: 'forged' }),
    [`reschedule_${kind}_appointment`]: attempt({ booking_key: 'forged' }),
    [`cancel_${kind}_appointment`]: attempt(cancellation),
    [`list_${kind}_cancellation_reasons`]: () => [none],
  };
}

/** Objects that the other team manages, under its own team and under the caller's. */
function ofTeamsOwn(body: unknown): (own: Ids) => Attempt[] {
  return ({ team_id }) => [
    { body, status: 404 },
    { params: { team_id }, body, status: 404 },
  ];
}

/** The other team's user and query, and each together with the caller's own. */
function ofUserAndQuery(own: Ids, others: Ids): Attempt[] {
  return [
    { status: 404 },
    { params: { user_id: own.user_id }, status: 404 },
    { params: { query_id_or_slug: own.query_id_or_slug }, status: 404 },
    { params: { user_id: own.user_id, query_id_or_slug: others.query_id }, status: 404 },
  ];
}

let app: TestApp;
let endpoint: Endpoint;
/** As the owner of the database, to whom no policy applies. */
let reader: pg.Client;
let owner: Team;
let ids: Ids;
beforeAll(async () => {
  [app, endpoint] = await Promise.all([startTestApp(), startEndpoint()]);
  owner = app.team;
  reader = new pg.Client({ connectionString: app.databaseUrl });
  await reader.connect();
  ids = await fill(owner, 'Quillfeather');
});
afterAll(async () => {
  await reader.end();
  await app.close();
  await endpoint.close();
});

/** Inserts a row for the team into every table with rows of teams. */
async function fill(team: Team, name: string): Promise<Ids> {
  const webhook_id = await subscribe(team, endpoint);
  await team.api('PUT', `${webhookPath(team)}/${webhook_id}/headers`, { headers: { 'x-clinic': name } });
  await team.api('PATCH', `${webhookPath(team)}/${webhook_id}`, { url: `${endpoint.url}/moved` });
  const replay = await team.api<{ id: string }>('POST', `${webhookPath(team)}/${webhook_id}/replay`, {
    since: new Date().toISOString(),
  });
  await team.api('POST', ehrPath(team), ehrPipeline([team.id]));
  await team.api('POST', etlPath(team), etlPipeline([team.id]));
  await team.api('PATCH', `/v1/org/${team.org_id}/team/${team.id}`, { integration_team_id: name });
  await addPhysician(app.ctx, team.id, physician);
  const [user, other, deleted] = [await makeUser(team), await makeUser(team), await makeUser(team)];
  await team.api('PATCH', `/v2/user/${user.user_id}/info`, { ...person, last_name: name });
  const summaries = await pushEverySummary(team, user.user_id);
  const payor = await team.api<{ payor_code: string }>('POST', '/v3/payor', {
    name: `${name} Mutual`,
    address: homeAddress,
    provider: 'stedi',
    provider_payor_id: `${name}-1`,
  });
  await team.api('POST', `/v2/user/${user.user_id}/insurance`, insurance(payor.body.payor_code));
  await team.api('POST', `/v2/timeseries/${user.user_id}/samples`, [note]);
  const file = await upload(team, user.user_id, '<gpx/>');
  const report = await sendReport(team, user.user_id, [pngHead(5, 5)]);
  await sql`
    update lab_report_jobs set status = 'completed', needs_human_review = true, ended_at = now()
     where id = ${report.body.id}`.execute(app.db);
  const continuous = await createQuery(team, { query: countOfDays });
  await runPendingQueries(app);
  await useLink(team, user.user_id);
  await hookOfOura(team, 'secret-of-nobody', { data_type: 'workout', object_id: 'workout-1' });
  // Rows of a provider that needs a subscription for each user. None is configured here.
  await sql`insert into scope_requirements values (${team.id}, 'oura', '{daily}', '{}')`.execute(app.db);
  await sql`insert into data_pull_preferences (team_id, provider, org_id, default_days)
    values (${team.id}, 'oura', ${team.org_id}, 30)`.execute(app.db);
  await sql`insert into team_provider_waits values (${team.id}, 'strava', now(), now())`.execute(app.db);
  await sql`insert into ended_agreements values (${user.user_id}, 'strava', ${team.id}, now())`.execute(app.db);
  await sql`insert into user_subscriptions (user_id, provider, team_id) values (${user.user_id}, 'oura',
    ${team.id})`.execute(app.db);
  await team.api('PATCH', '/v2/team/source/priorities', [{ data_type: 'sleep', providers: ['oura'] }]);
  await team.api('POST', '/v2/link/connect/demo', { user_id: user.user_id, provider: 'fitbit' });
  await team.api('POST', `/v2/user/${user.user_id}/sign_in_token`);
  await team.api('POST', `/v1/org/${team.org_id}/team/${team.id}/create_api_access_token`, { env: 'sandbox' });
  await orderKit(team, deleted.user_id);
  await team.api('DELETE', `/v2/user/${deleted.user_id}`);
  await app.deliver();
  await team.api('GET', '/v2/events?wait=1');
  const order = await orderKit(team, user.user_id);
  await simulate(team, order.id);
  const { sample_id } = await readOrder(team, order.id);
  await register(team, {
    sample_id,
    patient_details: { ...patientDetails, last_name: name },
    health_insurance: healthInsurance,
  });
  await simulate(team, order.id, '', { interpretation: 'critical' });
  const critical = await team.api<{ data: { id: string }[] }>('GET', '/v3/critical_result');
  await signInOperator(app, team);
  await createSignInLink(app.ctx, operatorOf(team.org_id), 60);
  await plantDocument(app, order, name);
  await app.deliver();
  const phlebotomy_order_id = await bookedOrder(team, 'phlebotomy', { userId: user.user_id, last_name: name });
  const walk_in_order_id = await bookedOrder(team, 'psc', { userId: user.user_id, last_name: name });
  const waiting = await orderKit(team, user.user_id);
  await simulate(team, waiting.id, '?delay=3600');
  await team.api('POST', '/v3/order/resend_events', { order_ids: [waiting.id] });
  await team.api('PATCH', `/v3/order/${waiting.id}/communication_settings`, { sms_enabled: false });
  // Rows of an export whose process was killed.
  await sql`insert into team_exports values (${team.id}, ${team.id}, now() - interval '1 hour')`.execute(app.db);
  await sql`insert into demo_clinics (team_id, state) values (${team.id}, 'loaded')`.execute(app.db);
  // Rows of a laboratory that is connected by messages, and of a physician who has signed.
  await sql`insert into laboratory_outbox (user_id, id, order_id, team_id, lab_id, action)
    values (${user.user_id}, ${waiting.id}, ${waiting.id}, ${team.id}, 1, 'new')`.execute(app.db);
  await sql`insert into order_signatures (user_id, order_id, team_id, content)
    values (${user.user_id}, ${waiting.id}, ${team.id}, '')`.execute(app.db);
  // Rows of a laboratory that received the order and sent its result.
  await sql`insert into order_numbers (user_id, order_id, team_id, lab_id, number, account_number)
    values (${user.user_id}, ${waiting.id}, ${team.id}, 1, ${waiting.id}, 'ACC-1')`.execute(app.db);
  await sql`insert into patient_numbers (user_id, team_id, number)
    values (${user.user_id}, ${team.id}, ${`U${user.user_id}`})`.execute(app.db);
  await sql`insert into laboratory_numbers (user_id, order_id, team_id, lab_id, kind, number)
    values (${user.user_id}, ${waiting.id}, ${team.id}, 1, 'filler', ${waiting.id})`.execute(app.db);
  await sql`insert into hl7_outgoing (user_id, id, team_id, control_id, message)
    values (${user.user_id}, ${waiting.id}, ${team.id}, 'P1N', '')`.execute(app.db);
  await sql`insert into hl7_messages (id, lab_id, control_id, content_hash, raw, team_id, user_id, order_id)
    values (${waiting.id}, 1, ${waiting.id}, '', '', ${team.id}, ${user.user_id}, ${waiting.id})`.execute(app.db);
  endpoint.answer((response) => response.writeHead(500).end());
  await app.deliver();
  endpoint.answer(null);
  await orderKit(team, user.user_id);
  const account_id = await addAccount(app, team);
  const keys = await team.api<{ api_keys: { id: string; team_id: string }[] }>(
    'GET',
    `/v1/org/${team.org_id}/team_api_keys/sandbox/us`,
  );
  await team.api('PUT', `${webhookPath(team)}/${webhook_id}/headers`, { headers: { 'x-clinic': name } });
  const attempted = await team.api<{ data: { id: string; event_id: string }[] }>(
    'GET',
    `${webhookPath(team)}/${webhook_id}/attempt`,
  );
  // It comes last, so that earlier connections belong to the deployment.
  const credentials = await team.api<{ id: string }>(
    'POST',
    `/v1/org/${team.org_id}/team_custom_credentials/sandbox/us`,
    { ...application, team_id: team.id },
  );
  const managers = await team.api<{ data: { id: string }[] }>('GET', `/v1/org/${team.org_id}/management_key`);
  return {
    org_id: team.org_id,
    team_id: team.id,
    deleted_team_id: await makeDeletedTeam(team),
    user_id: user.user_id,
    client_user_id: user.client_user_id,
    other_client_user_id: other.client_user_id,
    deleted_user_id: deleted.user_id,
    deleted_client_user_id: deleted.client_user_id,
    order_id: order.id,
    waiting_order_id: waiting.id,
    phlebotomy_order_id,
    walk_in_order_id,
    transaction_id: order.order_transaction.id,
    sample_id: sample_id as string,
    critical_result_id: critical.body.data[0]?.id as string,
    note_id: await writtenNote(team, order.id),
    raw_result_id: (await loseResults(team)).unmatched_id,
    message_id: await waitingMessage(team),
    outbox_id: await refusedOrder(team, { user_id: user.user_id, order_id: order.id }),
    lab_test_id: await kitTestId(team),
    lab_account_id: account_id,
    credential_id: credentials.body.id,
    payor_code: payor.body.payor_code,
    webhook_id,
    attempt_id: attempted.body.data[0]?.id as string,
    event_id: attempted.body.data[0]?.event_id as string,
    replay_id: replay.body.id,
    workout_id: summaries['workouts'] as string,
    sleep_id: summaries['sleep'] as string,
    device_id: summaries['device'] as string,
    import_id: file.body.id,
    job_id: report.body.id,
    npi: physician.npi,
    query_id: continuous.body.id,
    query_id_or_slug: continuous.body.id,
    name,
    provider: 'oura',
    member_id: (await makeMember(app, team, { name: `Ada ${name}`, email: `${name}@example.com` })).id,
    invite_id: (await invite(team, `invited-${name}@example.com`)).id,
    account_id,
    ehr_member_id: await letIn(team, name),
    domain_id: (
      await team.api<{ id: string }>('POST', `/v1/org/${team.org_id}/domain`, { domain: `${name}.example.com` })
    ).body.id,
    key_id: managers.body.data[0]?.id as string,
    api_key_id: keys.body.api_keys.find(({ team_id }) => team_id === team.id)?.id as string,
  };
}

const writtenNote = async (team: Team, orderId: string): Promise<string> =>
  (await team.api<{ id: string }>('POST', `/v3/order/${orderId}/note`, { text: 'Ours', author: 'Ana Ruiz' })).body.id;

/** A waiting message of a laboratory, of the team. */
async function waitingMessage(team: Team): Promise<string> {
  const bytes = Buffer.from(`OBX|1|NM|GLU||88|||||||Q|${randomUUID()}`);
  const { id } = await storeMessage(app.ctx, { labId: 1, bytes, header: null });
  await sql`update hl7_messages set state = 'failed', team_id = ${team.id} where id = ${id}`.execute(app.db);
  return id;
}

/** An order that its laboratory refused. */
async function refusedOrder(team: Team, of: { user_id: string; order_id: string }): Promise<string> {
  const id = randomUUID();
  await sql`
    insert into laboratory_outbox (user_id, id, order_id, team_id, lab_id, action, state)
    values (${of.user_id}, ${id}, ${of.order_id}, ${team.id}, 1, 'new', 'refused')`.execute(app.db);
  // And an appointment that was not sent to its scheduler yet.
  await sql`
    insert into scheduler_calls (user_id, order_id, id, team_id, appointment_id, provider, kind, content, by_hand)
    select user_id, order_id, ${randomUUID()}, team_id, id, provider, 'cancel', '', true
      from appointments where team_id = ${team.id} limit 1`.execute(app.db);
  return id;
}

async function makeDeletedTeam({ org_id, api }: Team): Promise<string> {
  const { body } = await api<{ id: string }>('POST', `/v1/org/${org_id}/team`, { name: 'Ended', region: 'us' });
  await api('DELETE', `/v1/org/${org_id}/team/${body.id}`);
  return body.id;
}

async function makeSibling(): Promise<Team> {
  const { id } = await createTeam(app.ctx, { org_id: owner.org_id, name: 'Sibling' });
  const key = await createTeamKey(app.ctx, { team_id: id, label: 'test' });
  return { ...owner, id, api_key: key.value, api: apiOf(app.baseUrl, key.value, owner.management_key) };
}

/**
 * A digest of the versions of all rows of the owner, which is cheaper than one of their values. Each change of a row
 * makes another version. It is one statement, because the test runs it after each operation.
 */
async function versionsOfOwner(): Promise<string> {
  versionsStatement ??= (await statementOfRows(sql`t.tableoid || ' ' || t.ctid || ' ' || t.xmin`)).compile(app.db).sql;
  // Prepared, because planning it for each of hundreds of operations would take longer than running it.
  const { rows } = await reader.query<{ digest: string }>({
    name: 'versions of owner',
    text: `select md5(string_agg(row, chr(10) order by row collate "C")) as digest
             from (${versionsStatement}) as rows_of_owner`,
  });
  return rows[0]?.digest as string;
}

/** Every row of the owner as text, by table. */
async function rowsOfOwner(): Promise<Record<string, string[]>> {
  // The time of the last use of the owner's keys is written once a minute, whoever calls.
  rowsStatement ??= (await statementOfRows(sql`(to_jsonb(t) - 'last_used_at')::text`)).compile(app.db).sql;
  const { rows } = await reader.query<{ name: string; row: string }>(rowsStatement);
  const all: Record<string, string[]> = Object.fromEntries(ownedTables.map((name) => [name, []]));
  for (const { name, row } of rows) all[name]?.push(row);
  for (const each of Object.values(all)) each.sort();
  return all;
}

let versionsStatement: string | undefined;
let rowsStatement: string | undefined;
let ownedTables: string[] = [];

/** Reads `shown` of each row `t` of the owner. */
async function statementOfRows(shown: RawBuilder<unknown>): Promise<RawBuilder<{ name: string; row: string }>> {
  const { rows: tables } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'team_id'
      and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname <> 'audit_log'
     order by 1`.execute(app.db);
  const rowsOf = (name: string, condition: RawBuilder<unknown>) =>
    sql`select ${sql.lit(name)} as name, ${shown} as row from ${sql.table(name)} t where ${condition}`;
  const { rows: ofOrg } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
      and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'teams' and not c.relispartition
       and not exists (select from pg_attribute t where t.attrelid = c.oid and t.attname = 'team_id')
         order by 1`.execute(app.db);
  ownedTables = [...tables, ...ofOrg].map(({ name }) => name).concat('webhook_secrets', 'teams');
  return sql`${sql.join(
    [
      ...tables.map(({ name }) => rowsOf(name, sql`team_id = ${sql.lit(owner.id)}`)),
      ...ofOrg.map(({ name }) => rowsOf(name, sql`org_id = ${sql.lit(owner.org_id)}`)),
      rowsOf('webhook_secrets', sql`webhook_id = ${sql.lit(ids.webhook_id)}`),
      rowsOf('teams', sql`id = ${sql.lit(owner.id)}`),
    ],
    sql` union all `,
  )}`;
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

function attemptsAt(operation: Operation, own: Ids, others: Ids): Attempt[] {
  const listed = ATTEMPTS[operation.id];
  if (listed) return listed(own, others);
  if (!operation.path.includes('{'))
    throw new Error(`Say in ATTEMPTS how another team would reach for rows with ${operation.id}.`);
  // Operations that read by time get a range.
  const inRange = operation.query && 'start_date' in operation.query.properties;
  return [{ status: 404, ...(inRange ? { query: 'start_date=2026-01-01&end_date=2026-12-31' } : {}) }];
}

/** An attempt with the other team's ids unless it says otherwise. The organisation is the caller's own. */
function requestOf(
  caller: Team,
  operation: Operation,
  own: Ids,
  others: Ids,
  attempt: Attempt,
): { request: string; send: () => Promise<Answer<unknown>> } {
  const fixed: Record<string, string> = {
    env: 'sandbox',
    environment: 'sandbox',
    region: 'us',
    beta: 'lab_report_parser',
  };
  const params: Record<string, string> = { ...others, ...fixed, org_id: own.org_id, ...attempt.params };
  const path =
    operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      if (params[name] === undefined) throw new Error(`Say in Ids what {${name}} of ${operation.id} is.`);
      return params[name];
    }) + (attempt.query ? `?${attempt.query}` : '');
  return {
    request: `${operation.method} ${path} ${JSON.stringify(attempt.body) ?? ''}`,
    send: () =>
      caller.api<unknown>(
        operation.method,
        path,
        attempt.body,
        attempt.file
          ? { raw: attempt.file, headers: { 'content-type': 'application/octet-stream' } }
          : attempt.form
            ? reportForm(attempt.form, [pngHead(5, 5)])
            : {},
      ),
  };
}

test('the owner has something in every table with rows of teams or organisations', async () => {
  const empty = Object.entries(await rowsOfOwner())
    .filter(([, rows]) => rows.length === 0)
    .map(([table]) => table);
  expect(empty).toEqual([]);
});

describe.each([
  ['a sibling in the same organisation', makeSibling, ['team_key', 'team_key_or_user_token']],
  [
    'a team of another organisation',
    () => app.makeTeam('Mesa Labs'),
    ['team_key', 'team_key_or_user_token', 'management_key'],
  ],
] as const)('%s', (_, makeOutsider, kinds) => {
  let outsider: Team;
  let own: Ids;
  let telltales: string[];
  /** The owner's rows after the last request. Nothing but these tests runs in between. */
  let rows: Record<string, string[]>;
  let versions: string;
  beforeAll(async () => {
    outsider = await makeOutsider();
    own = await fill(outsider, 'Marchbanks');
    const shared = new Set(Object.values(own));
    rows = await rowsOfOwner();
    versions = await versionsOfOwner();
    const uuids = Object.values(rows)
      .flat()
      .flatMap((row) => row.match(UUID) ?? []);
    telltales = [...new Set([...uuids, ids.sample_id, ids.name])].filter((text) => !shared.has(text));
  });

  test('would be caught by many ids that only the owner has', () => {
    expect(telltales.length).toBeGreaterThan(30);
    expect(telltales).toEqual(
      expect.arrayContaining([ids.user_id, ids.order_id, ids.webhook_id, ids.lab_test_id, ids.name]),
    );
  });

  for (const operation of operations.filter(({ auth }) => (kinds as readonly string[]).includes(auth))) {
    test(`gets and changes nothing of it by ${operation.id}`, async () => {
      const before = rows;
      for (const attempt of attemptsAt(operation, own, ids)) {
        const { request, send } = requestOf(outsider, operation, own, ids, attempt);
        const { status, body } = await send();
        expect({ request, status }).toEqual({ request, status: attempt.status });
        const text = JSON.stringify(body) ?? '';
        expect({
          request,
          shown: telltales.filter((telltale) => !request.includes(telltale) && text.includes(telltale)),
        }).toEqual({ request, shown: [] });
      }
      const versionsBefore = versions;
      versions = await versionsOfOwner();
      if (versions === versionsBefore) return;
      rows = await rowsOfOwner();
      // Shows which rows changed. A row that was written again may be the same.
      expect(rows).toEqual(before);
    });
  }
});

test('the same requests by the owner itself reach their records', async () => {
  // Deleting operations come last, and the deletion of the team after all of its contents.
  const last = ({ id, method }: Operation): number =>
    id === 'delete_team' ? 9 : id === 'delete_user' ? 8 : ['GET', 'PUT', 'PATCH', 'POST', 'DELETE'].indexOf(method);
  const unreached: string[] = [];
  const sent = new Set<string>();
  for (const operation of operations
    .filter(({ auth }) => auth !== 'none' && auth !== 'link_token' && auth !== 'session' && !auth.endsWith('signature'))
    .toSorted((a, b) => last(a) - last(b))) {
    for (const attempt of attemptsAt(operation, ids, ids)) {
      const { request, send } = requestOf(owner, operation, ids, ids, attempt);
      if (sent.has(request)) continue;
      sent.add(request);
      const { status } = await send();
      if (status === 404 || status === 422) unreached.push(`${operation.id} ${status} ${request}`);
    }
  }
  expect(unreached).toEqual([]);
});
