import { createHmac, randomBytes } from 'node:crypto';
import { SUMMARY_BODIES } from '../src/openapi-texts/examples/summaries.ts';
import { SUMMARIES } from '../src/wearables/summaries/summary-resources.ts';
import { addLabAccount } from '../src/labs/catalogue/lab-accounts/add.ts';
import type { Answer, Team, TestApp } from './test-app.ts';
import { jpegHead, pngHead } from './images.ts';
import type { Endpoint } from './endpoint.ts';

/** A body in which every field is valid. Tests change the fields that they are about. */
export const shippingAddress = {
  receiver_name: 'Grace Palmer',
  first_line: '100 West Test Street',
  second_line: '',
  city: 'Phoenix',
  state: 'AZ',
  zip: '85004',
  country: 'US',
  phone_number: '+16025550123',
};

export const patientDetails = {
  first_name: 'Grace',
  last_name: 'Palmer',
  dob: '1988-04-12',
  gender: 'female',
  phone_number: '+16025550123',
  email: 'grace@example.com',
};

export const patientAddress = {
  receiver_name: 'Grace Palmer',
  first_line: '100 West Test Street',
  city: 'Phoenix',
  state: 'AZ',
  zip: '85004',
  country: 'US',
};

export const consents = ['terms-of-use', 'telehealth-informed-consent', 'notice-of-privacy-practices'].map(
  (consentType) => ({ consentType }),
);

export const physician = { first_name: 'Ana', last_name: 'Ruiz', npi: '1234567893' };

export async function makeUser(team: Team): Promise<{ user_id: string; client_user_id: string }> {
  const response = await team.api<{ user_id: string; client_user_id: string }>('POST', '/v2/user', {
    client_user_id: `user-${randomBytes(6).toString('hex')}`,
  });
  return response.body;
}

/** A kit test that the team can order. */
export async function kitTestId(team: Team): Promise<string> {
  const response = await team.api<{ data: { id: string }[] }>(
    'GET',
    '/v3/lab_test?collection_method=testkit&lab_test_limit=1',
  );
  return (response.body.data[0] as { id: string }).id;
}

/** An account at the simulated laboratory of kits that lists the team alone. */
export const addAccount = (app: TestApp, team: Team): Promise<string> =>
  addLabAccount(app.ctx, {
    org_id: team.org_id,
    lab: 'simulated-kit-lab',
    status: 'active',
    delegated_flow: 'not_delegated',
    provider_account_id: `ACC-${randomBytes(4).toString('hex')}`,
    account_name: 'Desert Health',
    default_clinical_notes: null,
    business_units: null,
    allowed_billing: { client_bill: ['AZ'] },
    team_id_allowlist: [team.id],
  });

export type OrderBody = {
  id: string;
  user_id: string;
  sample_id: string | null;
  status: string;
  updated_at: string;
  interpretation: string | null;
  events: { id: number; status: string; created_at: string; status_detail: string | null }[];
  last_event: { status: string };
  details: { data: { shipment: Record<string, unknown> | null } };
  patient_details: Record<string, unknown> | null;
  order_transaction: { id: string; status: string };
  [key: string]: unknown;
};

export async function orderKit(team: Team, userId?: string): Promise<OrderBody> {
  const response = await team.api<{ order: OrderBody }>('POST', '/v3/order/testkit', {
    user_id: userId ?? (await makeUser(team)).user_id,
    lab_test_id: await kitTestId(team),
    shipping_details: shippingAddress,
  });
  return response.body.order;
}

export const simulate = (team: Team, orderId: string, query = '', flags?: object): ReturnType<Team['api']> =>
  team.api('POST', `/v3/order/${orderId}/test${query}`, flags);

export const readOrder = async (team: Team, orderId: string): Promise<OrderBody> =>
  (await team.api<OrderBody>('GET', `/v3/order/${orderId}`)).body;

export const lowStatuses = (order: Pick<OrderBody, 'events'>): string[] =>
  order.events.map((event) => event.status.split('.')[2] as string);

/** Registers the kit of an order, or one with the given sample id. */
export const register = <T = { order: OrderBody; message: string }>(
  team: Team,
  changes: Record<string, unknown>,
): ReturnType<typeof team.api<T>> =>
  team.api<T>('POST', '/v3/order/testkit/register', {
    patient_details: patientDetails,
    patient_address: patientAddress,
    consents,
    physician,
    ...changes,
  });

/** The insurance in a registration, with images of the card and the signature. */
export const healthInsurance = {
  payor_code: 'SBX00001',
  insurance_id: 'XYZ123456789',
  responsible_relationship: 'Self',
  front_image: { content: pngHead(640, 400).toString('base64'), content_type: 'image/png' },
  patient_signature_image: { content: jpegHead(300, 120).toString('base64'), content_type: 'image/jpeg' },
  diagnosis_codes: ['E11.9'],
};

/** A kit that has shipped and is registered. */
export async function registeredKit(team: Team, changes: Record<string, unknown> = {}): Promise<OrderBody> {
  const order = await orderKit(team);
  await simulate(team, order.id);
  const { sample_id } = await readOrder(team, order.id);
  return (await register(team, { sample_id, ...changes })).body.order;
}

/** An order whose results the simulated laboratory sends without its numbers, and the id of the waiting result. */
export async function loseResults(team: Team, flags?: object): Promise<{ order: OrderBody; unmatched_id: string }> {
  const order = await registeredKit(team, { patient_details: { ...patientDetails, last_name: 'Unmatched' } });
  await simulate(team, order.id, '', flags);
  const { body } = await team.api<{ data: { id: string }[] }>('GET', '/v3/unmatched_result?limit=1');
  return { order: await readOrder(team, order.id), unmatched_id: body.data[0]?.id as string };
}

export const webhookPath = (team: Pick<Team, 'id' | 'org_id'>): string =>
  `/v1/org/${team.org_id}/team/${team.id}/sandbox/webhook`;

/** Subscribes the endpoint to the team's events. */
export async function subscribe(team: Team, endpoint: Endpoint, filterTypes: string[] | null = null): Promise<string> {
  const made = await team.api<{ id: string }>('POST', webhookPath(team), {
    url: endpoint.url,
    filter_types: filterTypes,
  });
  const secret = await team.api<{ key: string }>('GET', `${webhookPath(team)}/${made.body.id}/secret`);
  endpoint.trust(secret.body.key);
  return made.body.id;
}

/** Tokens that a user granted elsewhere. */
export const recipeOf = (userId: string): Record<string, unknown> => ({
  user_id: userId,
  access_token: 'access-token-of-the-user',
  refresh_token: 'refresh-token-of-the-user',
  provider_id: 'external-4711',
  expires_at: 4_102_444_800,
  oauth_scopes: ['personal', 'daily'],
});

/** Connects the user by tokens granted elsewhere. */
export const importConnection = (
  team: Team,
  userId: string,
  changes: Record<string, unknown> = {},
  provider = 'oura',
): ReturnType<typeof team.api<{ user_ids_imported: string[]; user_ids_failed: string[] }>> =>
  team.api('POST', '/v2/link/bulk_import', {
    provider,
    connections: [{ ...recipeOf(userId), ...changes }],
    wait_for_completion: true,
  });

/** Sends a provider event about the user of `recipeOf` as Oura does: signed now with the secret of the application. */
export const hookOfOura = (
  team: Team,
  secret: string,
  providerEvent: Record<string, unknown>,
  timestamp = String(Math.floor(Date.now() / 1_000)),
): ReturnType<typeof team.api> => {
  const raw = JSON.stringify({ user_id: 'external-4711', event_type: 'update', event_time: '1', ...providerEvent });
  const signature = createHmac('sha256', secret).update(`${timestamp}${raw}`).digest('hex').toUpperCase();
  const headers = {
    'x-oura-signature': signature,
    'x-oura-timestamp': timestamp,
    'content-type': 'application/json',
  };
  return team.api('POST', '/v2/hooks/oura', undefined, { raw, headers, key: null });
};

/** Sends an update of a parcel as EasyPost does for a carrier: signed with the secret of the tests' deployments. */
export const hookOfCarrier = (
  team: Team,
  tracker: Record<string, unknown>,
  { carrier = 'easypost', secret = 'secret-of-carriers', signature = '', raw = '' } = {},
): ReturnType<typeof team.api<{ received?: boolean; code?: string }>> => {
  const body =
    raw ||
    JSON.stringify({ description: 'tracker.updated', result: { object: 'Tracker', carrier: 'USPS', ...tracker } });
  const signed = `hmac-sha256-hex=${createHmac('sha256', secret.normalize('NFKD')).update(body).digest('hex')}`;
  const headers = { 'x-hmac-signature': signature || signed, 'content-type': 'application/json' };
  return team.api('POST', `/hooks/carrier/${carrier}`, undefined, { raw: body, headers, key: null });
};

/** One summary of the kind, or the given items, of a user. */
export const pushSummaries = <T = PushedSummaries>(
  team: Team,
  userId: string,
  path: string,
  items: unknown[],
): ReturnType<typeof team.api<T>> => team.api<T>('POST', `/v2/summary/${path}/${userId}`, items);

export type PushedSummaries = {
  created: number;
  updated: number;
  unchanged: number;
  superseded: number;
  outside_ingestion_bounds: number;
  items: { id: string; outcome: string }[];
};

/** One summary of every kind, with its points. Returns the ids by kind. */
export async function pushEverySummary(team: Team, userId: string): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const { name, path } of SUMMARIES) {
    const items = (SUMMARY_BODIES[`push_${name}`] ?? []) as object[];
    const sent = items.map((item) => ('sleep_id' in item ? { ...item, sleep_id: ids['sleep'] } : item));
    const response = await pushSummaries(team, userId, path, sent);
    ids[name] = response.body.items[0]?.id as string;
  }
  return ids;
}

/** A link token of the user. */
export const linkTokenOf = async (
  team: Team,
  userId: string,
  more: Record<string, unknown> = {},
): Promise<{ link_token: string; link_web_url: string }> =>
  (await team.api<{ link_token: string; link_web_url: string }>('POST', '/v2/link/token', { user_id: userId, ...more }))
    .body;

/** Leaves a row in every table that connecting uses: tokens, a code, a user at the provider, an ended connection. */
export async function useLink(team: Team, userId: string): Promise<void> {
  const { link_token } = await linkTokenOf(team, userId);
  await team.api('GET', `/v2/link/oauth/oura/start?token=${link_token}`, undefined, { key: null });
  await team.api('POST', `/v2/link/code/create?user_id=${userId}`);
  await importConnection(team, userId);
  await team.api('DELETE', `/v2/user/${userId}/oura`);
  await importConnection(team, userId);
}

/** One of the lab tests that every team of a sandbox has, by its collection method. */
export async function labTestId(team: Team, method: string): Promise<string> {
  const { body } = await team.api<{ data: { id: string }[] }>(
    'GET',
    `/v3/lab_test?collection_method=${method}&lab_test_limit=1`,
  );
  return (body.data[0] as { id: string }).id;
}

type CreatedOrder = { order: OrderBody; message: string; code: string; detail: unknown };

/** Orders for a known patient; `changes` replace keys of the body. */
export const createOrder = async <T = CreatedOrder>(
  team: Team,
  changes: Record<string, unknown> = {},
  options: Parameters<Team['api']>[3] = {},
): Promise<Answer<T>> =>
  team.api<T>(
    'POST',
    '/v3/order',
    {
      user_id: changes['user_id'] ?? (await makeUser(team)).user_id,
      physician,
      patient_details: patientDetails,
      patient_address: patientAddress,
      ...('order_set' in changes || 'lab_test_id' in changes
        ? {}
        : { order_set: { lab_test_ids: [await labTestId(team, 'walk_in_test')] } }),
      ...changes,
    },
    options,
  );
