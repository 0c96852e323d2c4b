import { randomBytes } from 'node:crypto';
import type { Team } from './app.ts';
import type { Receiver } from './receiver.ts';

/** A body that every field of the interface is right in; tests change what they are about. */
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
  const answer = await team.api<{ user_id: string; client_user_id: string }>('POST', '/v2/user', {
    client_user_id: `user-${randomBytes(6).toString('hex')}`,
  });
  return answer.body;
}

/** A kit test that the team can order. */
export async function kitTestId(team: Team): Promise<string> {
  const answer = await team.api<{ data: { id: string }[] }>(
    'GET',
    '/v3/lab_test?collection_method=testkit&lab_test_limit=1',
  );
  return (answer.body.data[0] as { id: string }).id;
}

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
  const answer = await team.api<{ order: OrderBody }>('POST', '/v3/order/testkit', {
    user_id: userId ?? (await makeUser(team)).user_id,
    lab_test_id: await kitTestId(team),
    shipping_details: shippingAddress,
  });
  return answer.body.order;
}

export const simulate = (team: Team, orderId: string, query = '', flags?: object): ReturnType<Team['api']> =>
  team.api('POST', `/v3/order/${orderId}/test${query}`, flags);

export const readOrder = async (team: Team, orderId: string): Promise<OrderBody> =>
  (await team.api<OrderBody>('GET', `/v3/order/${orderId}`)).body;

export const lowStatuses = (order: Pick<OrderBody, 'events'>): string[] =>
  order.events.map((event) => event.status.split('.')[2] as string);

/** Registers an order's kit, or one with the sample id given. */
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

/** Insurance as a registration brings it along, with images of the card and the signature. */
export const healthInsurance = {
  payor_code: 'SBX00001',
  insurance_id: 'XYZ123456789',
  responsible_relationship: 'Self',
  front_image: { content: 'iVBORw0KGgo=', content_type: 'image/png' },
  patient_signature_image: { content: '/9j/4AAQ', content_type: 'image/jpeg' },
  diagnosis_codes: ['E11.9'],
};

/** A kit that has shipped and is registered. */
export async function registeredKit(team: Team, changes: Record<string, unknown> = {}): Promise<OrderBody> {
  const order = await orderKit(team);
  await simulate(team, order.id);
  const { sample_id } = await readOrder(team, order.id);
  return (await register(team, { sample_id, ...changes })).body.order;
}

export const webhookPath = (team: Team): string => `/v1/org/${team.org_id}/team/${team.id}/sandbox/webhook`;

/** Subscribes the receiver to the team's events. */
export async function subscribe(team: Team, receiver: Receiver, filterTypes: string[] | null = null): Promise<string> {
  const made = await team.api<{ id: string }>('POST', webhookPath(team), {
    url: receiver.url,
    filter_types: filterTypes,
  });
  const secret = await team.api<{ key: string }>('GET', `${webhookPath(team)}/${made.body.id}/secret`);
  receiver.trust(secret.body.key);
  return made.body.id;
}
