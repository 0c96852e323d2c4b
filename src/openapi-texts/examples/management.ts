import { TEAM } from './invented.ts';

export const MANAGEMENT_BODIES: Readonly<Record<string, unknown>> = {
  patch_org_lab_account: { team_id_allowlist: [] },
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
  put_link_redirect_urls: { urls: ['https://app.example.com/connected'] },
  put_org_plan: { plan: 'scale' },
  put_closed_beta: { is_open: true },
  create_org_lab_account: {
    lab: 'simulated-kit-lab',
    provider_account_id: 'ACC-1042',
    allowed_billing: { client_bill: ['AZ', 'CA'] },
  },
  put_org_lab_account_status: { status: 'active' },
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
  put_physician: { first_name: 'Ana', last_name: 'Ruiz' },
  issue_kits: { count: 2 },
  ship_kit: { outbound_tracking_number: '9400 1118 9922 3197 4284 90', courier: 'usps' },
  set_team_etl_pipelines: {
    team_ids: ['01940000-0000-7000-8000-000000000003'],
    preferences: { preferred: 'rabbitmq', enabled: ['rabbitmq', 'svix'] },
    rabbitmq: { uri: 'amqps://phial:secret@broker.example.com/clinic', exchange: 'health' },
    event_type_prefixes: ['labtest.', 'daily.data.'],
  },
  set_team_ehr_pipelines: {
    team_ids: ['01940000-0000-7000-8000-000000000003'],
    ehr_type: 'fhir',
    base_url: 'https://ehr.example.com/fhir',
    authentication: {
      type: 'client_credentials',
      client_id: 'phial',
      client_secret: 'a secret of the EHR',
      token_url: 'https://ehr.example.com/oauth/token',
    },
    allowed_mappers: ['lab_result'],
  },
  set_team_custom_credentials: {
    team_id: '01940000-0000-7000-8000-000000000003',
    provider: 'oura',
    client_id: 'example-client',
    client_secret: 'example-secret',
  },
  prepare_team_custom_credentials: { team_id: '01940000-0000-7000-8000-000000000003', provider: 'oura' },
};
