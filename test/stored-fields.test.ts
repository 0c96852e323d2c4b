// Each key of a body that an operation accepts changes what a read shows afterwards, or is listed with its reason.
// Otherwise the operation would accept a field with a 200 and lose it.
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { TSchema } from 'typebox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../src/operations.ts';
import { jsonOf } from '../src/operation/media.ts';
import { SUMMARIES } from '../src/wearables/summaries/summary-resources.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { makeUser, shippingAddress, webhookPath } from './factories.ts';
import { person } from './people.ts';
import { makeMember } from './people-of-orgs.ts';
import { etlPath, ehrPath } from './pipelines.ts';

/** Operations that store nothing of their body: they search, check, request an action, or receive updates. */
const STORES_NOTHING: Record<string, string> = {
  accept_invite: 'a form; members.test.ts shows the name',
  accept_managed_unmatched_result: 'acts on a waiting result; repair.test.ts and unmatched.test.ts show the note',
  answer_demo_page: 'a form; link/demo/demo.test.ts shows the effect of each answer',
  acknowledge_critical_result: 'acts on a critical result; critical.test.ts shows it',
  accept_unmatched_result: 'acts on a waiting result; unmatched.test.ts shows the note',
  book_phlebotomy_appointment: 'takes a slot; appointments are shown by phlebotomy.test.ts',
  book_psc_appointment: 'takes a slot; appointments are shown by psc.test.ts',
  bulk_export_connections: 'a query',
  bulk_import_connections: 'only bulk_export shows tokens: bulk.test.ts',
  bulk_pause_connections: 'acts on connections',
  bulk_trigger_historical_pull: 'acts on connections',
  cancel_phlebotomy_appointment: 'acts on an appointment; phlebotomy.test.ts shows the reason',
  cancel_psc_appointment: 'acts on an appointment; psc.test.ts shows the reason',
  complete_password_mfa: 'acts in a sandbox and stores nothing; link/demo/demo.test.ts shows the connection',
  connect_by_email: 'acts in a sandbox and stores nothing; link/demo/demo.test.ts shows the connection',
  connect_by_password: 'acts in a sandbox and stores nothing; link/demo/demo.test.ts shows the connection',
  connect_demo: 'acts; demo.test.ts shows the connection',
  convert_compendium: 'a query',
  correct_lab_report: 'acts on a waiting report; review-operations.test.ts shows it',
  create_org_lab_account: 'only for the operator; operator-operations.test.ts shows it',
  put_closed_beta: 'only for the operator; operator-operations.test.ts shows it',
  put_org_lab_account_status: 'only for the operator; operator-operations.test.ts shows it',
  put_org_plan: 'only for the operator; operator-operations.test.ts shows it',
  correct_patient_details: 'correct-patient.test.ts shows each part',
  create_api_access_token: 'the environment is that of the deployment',
  create_dashboard_url: 'a link; ehr.test.ts shows what it opens',
  create_lab_report_parser_job: 'a form with files: parser tests show it',
  create_link_token: 'a token is not shown again; link.test.ts shows what it allows',
  create_order: 'create.test.ts and its neighbours show each part',
  create_portal_url: 'a link; portal.test.ts shows what it opens',
  find_users: 'a query',
  get_phlebotomy_availability: 'a query',
  import_order: 'import.test.ts shows each part',
  issue_kits: 'makes ids; kit-operations.test.ts registers a kit by one',
  list_order_set_markers: 'a query',
  patch_org_lab_account: 'lab-accounts.test.ts shows it; an operator makes an account',
  prepare_team_custom_credentials: 'a query',
  query_user: 'a query',
  recover_webhook: 'acts; recover.test.ts shows the deliveries',
  register_testkit: 'register.test.ts shows each part',
  repair_laboratory_message: 'acts on a waiting message; repair.test.ts shows it',
  replay_webhook: 'acts; replays.test.ts shows the deliveries',
  request_sign_in_link: 'a mail; sign-in.test.ts shows it',
  request_phlebotomy_appointment: 'acts; by-telephone.test.ts shows the appointment',
  reschedule_phlebotomy_appointment: 'takes a slot; phlebotomy.test.ts shows it',
  reschedule_psc_appointment: 'takes a slot; psc.test.ts shows it',
  resend_order_events: 'acts on events',
  resolve_ehr_member: 'a query',
  resolve_managed_unmatched_result: 'acts on a waiting result; unmatched.test.ts shows the note',
  resolve_team: 'a query',
  resolve_unmatched_result: 'acts on a waiting result; unmatched.test.ts shows the note',
  rotate_webhook_public_key: 'deliveries show how long the earlier key signs',
  rotate_webhook_secret: 'deliveries show how long the earlier secret signs',
  search_compendium: 'a query',
  search_payors_by_post: 'a query',
  send_domain_instructions: 'a mail; domains.test.ts shows it',
  sign_off_critical_result: 'acts on a critical result; critical.test.ts shows it',
  ship_kit: 'acts on an order; kit-operations.test.ts shows the parcels',
  simulate_order: 'acts on an order',
  test_webhook: 'acts',
  use_sign_in_link: 'a form without fields; sessions.test.ts shows the session',
  validate_continuous_query: 'a query',
  validate_icd_codes: 'a query',
};

const MASKED = 'a secret, which is shown masked or as a hash';
/** Keys of bodies that no read shows under their name. A list of keys ends where it says so. */
const NOT_SHOWN: Record<string, Record<string, string>> = {
  set_team_etl_pipelines: {
    cloud_pubsub: 'refused: not available',
    azure_amqp: 'refused: not available',
    'rabbitmq.uri': 'its password is shown masked',
  },
  set_team_ehr_pipelines: {
    'authentication.client_secret': MASKED,
    'authentication.api_key': 'of another method: ehr.test.ts',
    'authentication.service_account_email': 'of another method: ehr.test.ts',
    'authentication.audience': 'of another method: ehr.test.ts',
  },
  set_team_custom_credentials: { client_secret: MASKED, details: 'credentials.test.ts shows each form' },
  create_webhook: { secret: 'GET …/secret shows it: receivers.test.ts' },
  patch_team: { production: 'refused in a sandbox' },
  create_lab_test: {
    provider_ids: 'alternative to marker_ids: own-tests show it',
    lab_account_id: 'an operator makes an account: lab-accounts.test.ts',
    lab_slug: 'selects the laboratory where several have the markers',
  },
  create_payor: {
    provider: 'both identify the same payor of a clearing house: payors.test.ts',
    provider_payor_id: 'both identify the same payor of a clearing house: payors.test.ts',
  },
  create_testkit_order: { lab_account_id: 'an operator makes an account: lab-accounts.test.ts' },
};

/** Other names under which a read shows a key. */
const SHOWN_AS: Record<string, string> = {
  source_type: 'type',
  provider: 'source',
  lab_test_id: 'lab_test',
  active: 'is_active',
  team_ids: 'team_id',
  marker_ids: 'id',
  providers: 'source',
  app_id: 'source_app_id',
  device_id: 'source_device_id',
};

type Shape = {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minItems?: number;
  properties?: Record<string, Shape>;
  additionalProperties?: Shape;
  propertyNames?: { enum?: string[] };
  items?: Shape;
};

/** Shown as one value, whatever its parts are. */
const WHOLE = new Set(['query', 'timeframe', 'config']);

/** Every key of a body by its path. For a list the keys of its items. */
function waysOf(schema: Shape, way = ''): string[] {
  if (WHOLE.has(way)) return [way];
  if (schema.items) return waysOf(schema.items, way);
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const here = way === '' ? name : `${way}.${name}`;
    const within = waysOf(member, here);
    return within.length > 0 ? within : [here];
  });
}

const at = (value: unknown, way: string): unknown =>
  way.split('.').reduce<unknown>((within, name) => {
    const one = Array.isArray(within)
      ? within.find((each) => (each as object | null)?.[name as never] !== undefined)
      : within;
    return (one as Record<string, unknown> | null | undefined)?.[name];
  }, value);

/** Whether the shown value is the value, or contains all of it. */
function includesValue(shown: unknown, value: unknown): boolean {
  if (isDeepStrictEqual(shown, value)) return true;
  if (typeof value !== 'object' || value === null || typeof shown !== 'object' || shown === null) return false;
  const members = Object.entries(value);
  return (
    members.length > 0 && members.every(([name, each]) => includesValue((shown as Record<string, unknown>)[name], each))
  );
}

/** Whether an answer has the value under the name, or one level below it. */
function isShown(read: unknown, name: string, value: unknown): boolean {
  if (typeof read !== 'object' || read === null) return false;
  const wanted = [value, ...(Array.isArray(value) ? value : [])];
  const says = (shown: unknown): boolean => wanted.some((each) => includesValue(shown, each));
  for (const [key, member] of Object.entries(read)) {
    const below = typeof member === 'object' && member !== null ? Object.values(member) : [];
    if ((key === name || key === SHOWN_AS[name]) && (says(member) || below.some(says))) return true;
    if (isShown(member, name, value)) return true;
  }
  return false;
}

let app: TestApp;
let ids: {
  user: string;
  second: string;
  member: string;
  ehr: string;
  order: string;
  test: string;
  renamed: string;
  query: string;
  webhook: string;
  key: string;
};
beforeAll(async () => {
  app = await startTestApp();
  const { team, api } = app;
  const org = `/v1/org/${team.org_id}`;
  const made = async (path: string, body: object): Promise<string> =>
    (await api<{ id: string }>('POST', path, body)).body.id;
  const { user_id: user } = await makeUser(team);
  const ofKits = {
    name: 'Of ours',
    description: 'Ours.',
    method: 'testkit',
    marker_ids: [1101],
  };
  const test = await made('/v3/lab_tests', ofKits);
  const query = {
    title: 'Before',
    timeframe: { past: { unit: 'day', value: 7 } },
    query: { select: [{ func: 'max', arg: { timeseries: 'steps' } }] },
  };
  ids = {
    user,
    test,
    renamed: await made('/v3/lab_tests', { ...ofKits, name: 'To be renamed' }),
    second: await made(`${org}/team`, { name: 'Second', region: 'us' }),
    member: (await makeMember(app, team, { name: 'Mina', email: 'mina@example.com' })).id,
    ehr: await made(`${org}/ehr_integration/member`, {
      integration_member_id: 'ehr-1',
      name: 'Ed',
      email: 'ed@example.com',
    }),
    order: '',
    query: await made(`${org}/team/${team.id}/sandbox/continuous_query`, query),
    webhook: await made(webhookPath(team), { url: 'https://hooks.example.com/before' }),
    key: await made(`${org}/management_key`, {
      label: 'Before',
      role: 'team_admin',
      team_role_bindings: [{ team_id: team.id }],
    }),
  };
  const kit = { user_id: user, lab_test_id: test, shipping_details: shippingAddress };
  ids.order = (await api<{ order: { id: string } }>('POST', '/v3/order/testkit', kit)).body.order.id;
});
afterAll(() => app.close());

type Case = { path?: string; body: unknown; reads?: string[] };
const org = () => `/v1/org/${app.team.org_id}`;
const query = {
  timeframe: { type: 'relative', past: { unit: 'week', value: 3 } },
  query: {
    select: [{ group_key: '*' }, { func: 'mean', arg: { timeseries: 'heartrate' } }],
    group_by: [{ date_trunc: { unit: 'week', value: 2 } }],
  },
  config: { week_starts_on: 'sunday' },
};
const brand = (name: string) => ({
  company_name: name,
  company_website: `https://${name}.example.com`,
  support_email: `${name}@example.com`,
  support_contact: `Ask ${name}`,
  company_address: `1 ${name} Way`,
  brand_color: '#102030',
});
const settings = (name: string) => ({
  lab_tests_patient_sms_communication_enabled: false,
  lab_tests_patient_email_communication_enabled: false,
  critical_result_notification_email: `critical-${name}@example.com`,
  brand_information: brand(name),
  logo_url: `https://example.com/${name}.png`,
  reject_duplicate_connection: true,
  sdk_per_device_activity_timeseries: true,
  partial_webhooks_enabled: true,
  minor_ordering_enabled: true,
  signed_links_end_with_key: true,
  backfill_events_enabled: false,
});
const address = {
  first_line: '7 Ocotillo Road',
  second_line: 'Unit 3',
  country: 'United States',
  zip: '85701',
  city: 'Tucson',
  state: 'AZ',
  access_notes: 'Ring twice',
};
const guarantor = {
  first_name: 'Gus',
  last_name: 'Payer',
  address,
  phone_number: '+16025550177',
  household_income: 51_000,
  household_size: 3,
  email: 'gus@example.com',
};
const oauth = {
  type: 'client_credentials',
  client_id: 'of-ehr',
  client_secret: 'hush',
  token_url: 'https://ehr.example.com/token',
};

const CASES: Record<string, () => Case> = {
  create_user: () => ({
    body: {
      client_user_id: 'stored-1',
      fallback_time_zone: 'America/Denver',
      fallback_birth_date: '1971-02-03',
      ingestion_start: '2020-01-01',
      ingestion_end: '2031-01-01',
    },
    reads: ['/v2/user/resolve/stored-1'],
  }),
  patch_user: () => ({
    body: {
      client_user_id: 'stored-2',
      fallback_time_zone: 'America/Boise',
      fallback_birth_date: '1972-02-03',
      ingestion_start: '2020-01-02',
      ingestion_end: '2032-01-01',
    },
    reads: ['/v2/user/resolve/stored-2'],
  }),
  put_user_info: () => ({
    body: {
      ...person,
      first_name: 'Ines',
      address,
      medical_proxy: guarantor,
      race: 'asian',
      ethnicity: 'hispanic',
      sexual_orientation: 'bisexual',
      gender_identity: 'female',
    },
    reads: [`/v2/user/${ids.user}/info/latest`],
  }),
  patch_org: () => ({ body: { name: 'Saguaro Group' }, reads: [org()] }),
  create_team: () => ({
    body: { ...settings('north'), id: randomUUID(), name: 'North', region: 'us', integration_team_id: 'north-7' },
  }),
  patch_team: () => ({
    path: `${org()}/team/${ids.second}`,
    body: {
      name: 'South',
      integration_team_id: 'south-7',
      sandbox: { ...settings('south'), patient_experience: false },
    },
    reads: [`${org()}/team/${ids.second}`],
  }),
  put_link_redirect_urls: () => ({
    body: { urls: ['https://app.example.com/stored'] },
    reads: [`${org()}/team/${app.team.id}/link_redirect_urls`],
  }),
  create_team_api_key: () => ({
    body: {
      label: 'Reads orders',
      team_id: app.team.id,
      scopes: ['orders:read'],
      expires_at: '2031-01-01T00:00:00.000Z',
    },
    reads: [`${org()}/team_api_keys/sandbox/us`],
  }),
  create_management_key: () => ({
    body: { label: 'Of the second', role: 'team_admin', team_role_bindings: [{ team_id: ids.second }] },
    reads: [`${org()}/management_key`],
  }),
  patch_management_key: () => ({
    path: `${org()}/management_key/${ids.key}`,
    body: { label: 'After', team_role_bindings: [{ team_id: ids.second }] },
    reads: [`${org()}/management_key`],
  }),
  create_invite: () => ({
    body: { email: 'ivy@example.com', role: 'team_admin', team_role_bindings: [{ team_id: ids.second }] },
    reads: [`${org()}/invite`],
  }),
  patch_member: () => ({
    path: `${org()}/member/${ids.member}`,
    body: { role: 'team_admin', team_role_bindings: [{ team_id: ids.second }] },
    reads: [`${org()}/member`],
  }),
  create_domain: () => ({ body: { domain: 'stored.example.com' }, reads: [`${org()}/domain`] }),
  create_ehr_member: () => ({
    body: {
      integration_member_id: 'ehr-2',
      name: 'Eva',
      email: 'eva@example.com',
      avatar: 'https://example.com/eva.png',
      team_role_bindings: [{ team_id: ids.second }],
    },
    reads: [`${org()}/ehr_integration/member`],
  }),
  patch_ehr_member: () => ({
    path: `${org()}/ehr_integration/member/${ids.ehr}`,
    body: {
      name: 'Edna',
      email: 'edna@example.com',
      avatar: 'https://example.com/edna.png',
      team_role_bindings: [{ team_id: ids.second }],
    },
    reads: [`${org()}/ehr_integration/member/${ids.ehr}`],
  }),
  put_physician: () => ({
    path: `${org()}/team/${app.team.id}/sandbox/physician/1234567893`,
    body: { first_name: 'Amelia', last_name: 'Stored' },
    reads: [`/v2/team/${app.team.id}/physicians`],
  }),
  put_ehr_configuration: () => ({
    body: {
      slug: 'stored-ehr',
      modalities: ['link_out'],
      origin_configs: [
        { origin: 'https://ehr.example.com', session_continuation_url: 'https://ehr.example.com/again' },
      ],
    },
    reads: [`${org()}/ehr_integration/configuration`],
  }),
  set_team_etl_pipelines: () => ({
    body: {
      team_ids: [app.team.id],
      push_historical_data: true,
      provider_raw_data: false,
      preferences: { preferred: 'rabbitmq', enabled: ['rabbitmq', 'svix'] },
      rabbitmq: { uri: 'amqps://phial:hush@broker.example.com/clinic', exchange: 'stored' },
      svix: { regional: true },
      event_type_prefixes: ['labtest.'],
    },
    reads: [etlPath(app.team)],
  }),
  set_team_ehr_pipelines: () => ({
    body: {
      team_ids: [app.team.id],
      ehr_type: 'fhir',
      base_url: 'https://ehr.example.com/fhir',
      authentication: oauth,
      allowed_mappers: ['lab_result'],
    },
    reads: [ehrPath(app.team)],
  }),
  create_continuous_query: () => ({
    body: { ...query, title: 'Stored', slug: 'stored_query', active: false },
    reads: [`${org()}/team/${app.team.id}/sandbox/continuous_query`],
  }),
  patch_continuous_query: () => ({
    path: `${org()}/team/${app.team.id}/sandbox/continuous_query/${ids.query}`,
    body: { ...query, title: 'Patched', slug: 'patched_query', active: false },
    reads: [`${org()}/team/${app.team.id}/sandbox/continuous_query`],
  }),
  set_source_priorities: () => ({
    body: [{ data_type: 'sleep', providers: ['oura', 'fitbit'] }],
    reads: ['/v2/team/source/priorities?data_type=sleep'],
  }),
  set_team_data_pull_preferences: () => ({
    body: {
      team_ids: [app.team.id],
      providers: {
        oura: {
          default: { historical_days_to_pull: 33 },
          resource_overrides: { sleep: { historical_days_to_pull: 44 } },
        },
      },
    },
    reads: [`${org()}/team_data_pull_preferences/sandbox/us`],
  }),
  set_scope_requirements: () => ({ body: eachScope(), reads: [`${org()}/team/${app.team.id}/scope_requirements`] }),
  set_team_custom_credentials: () => ({
    body: {
      team_id: app.team.id,
      provider: 'oura',
      client_id: 'stored-client',
      client_secret: 'hush',
      redirect_url_override: 'https://example.com/back',
    },
    reads: [`${org()}/team_custom_credentials/sandbox/us`],
  }),
  create_insurance: () => ({
    body: {
      payor_code: 'SBX00001',
      member_id: 'M-1',
      group_id: 'G-1',
      relationship: 'Spouse',
      insured: { ...person, first_name: 'Iris', address },
      guarantor,
      is_primary: false,
    },
    reads: [`/v2/user/${ids.user}/insurance/latest?is_primary=false`],
  }),
  create_payor: () => ({ body: { name: 'Stored Mutual', address, provider: 'stedi', provider_payor_id: 'STORED1' } }),
  create_lab_test: () => ({
    body: {
      name: 'Stored test',
      description: 'What is stored.',
      method: 'testkit',
      marker_ids: [1101, 1015],
      fasting: true,
    },
  }),
  patch_lab_test: () => ({
    path: `/v3/lab_tests/${ids.renamed}`,
    body: { name: 'Renamed', active: false },
    reads: [`/v3/lab_tests/${ids.renamed}`],
  }),
  create_testkit_order: () => ({
    body: {
      user_id: ids.user,
      lab_test_id: ids.test,
      shipping_details: { ...shippingAddress, country: 'United States', second_line: 'Unit 9' },
      passthrough: '{"a":1}',
    },
  }),
  patch_order: () => ({
    path: `/v3/order/${ids.order}`,
    body: { activate_by: '2031-01-31' },
    reads: [`/v3/order/${ids.order}`],
  }),
  create_order_note: () => ({
    path: `/v3/order/${ids.order}/note`,
    body: { text: 'Call after five', author: 'Ana Ruiz' },
    reads: [`/v3/order/${ids.order}/note`],
  }),
  patch_order_communication_settings: () => ({
    path: `/v3/order/${ids.order}/communication_settings`,
    body: { sms_enabled: false },
  }),
  create_webhook: () => ({
    body: {
      url: 'https://hooks.example.com/stored',
      description: 'Stored',
      rate_limit: 7,
      disabled: true,
      filter_types: ['labtest.order.created'],
      v1a_enabled: true,
      secret: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
    },
    reads: [webhookPath(app.team)],
  }),
  patch_webhook: () => ({
    path: `${webhookPath(app.team)}/${ids.webhook}`,
    body: {
      url: 'https://hooks.example.com/after',
      description: 'After',
      rate_limit: 8,
      disabled: true,
      filter_types: ['labtest.order.updated'],
      v1a_enabled: true,
    },
    reads: [`${webhookPath(app.team)}/${ids.webhook}`],
  }),
  put_webhook_headers: () => ({
    path: `${webhookPath(app.team)}/${ids.webhook}/headers`,
    body: { headers: { 'x-tenant': 'stored' } },
    reads: [`${webhookPath(app.team)}/${ids.webhook}/headers`],
  }),
};

/** Two scopes of each provider, as the schema has them. */
function eachScope(): object {
  const { properties = {} } = jsonOf(operations.find(({ id }) => id === 'set_scope_requirements')?.body) as unknown as {
    properties?: Record<string, { properties: Record<string, { items: { enum: string[] } }> }>;
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, { properties: lists }]) => {
      const words = lists['user_must_grant']?.items.enum as string[];
      return [name, { user_must_grant: [words[0]], user_may_grant: [words[1]] }];
    }),
  );
}

const OWN_PARAMETERS = (): Record<string, string> => ({
  org_id: app.team.org_id,
  team_id: app.team.id,
  user_id: ids.user,
  environment: 'sandbox',
  env: 'sandbox',
  region: 'us',
});

/** The ids of deleted objects: deletions.test.ts shows that they are gone. */
const deletes = (id: string): boolean =>
  id === 'delete_samples' || SUMMARIES.some(({ name }) => id === `delete_${name}`);
const ofJson = operations.filter(({ body }) => body !== undefined && jsonOf(body) !== undefined);
const pushes = (id: string): boolean => id.startsWith('push_');

test('every operation with a body is a case here, or is listed with a reason why it stores nothing', () => {
  const listed = [...Object.keys(CASES), ...Object.keys(STORES_NOTHING)];
  const wanted = ofJson.map(({ id }) => id).filter((id) => !pushes(id) && !deletes(id) && !id.startsWith('receive_'));
  expect(wanted.filter((id) => !listed.includes(id))).toEqual([]);
  expect(listed.filter((id) => !operations.some((each) => each.id === id))).toEqual([]);
});

test.each(Object.keys(CASES))(
  'each key of the body of %s is shown by a read, or listed with its reason',
  async (id) => {
    const operation = operations.find((each) => each.id === id);
    const { path = operation?.path ?? '', body, reads = [] } = (CASES[id] as () => Case)();
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => OWN_PARAMETERS()[name] as string);
    const response = await app.api<unknown>(operation?.method as string, filled, body);
    expect([response.status, response.status >= 300 && response.body]).toEqual([expect.any(Number), false]);
    const shown = [
      response.body,
      ...(await Promise.all(reads.map(async (each) => (await app.api<unknown>('GET', each)).body))),
    ];
    expectAllShown(id, jsonOf(operation?.body as TSchema) as Shape, body, shown);
  },
);

function expectAllShown(id: string, schema: Shape, body: unknown, shown: unknown[]): void {
  const reasons = NOT_SHOWN[id] ?? {};
  const isListed = (way: string): boolean =>
    Object.keys(reasons).some((listed) => way === listed || way.startsWith(`${listed}.`));
  const lost = waysOf(schema)
    .filter((way) => !isListed(way))
    .filter((way) => {
      const value = at(body, way);
      return value === undefined || !isShown(shown, way.split('.').at(-1) as string, value);
    });
  expect(lost).toEqual([]);
}

/** Keys of summaries that identify the summary or its day, and keys that another read shows. */
const OF_SUMMARIES: Record<string, string> = {
  version: 'decides which of two versions is newer: store.test.ts',
  provider_id: 'the same in versions of a summary: store.test.ts',
  time_zone: 'decides the day where there is no offset: activity.test.ts',
  timezone_offset: 'decides the day: activity.test.ts',
  calendar_date: 'the day of lists',
  timestamp: 'identifies the day, and the summary of its source',
  stream: 'GET /v2/timeseries/workouts/{workout_id}/stream reads it: workouts.test.ts',
  sleep_stream: 'GET /v2/timeseries/sleep/{sleep_id}/stream reads it: sleep.test.ts',
};

const DAY = '2026-01-05';
const BEGIN = `${DAY}T13:30:00.000Z`;
const END = `${DAY}T14:30:00.000Z`;
const BY_NAME: Record<string, unknown> = {
  provider: 'garmin',
  bedtime_stop: END,
  session_end: END,
  time_end: END,
  calendar_date: DAY,
  date: DAY,
  stage_start_offset_second: [0],
  stage_end_offset_second: [60],
  stage_type: [2],
  unit: 'kcal',
  inconclusive_cause: 'poor_reading',
};

/** A value that the schema accepts, other than its default. */
function valueOf(schema: Shape, name: string): unknown {
  if (name in BY_NAME) return BY_NAME[name];
  const { type, enum: words, items, properties, additionalProperties } = schema;
  const is = (which: string): boolean => [type].flat().includes(which);
  if (words) return words.findLast((word) => word !== null);
  if (items) return Array.from({ length: schema.minItems ?? 1 }, (_, n) => (n === 0 ? valueOf(items, '') : 0));
  if (properties)
    return Object.fromEntries(Object.entries(properties).map(([each, member]) => [each, valueOf(member, each)]));
  if (additionalProperties) return { [schema.propertyNames?.enum?.[0] ?? 'Stored']: valueOf(additionalProperties, '') };
  if (is('boolean')) return true;
  if (is('number') || is('integer')) return Math.min(schema.maximum ?? 7, Math.max(schema.minimum ?? 0, 7));
  return (
    { 'past-moment': BEGIN, date: DAY, 'birth-date': '1980-12-10', 'time-zone': 'America/Phoenix' }[
      schema.format ?? ''
    ] ?? 'stored'
  );
}

test.each(SUMMARIES.map((resource) => [resource.name, resource] as const))(
  'each key of a pushed summary of %s is shown by a read, or listed with its reason',
  async (name, { input, path, list, stream }) => {
    const { user_id } = await makeUser(app.team);
    const push = async (kind: string, item: object): Promise<string> =>
      (await app.api<{ items: { id: string }[] }>('POST', `/v2/summary/${kind}/${user_id}`, [item])).body.items[0]
        ?.id as string;
    const from = { provider: 'garmin', source_type: 'watch' };
    const device_id = await push('devices', { ...from, device_model: 'Of ours' });
    const sleep_id = await push('sleep', { ...from, bedtime_start: BEGIN, bedtime_stop: END, total: 60 });
    const properties = Object.entries(input.properties as Record<string, Shape>).filter(([each]) => each !== stream);
    const item = {
      ...Object.fromEntries(properties.map(([each, member]) => [each, valueOf(member, each)])),
      ...(name === 'device' ? {} : { device_id }),
      ...('sleep_id' in input.properties ? { sleep_id } : {}),
    };
    await push(path, item);
    const reads = list
      ? `/v2/summary/${path}/${user_id}?start_date=${DAY}&end_date=${DAY}`
      : ({ profile: `/v2/summary/profile/${user_id}` }[name] ?? `/v2/user/${user_id}/device`);
    const { body: shown } = await app.api<unknown>('GET', reads);
    const lost = properties
      .flatMap(([each, member]) => waysOf({ properties: { [each]: member } }))
      .filter((way) => !((way.split('.')[0] as string) in OF_SUMMARIES))
      .filter((way) => !isShown(shown, way.split('.').at(-1) as string, at(item, way)));
    expect(lost).toEqual([]);
  },
);
