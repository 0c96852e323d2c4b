import { AGGREGATE_BODIES } from './examples/aggregate.ts';
import { APPOINTMENT_BODIES } from './examples/appointments.ts';
import { CONNECTION_BODIES } from './examples/connections.ts';
import { CONTINUOUS_QUERY_BODIES } from './examples/continuous-queries.ts';
import { DOMAIN_BODIES } from './examples/domains.ts';
import { EHR_BODIES } from './examples/ehr.ts';
import { HOOK_BODIES } from './examples/hooks.ts';
import { INSURANCE_BODIES } from './examples/insurance.ts';
import { LAB_TEST_BODIES } from './examples/lab-tests.ts';
import { LINK_BODIES } from './examples/link.ts';
import { MANAGEMENT_BODIES } from './examples/management.ts';
import { ORDER_BODIES } from './examples/orders.ts';
import { PEOPLE_BODIES } from './examples/people.ts';
import { REPAIR_BODIES } from './examples/repairs.ts';
import { RESULT_BODIES } from './examples/results.ts';
import { SESSION_BODIES } from './examples/sessions.ts';
import { SIMULATION_BODIES } from './examples/simulation.ts';
import { TIMESERIES_BODIES } from './examples/timeseries.ts';
import { UNMATCHED_BODIES } from './examples/unmatched.ts';
import { USER_BODIES } from './examples/users.ts';
import { WEBHOOK_BODIES } from './examples/webhooks.ts';
import { SUMMARY_BODIES, SUMMARY_DELETIONS, SUMMARY_QUERIES } from './examples/summaries.ts';
import { address, ORG, person, SOMETHING, TEAM, USER } from './examples/invented.ts';

// A valid body for every operation that accepts one. A test sends all of them to the service. The people are invented.

/** Request bodies, by operation. `examples/` has a file for each tag. */
export const BODIES: Readonly<Record<string, unknown>> = {
  ...PEOPLE_BODIES,
  ...LINK_BODIES,
  ...USER_BODIES,
  ...INSURANCE_BODIES,
  ...LAB_TEST_BODIES,
  ...MANAGEMENT_BODIES,
  ...CONNECTION_BODIES,
  ...AGGREGATE_BODIES,
  ...CONTINUOUS_QUERY_BODIES,
  ...TIMESERIES_BODIES,
  ...SUMMARY_DELETIONS,
  ...HOOK_BODIES,
  ...SIMULATION_BODIES,
  ...ORDER_BODIES,
  ...UNMATCHED_BODIES,
  ...REPAIR_BODIES,
  ...RESULT_BODIES,
  ...APPOINTMENT_BODIES,
  ...SESSION_BODIES,
  ...WEBHOOK_BODIES,
  ...EHR_BODIES,
  ...DOMAIN_BODIES,
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
