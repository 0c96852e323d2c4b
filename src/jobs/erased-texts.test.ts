// Puts a mark into every text that operations accept for a user and a team, and searches every column of the database
// for it. A new column fails here until a test writes the mark to it, or until it is listed below as one that no caller
// writes.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseHeader } from '@phial/hl7/parse';
import { apiOf, startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { askPhlebotomy, orderBy, phoenix, slotsOf } from '../../test/collected-orders.ts';
import { createQuery, runPendingQueries } from '../../test/continuous.ts';
import { upload } from '../../test/exports.ts';
import {
  healthInsurance,
  hookOfOura,
  importConnection,
  kitTestId,
  linkTokenOf,
  orderKit,
  physician,
  readOrder,
  simulate,
  webhookPath,
  type OrderBody,
} from '../../test/factories.ts';
import { labOf, plantDocument, receiveFor, sampled } from '../../test/lab-reports.ts';
import { query } from '../../test/global-setup.ts';
import { pngHead } from '../../test/images.ts';
import { ehrPath, ehrPipeline, etlPath, etlPipeline } from '../../test/pipelines.ts';
import { sendReport } from '../../test/sent-reports.ts';
import { guarantor, person } from '../../test/people.ts';
import { startEndpoint } from '../../test/endpoint.ts';
import { findTraces } from '../../test/find-traces.ts';
import { operations } from '../operations.ts';
import { BODIES } from '../openapi-texts/examples.ts';
import { jsonOf } from '../operation/media.ts';
import { storeMessage } from '../labs/laboratories/hl7/inbox/store-message.ts';
import { addPhysician } from '../tenancy/teams/physicians.ts';
import { SUMMARIES } from '../wearables/summaries/summary-resources.ts';
import { eraseUsers } from '../../test/erase-due-users.ts';

/** Tables without data of a team: of nobody, of the deployment, or of an organisation. */
const OF_NO_TEAM =
  /^(analytes|application_subscriptions|audit_log|deployment|ehr_configurations|ehr_members|encryption_keys|event_epochs|lab_accounts|laboratory_codes|laboratory_connections|lab_tests|labs|mails|management_keys|marker_analytes|marker_questions|markers|migrations|order_status_rules|org_domains|org_invites|org_members|orgs|processes|provider_waits|scheduler_connections|seeds|service_centers|sessions|sign_in_links|sign_in_requests|zip_prefixes)\./;
/** Columns with words from lists that the service knows, in any table. Hashes contain no text. */
const KNOWN_WORDS =
  /\.(\w*hash|billing_type|error_type|event_type|\w*courier|\w*kind|leg|method|operation|origin|outcome|payor_code|provider|providers|\w*interpretation|query_type|registration|relationship|\w*resource|resources|source_type|\w*status|type)$/;
/** Columns that the service fills itself, or whose accepted form is narrower than text. */
const OF_ITS_OWN = new Set([
  'appointments.booked_by',
  'appointments.external_id',
  'appointments.iana_timezone',
  'attempts.error',
  'attempts.signature',
  'attempts.trigger',
  'attempts.user_agent',
  'carrier_scans.stage',
  'continuous_queries.config',
  'continuous_queries.query',
  'continuous_queries.timeframe',
  'continuous_query_results.result',
  'continuous_query_tasks.error',
  'data_pull_preferences.resource_days',
  'delivery_tallies.durations',
  'demo_clinics.state',
  'ehr_pipelines.ehr_type',
  'etl_pipelines.cursor',
  'etl_pipelines.enabled',
  'etl_pipelines.event_type_prefixes',
  'etl_pipelines.last_error',
  'etl_pipelines.preferred',
  'event_resends.order_ids',
  'deferred_deliveries.trigger',
  'hl7_messages.message_type',
  'hl7_messages.reason',
  'hl7_messages.warnings',
  'hl7_messages.state',
  'hl7_messages.waits',
  'hl7_messages.warnings',
  'hl7_outgoing.control_id',
  'imports.error',
  // Counts by names from closed lists.
  'imports.skipped_by_type',
  'critical_results.markers',
  'lab_report_jobs.as_read',
  'lab_report_jobs.data',
  'lab_report_jobs.failure_reason',
  'lab_results.missing_results',
  'laboratory_numbers.number',
  'laboratory_outbox.action',
  'laboratory_outbox.held_by',
  'laboratory_outbox.last_error',
  'laboratory_outbox.state',
  'laboratory_outbox.tests',
  'link_tokens.filter_on_providers',
  'link_tokens.mfa_provider',
  'link_tokens.on_close',
  'link_tokens.on_error',
  'oauth_states.code_verifier',
  'order_events.status_detail',
  'order_numbers.account_number',
  'order_numbers.number',
  'patient_numbers.number',
  'payors.aliases',
  'pulls.error_details',
  // Counts by series and kind of summary.
  'pulls.skipped',
  'queue_last_served.queue',
  'retries.trigger',
  'scheduler_calls.last_error',
  // A keyed hash.
  'sample_records.record',
  'samples.extra',
  'scope_requirements.user_may_grant',
  'scope_requirements.user_must_grant',
  'shipments.inbound_tracking_number',
  'shipments.inbound_tracking_url',
  'shipments.outbound_tracking_number',
  'shipments.outbound_tracking_url',
  'simulations.flags',
  'simulations.steps',
  'source_priorities.data_type',
  'summary_streams.content',
  // From the closed list of origins.
  'summaries.zones_asked',
  'team_api_keys.key_start',
  'team_api_keys.scopes',
  'teams.closed_betas',
  'totals.list',
  'totals.part',
  'unmatched_candidates.candidate_type',
  'unmatched_candidates.confidence_level',
  'unmatched_candidates.marker_overlap',
  'unmatched_candidates.reasons',
  // The name of a member, who is signed in.
  'unmatched_results.decided_by',
  'unmatched_results.decision_code',
  'unmatched_results.sub_reason_codes',
  'users.fallback_birth_date',
  'users.fallback_time_zone',
  'webhook_replays.event_types',
  'webhook_secrets.signature',
  'webhooks.filter_types',
]);
/** Columns that no operation writes. The column `personal` of an order has these texts. */
const UNWRITTEN = new Set([
  'shipments.notes',
  'orders.patient_details',
  'orders.patient_address',
  'orders.shipping_details',
  'orders.physician',
  'orders.icd_codes',
  'orders.notes',
  'orders.clinical_notes',
  'orders.passthrough',
]);
/**
 * Data of the team that stays when one of its users is erased. Tokens stay until their provider knows that they end.
 */
const OF_THE_TEAM = [
  // Answers of the team's endpoint to events about no user, such as a result that matches no order.
  'attempts.response_body',
  'continuous_queries.slug',
  'continuous_queries.title',
  'ehr_pipelines.allowed_mappers',
  'ehr_pipelines.authentication',
  'ehr_pipelines.base_url',
  'etl_pipelines.sinks',
  'payor_external_codes.provider_payor_id',
  'payors.name',
  'payors.org_address',
  'physicians.first_name',
  'physicians.last_name',
  'physicians.npi',
  'team_api_keys.label',
  'team_credentials.client_id',
  'team_credentials.client_secret',
  'team_credentials.details',
  'team_credentials.redirect_url_override',
  'teams.integration_team_id',
  'teams.name',
  'teams.settings',
  'token_revocations.tokens',
  'webhook_header_sets.headers',
  'webhook_secrets.secret',
  'webhook_urls.url',
  'webhooks.description',
  'webhooks.headers',
  'webhooks.url',
];

const mark = `Q${randomUUID().replaceAll('-', '').slice(0, 11)}`;
/** The mark in the form of a diagnosis code, for columns that accept only such codes. */
const code = `Z9Q.${randomUUID().slice(0, 4).toUpperCase()}`;

let app: TestApp;
let team: Team;
beforeAll(async () => {
  app = await startTestApp();
  const { org_id, management_key, api } = await app.makeTeam();
  const given = { ...(BODIES['create_team'] as object), integration_team_id: mark };
  const { body: made } = await api<{ id: string }>('POST', `/v1/org/${org_id}/team`, bodyOf('create_team', given));
  const key = { label: mark, team_id: made.id };
  const { body } = await api<{ value: string }>('POST', `/v1/org/${org_id}/team_api_keys/sandbox/us`, key);
  const api_key = body.value;
  team = { id: made.id, org_id, api_key, management_key, api: apiOf(app.baseUrl, api_key, management_key) };
});
afterAll(() => app.close());

type Schema = {
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: unknown[];
  maxLength?: number;
  properties?: Record<string, Schema>;
  items?: Schema;
};

/** Returns `value` with the mark in each text that can contain it, also in texts that are absent. */
function planted(schema: Schema, value: unknown): unknown {
  const kind = [schema.type].flat().find((name) => name !== 'null');
  if (Array.isArray(value)) return value.map((item) => planted(schema.items ?? {}, item));
  if (kind === 'object' && schema.properties && typeof value === 'object' && value !== null) {
    const members = Object.entries(schema.properties).map(([name, member]) => [
      name,
      planted(member, (value as Record<string, unknown>)[name]),
    ]);
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  }
  const isText = kind === 'string' && !schema.enum && ['text', 'prose', 'reference', undefined].includes(schema.format);
  const fits = (text: string): boolean =>
    text.length <= (schema.maxLength ?? Infinity) && new RegExp(schema.pattern ?? '').test(text);
  return (isText && [mark, code].find(fits)) || value;
}

/** Returns the example of an operation's body, or `value`, with the mark in every text. `fixed` stays as it is. */
function bodyOf(id: string, value: unknown = BODIES[id], fixed: object = {}): object {
  const schema = jsonOf(operations.find((operation) => operation.id === id)?.body) as Schema;
  return { ...(planted(schema, value) as object), ...fixed };
}

/** An image is recognised by its first bytes. The rest can be anything. */
const markedImage = { content: `${pngHead(1, 1).toString('base64')}${mark}`, content_type: 'image/png' };
const keyed = () => ({ headers: { 'x-idempotency-key': `${mark}-${randomUUID()}` } });

/** Writes data of every kind for the team and one of its users. */
async function plant(): Promise<string> {
  const endpoint = await startEndpoint();
  endpoint.answer((response) => response.writeHead(500).end(`no ${mark}`));
  const made = await team.api<{ id: string }>('POST', webhookPath(team), {
    url: `${endpoint.url}?${mark}`,
    description: mark,
  });
  const webhook = `${webhookPath(team)}/${made.body.id}`;
  await team.api('PUT', `${webhook}/headers`, { headers: { 'x-tenant': mark } });
  await team.api('PATCH', webhook, { url: `${endpoint.url}/${mark}/moved` });
  await team.api('POST', `${webhook}/secret/rotate`, { key: `whsec_${mark}${mark}${mark.slice(0, 8)}` });
  const ehr = { type: 'api_key', api_key: mark };
  await team.api('POST', ehrPath(team), {
    ...ehrPipeline([team.id], ehr),
    base_url: `https://ehr.example.com/${mark}`,
    allowed_mappers: [mark],
  });
  const rabbitmq = { uri: `amqp://${mark}:${mark}@broker.example.com`, exchange: mark };
  await team.api('POST', etlPath(team), { ...etlPipeline([team.id]), rabbitmq });
  const teamPath = `/v1/org/${team.org_id}/team/${team.id}`;
  const redirect_url = `https://app.example.com/${mark}`;
  await team.api('PUT', `${teamPath}/link_redirect_urls`, { urls: [redirect_url] });
  const payor = await team.api<{ payor_code: string }>(
    'POST',
    '/v3/payor',
    bodyOf('create_payor', { ...(BODIES['create_payor'] as object), provider: 'stedi', provider_payor_id: mark }),
  );
  const { payor_code } = payor.body;

  const { body: user } = await team.api<{ user_id: string }>('POST', '/v2/user', { client_user_id: mark }, keyed());
  const { user_id } = user;
  await team.api('PATCH', `/v2/user/${user_id}/info`, bodyOf('put_user_info', { ...person, medical_proxy: guarantor }));
  const insured = { ...(BODIES['create_insurance'] as object), guarantor };
  await team.api('POST', `/v2/user/${user_id}/insurance`, bodyOf('create_insurance', insured, { payor_code }), keyed());
  await team.api('POST', `/v2/timeseries/${user_id}/samples`, [
    {
      resource: 'note',
      provider: 'manual',
      app_id: mark,
      start: '2026-01-05T07:00:00Z',
      end: '2026-01-05T07:00:00Z',
      unit: 'text',
      value: `Lunch with ${mark}`,
    },
  ]);
  let sleep_id: string | undefined;
  for (const { name, path } of SUMMARIES) {
    const items = Object.values(bodyOf(`push_${name}`)) as object[];
    const sent = items.map((item) => ('sleep_id' in item ? { ...item, sleep_id } : item));
    const pushed = await team.api<{ items: { id: string }[] }>('POST', `/v2/summary/${path}/${user_id}`, sent);
    expect([name, pushed.status, pushed.body]).toEqual([name, 200, expect.anything()]);
    if (name === 'sleep') sleep_id = pushed.body.items[0]?.id;
  }
  await upload(team, user_id, '<gpx/>');
  await sendReport(team, user_id, [Buffer.concat([pngHead(5, 5), Buffer.from(mark)])]);
  const credentials = { team_id: team.id, client_id: mark, client_secret: mark, redirect_url_override: redirect_url };
  for (const own of [{ provider: 'oura' }, { provider: 'polar', details: { webhook_secret: mark } }]) {
    const set = `/v1/org/${team.org_id}/team_custom_credentials/sandbox/us`;
    await team.api('POST', set, { ...credentials, ...own });
  }
  const { link_token } = await linkTokenOf(team, user_id, { redirect_url });
  await team.api('GET', `/v2/link/oauth/oura/start?token=${link_token}`, undefined, { key: null });
  const tokens = { access_token: mark, refresh_token: mark, provider_id: mark, oauth_scopes: [mark] };
  await importConnection(team, user_id, tokens);
  await team.api('DELETE', `/v2/user/${user_id}/oura`);
  await importConnection(team, user_id, tokens);
  await hookOfOura(team, 'secret-of-nobody', { user_id: mark, data_type: 'workout', object_id: mark });
  await addPhysician(app.ctx, team.id, { first_name: mark, last_name: mark, npi: mark });
  await createQuery(team, { title: mark, slug: mark.toLowerCase() });
  await runPendingQueries(app);

  const order = bodyOf('create_testkit_order', undefined, { user_id, lab_test_id: await kitTestId(team) });
  const first = await team.api<{ order: OrderBody }>('POST', '/v3/order/testkit', order, keyed());
  const registration = bodyOf(
    'register_testkit',
    {
      ...(BODIES['register_testkit'] as object),
      patient_details: { ...person, medical_proxy: guarantor },
      physician,
      health_insurance: healthInsurance,
    },
    { user_id, sample_id: `S-${mark}` },
  ) as { health_insurance: object };
  Object.assign(registration.health_insurance, {
    payor_code,
    front_image: markedImage,
    patient_signature_image: markedImage,
  });
  const registered = await team.api('POST', '/v3/order/testkit/register', registration, keyed());
  expect([registered.status, registered.body]).toEqual([200, expect.anything()]);
  await simulate(team, first.body.order.id, '', { interpretation: 'critical' });
  await team.api('POST', `/v3/order/${first.body.order.id}/note`, bodyOf('create_order_note'));
  const { body: criticals } = await team.api<{ data: { id: string }[] }>('GET', '/v3/critical_result');
  const decisions = `/v3/critical_result/${criticals.data[0]?.id}`;
  await team.api('POST', `${decisions}/acknowledge`, {
    ...bodyOf('acknowledge_critical_result'),
    called_at: new Date().toISOString(),
  });
  await team.api('POST', `${decisions}/sign_off`, bodyOf('sign_off_critical_result'));
  await plantDocument(app, first.body.order, mark);
  await plantUnmatched(first.body.order);
  const visited = await orderBy(team, 'at_home_phlebotomy', { userId: user_id });
  const address = bodyOf('get_phlebotomy_availability', { ...phoenix, second_line: '', access_notes: '' });
  const [slot] = slotsOf(await askPhlebotomy(team, address));
  const appointment = `/v3/order/${visited}/phlebotomy/appointment`;
  await team.api('POST', `${appointment}/book`, { booking_key: slot?.booking_key, appointment_notes: mark });
  await team.api('PATCH', `${appointment}/cancel`, {
    cancellation_reason_id: '0b7f6a52-3c1d-4e8a-9f20-000000000199',
    notes: mark,
  });
  const drawn = bodyOf(
    'create_order',
    { ...(BODIES['create_order'] as object), clinical_notes: mark, passthrough: mark },
    {
      user_id,
      order_set: { add_on: { marker_ids: [2066] } },
      collection_method: 'walk_in_test',
      aoe_answers: [{ marker_id: 2066, question_id: 8, answer: mark }],
      physician: { ...physician, signature_image: markedImage },
    },
  );
  expect(await team.api<unknown>('POST', '/v3/order', drawn, keyed())).toMatchObject({ status: 200 });
  await app.deliver();
  await orderKit(team, user_id);
  await plantMessages(user_id, first.body.order.id);
  await plantCall(user_id);
  await endpoint.close();
  return user_id;
}

/**
 * Acts as a laboratory that sends the sample of the user's order without its number, for a patient with another date of
 * birth.
 */
async function plantUnmatched(order: OrderBody): Promise<void> {
  const patient = { first_name: mark, last_name: mark, dob: '1950-01-01', gender: null };
  const { sample_id } = (await readOrder(team, order.id)) as { sample_id: string };
  await receiveFor(app, { team, orderId: null, labId: labOf(order) }, sampled(sample_id, { patient }));
  const { body } = await team.api<{ data: { id: string }[] }>('GET', '/v3/unmatched_result');
  await team.api('POST', `/v3/unmatched_result/${body.data[0]?.id}/resolve`, { action: 'unsure', note: mark });
}

/** Acts as a laboratory that is connected by HL7 and has sent a result. */
async function plantMessages(user_id: string, order_id: string): Promise<void> {
  const id = randomUUID();
  const text = `MSH|^~\\&|LAB|LABFAC|||2026||ORU^R01|${mark}|P|2.5.1\rPID|||||${mark}\r`;
  const message = app.ctx.cipher.sealText('hl7_outgoing.message', { team_id: team.id, id }, text);
  const orderKeys = { user_id, order_id, team_id: team.id, lab_id: 1 };
  await app.db
    .insertInto('order_numbers')
    .values({ ...orderKeys, number: 'P1', account_number: 'A' })
    .execute();
  await app.db
    .insertInto('laboratory_outbox')
    .values({ ...orderKeys, id, action: 'new' })
    .execute();
  await app.db
    .insertInto('hl7_outgoing')
    .values({ user_id, id, team_id: team.id, control_id: 'C1', message })
    .execute();
  const header = parseHeader(text);
  const stored = await storeMessage(app.ctx, { labId: 1, bytes: Buffer.from(text), header });
  await app.db
    .updateTable('hl7_messages')
    .set({ user_id, team_id: team.id, order_id, state: 'applied' })
    .where('id', '=', stored.id)
    .execute();
}

/** Adds an appointment whose scheduler was not called yet. */
async function plantCall(user_id: string): Promise<void> {
  const id = randomUUID();
  const { id: appointment_id, ...of } = await app.db
    .selectFrom('appointments')
    .select(['id', 'user_id', 'order_id', 'team_id', 'provider'])
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow();
  const content = app.ctx.cipher.sealJson('scheduler_calls.content', { team_id: of.team_id, id }, { notes: mark });
  await app.db
    .insertInto('scheduler_calls')
    .values({ ...of, id, appointment_id, kind: 'cancel', by_hand: true, content })
    .execute();
}

/** Every column that can contain a text. */
const columns = async (): Promise<string[]> =>
  (
    await query<{ name: string }>(
      app.databaseUrl,
      `select table_name || '.' || column_name as name
         from information_schema.columns join information_schema.tables using (table_schema, table_name)
        where table_schema = 'public' and table_type = 'BASE TABLE'
          and data_type in ('text', 'character varying', 'jsonb', 'json', 'bytea', 'ARRAY')
          and table_name !~ '_(default|\\d{4}|\\d{6,8})$' order by 1`,
    )
  ).map(({ name }) => name);

test('every text of a user is erased with the user, and every text of a team with the team', async () => {
  const userId = await plant();
  const found = await findTraces(app, [mark, code]);
  const named = (columnName: string): boolean =>
    OF_NO_TEAM.test(columnName) ||
    KNOWN_WORDS.test(columnName) ||
    OF_ITS_OWN.has(columnName) ||
    UNWRITTEN.has(columnName);
  expect((await columns()).filter((columnName) => !found.includes(columnName) && !named(columnName))).toEqual([]);
  expect(found.filter(named)).toEqual([]);
  for (const columnName of UNWRITTEN) {
    const [table, column] = columnName.split('.');
    expect([columnName, await query(app.databaseUrl, `select 1 from ${table} where ${column} is not null`)]).toEqual([
      columnName,
      [],
    ]);
  }

  await team.api('DELETE', `/v2/user/${userId}`);
  await sql`update users set deleted_at = deleted_at - interval '8 days' where id = ${userId}`.execute(app.db);
  await sql`update idempotency_keys set created_at = created_at - interval '8 days'`.execute(app.db);
  expect(await eraseUsers(app.ctx)).toBe(1);
  expect(await findTraces(app, [mark, code])).toEqual(OF_THE_TEAM);

  await team.api('DELETE', `/v1/org/${team.org_id}/team/${team.id}`);
  await app.runJobs();
  expect(await findTraces(app, [mark, code])).toEqual([]);
});
