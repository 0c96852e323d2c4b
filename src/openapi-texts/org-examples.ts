/**
 * Examples of request bodies, by operation. They are for operations on the people, domains and integrations of an
 * organisation.
 */
export const ORG_BODIES: Readonly<Record<string, unknown>> = {
  use_sign_in_link: {},
  request_sign_in_link: { email: 'grace@example.com' },
  patch_webhook: { description: 'Orders of the clinic' },
  test_webhook: { event_type: 'labtest.order.created' },
  put_webhook_headers: { headers: { 'x-tenant': 'phoenix' } },
  rotate_webhook_secret: { keep_old_hours: 48 },
  rotate_webhook_public_key: {},
  recover_webhook: { since: '2026-01-01T08:00:00Z', until: '2026-01-01T14:00:00Z' },
  replay_webhook: { since: '2026-01-01', event_types: ['labtest.order.*'], per_second: 50 },
  repair_laboratory_message: { changes: [{ segment: 5, field: 11, value: 'F' }] },
  accept_managed_unmatched_result: { order_id: '0199aaaa-aaaa-7aaa-8aaa-aaaaaaaaaaaa' },
  resolve_managed_unmatched_result: { action: 'reject', note: 'Not one of ours' },
  put_physician: { first_name: 'Ana', last_name: 'Ruiz' },
  issue_kits: { count: 2 },
  ship_kit: { outbound_tracking_number: '9400 1118 9922 3197 4284 90', courier: 'usps' },
  patch_member: { role: 'no_role', team_role_bindings: null },
  create_dashboard_url: {
    integration_member_id: 'ehr-user-7',
    feature: 'orders',
    modality: 'link_out',
    environment: 'sandbox',
  },
  create_ehr_member: { integration_member_id: 'ehr-user-7', name: 'Grace Hopper', email: 'grace@example.com' },
  patch_ehr_member: { name: 'Grace B. Hopper' },
  resolve_ehr_member: { integration_member_id: 'ehr-user-7' },
  put_ehr_configuration: {
    slug: 'desert-ehr',
    modalities: ['feature_embed', 'link_out'],
    origin_configs: [{ origin: 'https://ehr.example.com' }],
  },
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
  create_domain: { domain: 'example.com' },
  send_domain_instructions: { to_email: 'dns@example.com' },
  create_invite: { email: 'grace@example.com', role: 'org_admin' },
};

/**
 * Examples of response bodies, by operation, if the schema alone does not describe the body well. If the response has
 * lines, the example is one line.
 */
export const ORG_ANSWERS: Readonly<Record<string, unknown>> = {
  export_team: {
    type: 'user',
    user_id: '01940000-0000-7000-8000-000000000001',
    data: {
      id: '01940000-0000-7000-8000-000000000001',
      client_user_id: 'patient-4711',
      fallback_time_zone: 'America/Phoenix',
      fallback_time_zone_at: '2026-01-31T12:00:00.000Z',
      fallback_birth_date: null,
      fallback_birth_date_at: null,
      ingestion_start: null,
      ingestion_end: null,
      created_at: '2026-01-31T12:00:00.000Z',
      deleted_at: null,
    },
  },
};

/** An example of each body that providers, carriers and schedulers send to us. */
export const HOOK_BODIES = {
  receive_hook: {
    event_type: 'update',
    data_type: 'workout',
    object_id: '4a1b9c2d',
    event_time: '2026-01-05T12:00:00Z',
    user_id: '8d3f',
  },
  receive_at_demo_endpoint: {
    event_type: 'labtest.order.updated',
    data: { id: '0199aaaa-aaaa-7aaa-8aaa-aaaaaaaaaaaa' },
    team_id: '0199bbbb-bbbb-7bbb-8bbb-bbbbbbbbbbbb',
    user_id: '0199cccc-cccc-7ccc-8ccc-cccccccccccc',
    client_user_id: 'demo-clinic-01',
  },
  receive_carrier_news: {
    description: 'tracker.updated',
    result: {
      object: 'Tracker',
      tracking_code: '9400111899223197428490',
      carrier: 'USPS',
      status: 'in_transit',
      status_detail: 'departed_facility',
      updated_at: '2026-01-05T12:00:00Z',
    },
  },
  receive_scheduler_news: {
    appointment_id: '0199aaaa-aaaa-7aaa-8aaa-aaaaaaaaaaaa',
    status: 'confirmed',
    occurred_at: '2026-01-05T12:00:00Z',
    start: '2026-01-07T16:00:00Z',
    end: '2026-01-07T17:00:00Z',
    external_id: 'V-1042',
  },
  receive_hook_with_token: {
    object_type: 'activity',
    object_id: 1_360_128_428,
    aspect_type: 'create',
    owner_id: 134_815,
    subscription_id: 120_475,
    event_time: 1_767_614_400,
  },
};
