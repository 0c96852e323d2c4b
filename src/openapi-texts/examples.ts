import { HOOK_BODIES, ORG_BODIES } from './org-examples.ts';
import { WORK_BODIES } from './work-examples.ts';
import { SUMMARY_BODIES, SUMMARY_QUERIES } from './summaries.ts';

// A valid body for every operation that accepts one. A test sends all of them to the service. The people are invented.

const address = { first_line: '1 Saguaro Way', city: 'Phoenix', state: 'AZ', zip: '85004', country: 'US' };
const usAddress = { first_line: '1 Saguaro Way', city: 'Phoenix', state: 'AZ', zip_code: '85004' };
const booking = { booking_key: 'ATd8cXQ0bGtqZ2hmZHNh', appointment_notes: 'Second door on the left' };
const person = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  dob: '1980-12-10',
  gender: 'female',
  email: 'ada@example.com',
  phone_number: '+16025550123',
};

/** Ids for paths and bodies. No record has any of these ids, so a copied example changes nothing. */
const USER = '01940000-0000-7000-8000-000000000001';
const ORG = '01940000-0000-7000-8000-000000000002';
const TEAM = '01940000-0000-7000-8000-000000000003';
const SOMETHING = '01940000-0000-7000-8000-000000000004';

const MEAN_BY_WEEK = {
  title: 'Heart rate by week',
  slug: 'heart_rate_by_week',
  timeframe: { type: 'relative', past: { unit: 'week', value: 4 } },
  query: {
    select: [{ group_key: '*' }, { func: 'mean', arg: { timeseries: 'heartrate' } }],
    group_by: [{ date_trunc: { unit: 'week', value: 1 } }],
  },
};

/** Request bodies, by operation. */
export const BODIES: Readonly<Record<string, unknown>> = {
  accept_invite: { name: 'Ada Lovelace' },
  answer_demo_page: { username: 'ada', password: 'password' },
  create_user: { client_user_id: 'patient-4711', fallback_time_zone: 'America/Phoenix' },
  patch_user: { fallback_time_zone: 'America/Denver' },
  put_user_info: { ...person, address },
  create_insurance: {
    payor_code: 'SBX00001',
    member_id: 'XYZ123456789',
    relationship: 'Self',
    insured: { ...person, address },
    is_primary: true,
  },
  search_payors_by_post: { insurance_name: 'aetna' },
  validate_icd_codes: { codes: ['E11.9', 'I10'] },
  list_order_set_markers: { add_on: { marker_ids: [1101, 1015] } },
  search_compendium: { mode: 'crosswalk', query: 'TSH' },
  convert_compendium: { provider_ids: ['KIT-4548'], target_lab: 'simulated-reference-lab' },
  create_lab_test: {
    name: 'Heart and thyroid',
    description: 'Lipids and TSH.',
    method: 'testkit',
    marker_ids: [1101, 1015],
  },
  patch_lab_test: { name: 'Heart check', active: false },
  patch_org_lab_account: { team_id_allowlist: [] },
  connect_demo: { user_id: USER, provider: 'oura' },
  set_scope_requirements: { oura: { user_must_grant: ['daily'], user_may_grant: ['heartrate', 'workout'] } },
  set_team_data_pull_preferences: {
    team_ids: [TEAM],
    providers: {
      oura: {
        default: { historical_days_to_pull: 30 },
        resource_overrides: { sleep: { historical_days_to_pull: 180 } },
      },
    },
  },
  set_source_priorities: [{ data_type: 'sleep', providers: ['oura', 'fitbit'] }],
  query_user: {
    timeframe: { type: 'relative', anchor: '2026-01-05', past: { unit: 'week', value: 4 } },
    queries: [
      {
        select: [{ group_key: '*' }, { func: 'mean', arg: { timeseries: 'heartrate' } }],
        group_by: [{ date_trunc: { unit: 'week', value: 1 } }],
      },
    ],
  },
  create_continuous_query: MEAN_BY_WEEK,
  validate_continuous_query: MEAN_BY_WEEK,
  patch_continuous_query: { title: 'Resting heart rate', active: false },
  delete_samples: [
    { provider: 'apple_health_kit', record_id: '0C9A5C9E-8A0B-4C42-9A2B-0A2F1D6C7B11' },
    {
      resource: 'heartrate',
      provider: 'apple_health_kit',
      source_type: 'watch',
      start: '2026-01-05T07:00:00Z',
      end: '2026-01-05T08:00:00Z',
    },
  ],
  ...Object.fromEntries(
    [
      'activity',
      'body',
      'electrocardiogram',
      'meal',
      'menstrual_cycle',
      'profile',
      'sleep',
      'sleep_cycle',
      'workouts',
    ].map((kind) => [`delete_${kind}`, [{ provider: 'apple_health_kit', provider_id: '4711' }]]),
  ),
  push_samples: [
    {
      resource: 'heartrate',
      provider: 'apple_health_kit',
      source_type: 'watch',
      timestamp: '2026-01-05T07:30:00Z',
      timezone_offset: -25_200,
      unit: 'bpm',
      value: 61,
    },
  ],
  bulk_import_connections: {
    provider: 'oura',
    connections: [
      {
        user_id: USER,
        access_token: 'access-token-of-the-user',
        refresh_token: 'refresh-token-of-the-user',
        provider_id: '4711',
        expires_at: 1_798_761_600,
        oauth_scopes: ['personal', 'daily'],
      },
    ],
    wait_for_completion: true,
  },
  create_portal_url: { context: 'launch' },
  create_link_token: { user_id: USER, filter_on_providers: ['oura', 'strava'] },
  connect_by_password: { username: 'ada', password: 'correct horse battery staple' },
  complete_password_mfa: { mfa_code: '123456' },
  connect_by_email: { email: 'ada@example.com', region: 'us' },
  put_link_redirect_urls: { urls: ['https://app.example.com/connected'] },
  bulk_export_connections: { provider: 'oura', user_ids: [USER] },
  bulk_trigger_historical_pull: { provider: 'oura', user_ids: [USER] },
  ...HOOK_BODIES,
  bulk_pause_connections: { provider: 'oura', user_ids: [USER] },
  create_payor: { name: 'Saguaro Mutual', address },
  create_order: {
    user_id: USER,
    order_set: { lab_test_ids: [SOMETHING] },
    physician: { first_name: 'Ana', last_name: 'Ruiz', npi: '1234567893' },
    icd_codes: ['E11.9'],
    patient_details: person,
    patient_address: { receiver_name: 'Ada Lovelace', ...address },
  },
  import_order: {
    user_id: USER,
    billing_type: 'client_bill',
    order_set: { add_on: { provider_ids: ['REF-3016'] } },
    collection_method: 'walk_in_test',
    sample_id: 'LAB-000001',
    patient_details: person,
    patient_address: { receiver_name: 'Ada Lovelace', ...address },
  },
  create_testkit_order: {
    user_id: USER,
    lab_test_id: SOMETHING,
    shipping_details: { receiver_name: 'Ada Lovelace', ...address, phone_number: '+16025550123' },
  },
  register_testkit: {
    user_id: USER,
    sample_id: 'PH-000001',
    patient_details: person,
    patient_address: { receiver_name: 'Ada Lovelace', ...address },
    consents: ['terms-of-use', 'telehealth-informed-consent', 'notice-of-privacy-practices'].map((consentType) => ({
      consentType,
      version: '1.0',
    })),
  },
  patch_order: { activate_by: '2030-01-31' },
  find_users: { name: 'Ada Lovelace', birth_date: '1980-12-10' },
  correct_patient_details: { patient_details: person },
  accept_unmatched_result: { order_id: SOMETHING, note: 'The tube had no label; asked the clinic.' },
  ...WORK_BODIES,
  resolve_unmatched_result: { action: 'reject', note: 'Not a patient of ours.' },
  get_phlebotomy_availability: usAddress,
  book_phlebotomy_appointment: booking,
  request_phlebotomy_appointment: { address: usAddress, provider: 'getlabs' },
  reschedule_phlebotomy_appointment: booking,
  cancel_phlebotomy_appointment: { cancellation_reason_id: '0b7f6a52-3c1d-4e8a-9f20-000000000101' },
  book_psc_appointment: booking,
  reschedule_psc_appointment: booking,
  cancel_psc_appointment: { cancellationReasonId: '0b7f6a52-3c1d-4e8a-9f20-000000000201' },
  resend_order_events: { start_at: '2026-01-01T00:00:00Z', end_at: '2026-01-31T23:59:59Z' },
  patch_order_communication_settings: { sms_enabled: false },
  simulate_order: { interpretation: 'abnormal', has_missing_results: false },
  create_team: { name: 'Phoenix clinic', region: 'us' },
  patch_org: { name: 'Desert Health' },
  patch_team: {
    name: 'Phoenix clinic',
    sandbox: { minor_ordering_enabled: true, brand_information: { support_email: 'help@example.com' } },
  },
  resolve_team: { integration_team_id: 'clinic-7' },
  create_team_api_key: { label: 'dashboard', team_id: TEAM, scopes: ['orders:read', 'results:read'] },
  create_api_access_token: { env: 'sandbox' },
  create_management_key: { label: 'provisioning', role: 'org_admin' },
  patch_management_key: { label: 'provisioning, second' },
  ...ORG_BODIES,
  create_webhook: {
    url: 'https://hooks.example.com/phial',
    filter_types: ['labtest.order.created', 'labtest.order.updated'],
  },
  ...SUMMARY_BODIES,
};

/** Values of path parameters, by name. */
export const PARAMETERS: Readonly<Record<string, unknown>> = {
  behaviour: 'healthy',
  carrier: 'usps',
  client_user_id: 'patient-4711',
  collection_date: '2026-01-05T14:30:00Z',
  device_id: SOMETHING,
  domain_id: SOMETHING,
  diagnosis_query: 'vitamin D',
  env: 'sandbox',
  environment: 'sandbox',
  import_id: SOMETHING,
  invite_id: SOMETHING,
  job_id: SOMETHING,
  npi: '1234567893',
  member_id: SOMETHING,
  key_id: SOMETHING,
  account_id: SOMETHING,
  lab_id: 1,
  lab_test_id: SOMETHING,
  oauth_provider: 'oura',
  message_id: SOMETHING,
  note_id: SOMETHING,
  order_id: SOMETHING,
  org_id: ORG,
  outbox_id: SOMETHING,
  provider: 'oura',
  provider_id: 'KIT-4548',
  query_id: SOMETHING,
  query_id_or_slug: 'heart_rate_by_week',
  raw_result_id: SOMETHING,
  critical_result_id: SOMETHING,
  region: 'us',
  replay_id: SOMETHING,
  start_date: '2026-01-05',
  sleep_id: SOMETHING,
  team_id: TEAM,
  token: 'signed-part-of-the-link',
  transaction_id: SOMETHING,
  user_id: USER,
  beta: 'etl_pipelines',
  webhook_id: SOMETHING,
  attempt_id: SOMETHING,
  event_id: SOMETHING,
  workout_id: SOMETHING,
  zip_code: '85004',
};

/** Text values, by field name. They are used for text fields in the examples of responses and events. */
export const FIELDS: Readonly<Record<string, string>> = {
  ...person,
  ...address,
  receiver_name: 'Ada Lovelace',
  first_line_address: address.first_line,
  zipcode: address.zip,
  client_user_id: 'patient-4711',
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
  created_on: '2026-01-31T12:00:00.000Z',
  relationship: 'Self',
  member_id: 'XYZ123456789',
  payor_code: 'SBX00001',
  sample_id: 'PH-000001',
  lab_test_id: SOMETHING,
  user_id: USER,
  team_id: TEAM,
  org_id: ORG,
};

/** Query values, by operation, for operations with required query parameters. */
export const QUERIES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  undo_delete_user: { user_id: USER },
  create_link_code: { user_id: USER },
  answer_hook_challenge: { challenge: 'e1f5a0', verification_token: 'a3c1' },
  exchange_link_code: { code: 'skus00000000' },
  delete_team_api_keys: { api_key_id: [SOMETHING] },
  delete_team_custom_credentials: { credential_id: [SOMETHING] },
  delete_team_data_pull_preferences: { team_id: [TEAM] },
  delete_team_etl_pipelines: { team_id: [TEAM] },
  delete_team_ehr_pipelines: { team_id: [TEAM], ehr_type: 'fhir' },
  get_psc_availability: { lab: 'sonora_quest', zip_code: '85004' },
  get_area_info: { zip_code: '85004' },
  get_psc_info: { zip_code: '85004', lab_id: 2 },
  ...SUMMARY_QUERIES,
};
