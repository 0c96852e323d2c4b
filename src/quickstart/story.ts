import { randomUUID } from 'node:crypto';
import type { Credentials } from '../credentials.ts';
import { consents, demographics, patient, patientAddress, physician, shippingDetails } from './people.ts';
import type { OrderEvent, OrderMessage, Receiver } from './receiver.ts';
import type { Service } from './service.ts';
import { expectEqual } from './surprise.ts';
import type { Timeline } from './timeline.ts';

type Cast = { credentials: Credentials; service: Service; receiver: Receiver; timeline: Timeline };
type User = { user_id: string; client_user_id: string; created_on: string };
type Webhook = { org_id: string; team_id: string; environment: string; webhook_id: string };
type Refusal = { code: string; detail: unknown };
type Order = OrderMessage['data'] & { user_id: string; sample_id: string; interpretation: string | null };
type OrderAnswer = { order: Order; status: string };
type Results = {
  metadata: { status: string };
  results: { name: string; result: string; unit: string | null; interpretation: string }[];
};

/** The path of an unregistered kit, all of it. */
const PATH = [
  'received.testkit.ordered',
  'received.testkit.awaiting_registration',
  'collecting_sample.testkit.transit_customer',
  'collecting_sample.testkit.out_for_delivery',
  'collecting_sample.testkit.with_customer',
  'received.testkit.requisition_created',
  'received.testkit.testkit_registered',
  'collecting_sample.testkit.transit_lab',
  'sample_with_lab.testkit.delivered_to_lab',
  'completed.testkit.completed',
];
const upTo = (status: string): string[] => PATH.slice(0, PATH.indexOf(status) + 1);

const ONE_WEBHOOK = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}';
const ALL_WEBHOOKS = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook';

/** Plays the story. Throws Surprise where the service does otherwise than it says; leaves one user and no webhook endpoint behind. */
export async function playStory(cast: Cast): Promise<void> {
  const { timeline } = cast;
  timeline.chapter('A user with insurance');
  const user = await createUser(cast);
  await storeDemographics(cast, user);
  await storeInsurance(cast, user);

  timeline.chapter('A test kit, each step of it a signed webhook');
  const webhook = await addWebhook(cast);
  try {
    await playOrder(cast, user, webhook);
    timeline.chapter('The user goes and comes back');
    await deleteAndUndo(cast, user);
  } catch (surprise) {
    await deleteWebhook(cast, webhook).catch(() => undefined);
    throw surprise;
  }
  await deleteWebhook(cast, webhook);
}

async function playOrder(cast: Cast, user: User, webhook: Webhook): Promise<void> {
  cast.receiver.listen(await readSecret(cast, webhook), user.user_id);
  const labTest = await chooseLabTest(cast);
  const order = await orderKit(cast, user, labTest);
  const shipped = await ship(cast, user, order);
  await register(cast, user, shipped);
  await takeThroughLab(cast, user, order);

  cast.timeline.chapter('The outcome');
  await readOrder(cast, user, order);
  await readResults(cast, order);
  await refuseCancellation(cast, order);
}

async function createUser({ service }: Cast): Promise<User> {
  const body = { client_user_id: `quickstart-${randomUUID()}` };
  const user = await service.call<User>('Create a user', 'POST /v2/user', {
    body,
    tell: ({ user_id }) => `user ${user_id}`,
  });
  expectEqual('client_user_id', user.client_user_id, body.client_user_id);
  const again = await service.call<Refusal>('Create the same user again', 'POST /v2/user', {
    body,
    status: 400,
    tell: ({ code }) => `${code}, with user_id and created_on of the first`,
  });
  expectEqual('code', again.code, 'client_user_id_conflict');
  const { user_id, created_on } = again.detail as User;
  expectEqual(
    'The existing user told by the refusal',
    { user_id, created_on },
    { user_id: user.user_id, created_on: user.created_on },
  );
  return user;
}

async function storeDemographics({ service }: Cast, { user_id }: User): Promise<void> {
  const stored = await service.call<typeof demographics>('Store demographics', 'PATCH /v2/user/{user_id}/info', {
    params: { user_id },
    body: demographics,
    tell: ({ first_name, last_name, dob }) => `${first_name} ${last_name}, born ${dob}`,
  });
  for (const [key, value] of Object.entries(demographics))
    expectEqual(key, stored[key as keyof typeof demographics], value);
}

async function storeInsurance({ service }: Cast, { user_id }: User): Promise<void> {
  type Payor = { payor_code: string; name: string; org_address: unknown };
  const [payor] = await service.call<Payor[]>('Find a payor', 'GET /v3/insurance/search/payor', {
    query: { insurance_name: 'Aetna' },
    tell: (payors) => payors.map(({ name, payor_code }) => `${name} (${payor_code})`).join(', '),
  });
  const sent = {
    payor_code: payor?.payor_code,
    member_id: 'XYZ123456789',
    group_id: null,
    relationship: 'Self',
    insured: demographics,
    is_primary: true,
  };
  const insurance = await service.call<typeof sent & { company: { name: string } }>(
    'Store insurance',
    'POST /v2/user/{user_id}/insurance',
    {
      params: { user_id },
      body: sent,
      tell: ({ company }) => `company ${company.name}, filled in from the payor directory`,
    },
  );
  expectEqual('insurance', insurance, {
    ...sent,
    guarantor: null,
    company: { name: payor?.name, address: payor?.org_address },
  });
}

async function addWebhook({ credentials, service, receiver }: Cast): Promise<Webhook> {
  const params = { org_id: credentials.org_id, team_id: credentials.team_id, environment: 'sandbox' };
  const { id } = await service.call<{ id: string }>('Add a webhook endpoint', `POST ${ALL_WEBHOOKS}`, {
    params,
    body: { url: receiver.url, description: 'Quickstart' },
    tell: ({ id }) => `endpoint ${id}`,
  });
  return { ...params, webhook_id: id };
}

async function readSecret({ service }: Cast, params: Webhook): Promise<string> {
  const { key } = await service.call<{ key: string }>('Read its signing secret', `GET ${ONE_WEBHOOK}/secret`, {
    params,
    tell: ({ key }) => `${key.slice(0, 10)}…`,
  });
  return key;
}

const deleteWebhook = ({ service }: Cast, params: Webhook): Promise<void> =>
  service.call('Delete the webhook endpoint', `DELETE ${ONE_WEBHOOK}`, { params, status: 204 });

async function chooseLabTest({ service }: Cast): Promise<string> {
  type LabTest = { id: string; name: string; method: string; status: string };
  const {
    data: [labTest],
  } = await service.call<{ data: LabTest[] }>('List lab tests', 'GET /v3/lab_test', {
    query: { collection_method: 'testkit', status: 'active' },
    tell: ({ data }) => data.map(({ name }) => name).join(', '),
  });
  expectEqual('The first lab test', [labTest?.method, labTest?.status], ['testkit', 'active']);
  return labTest?.id ?? '';
}

async function orderKit(cast: Cast, user: User, labTestId: string): Promise<Order> {
  const { order } = await cast.service.call<OrderAnswer>('Order an unregistered test kit', 'POST /v3/order/testkit', {
    body: { user_id: user.user_id, lab_test_id: labTestId, shipping_details: shippingDetails },
    tell: ({ order }) => `order ${order.id}, ${statusesOf(order).join(', ')}`,
  });
  expectEqual('Who it is for', [order.user_id, order['patient_details']], [user.user_id, null]);
  await expectSteps(cast, user, order, 'received.testkit.awaiting_registration');
  return order;
}

async function ship(cast: Cast, user: User, order: Order): Promise<Order> {
  await simulate(cast, order, 'The kit ships (simulated)');
  const shipped = await peek(cast, order);
  await expectSteps(cast, user, shipped, 'collecting_sample.testkit.with_customer');
  return shipped;
}

async function register(cast: Cast, user: User, { id, sample_id }: Order): Promise<void> {
  const { order } = await cast.service.call<OrderAnswer>(
    'Register the kit to its patient',
    'POST /v3/order/testkit/register',
    {
      body: {
        user_id: user.user_id,
        sample_id,
        patient_details: patient,
        patient_address: patientAddress,
        consents,
        physician,
      },
      tell: ({ order }) => `sample ${order.sample_id}, ${order.last_event.status}`,
    },
  );
  expectEqual('Whose kit was registered', [order.id, order.sample_id], [id, sample_id]);
  const { first_name, last_name, dob, gender, phone_number, email } = order['patient_details'] as typeof patient;
  expectEqual('patient_details', { first_name, last_name, dob, gender, phone_number, email }, patient);
  await expectSteps(cast, user, order, 'received.testkit.testkit_registered');
}

async function takeThroughLab(cast: Cast, user: User, order: Order): Promise<void> {
  for (const [what, status] of [
    ['The sample travels to the laboratory', 'collecting_sample.testkit.transit_lab'],
    ['The laboratory has it', 'sample_with_lab.testkit.delivered_to_lab'],
    ['The laboratory reports its results', 'completed.testkit.completed'],
  ] as const) {
    await simulate(cast, order, `${what} (simulated)`, status);
    await expectSteps(cast, user, await peek(cast, order), status);
  }
}

async function simulate({ service }: Cast, { id }: Order, what: string, finalStatus?: string): Promise<void> {
  const answer = await service.call<string>(what, 'POST /v3/order/{order_id}/test', {
    params: { order_id: id },
    ...(finalStatus ? { query: { final_status: finalStatus } } : {}),
    tell: String,
  });
  expectEqual('The answer of the simulation', answer, 'Success');
}

const peek = ({ service }: Cast, { id }: Order): Promise<Order> =>
  service.call<Order>('Look at the order', 'GET /v3/order/{order_id}', {
    params: { order_id: id },
    tell: ({ last_event }) => last_event.status,
  });

/** The order is at `status`, and every step up to it came as a webhook with the order as it was right then. */
async function expectSteps({ credentials, receiver }: Cast, user: User, order: Order, status: string): Promise<void> {
  const expected = upTo(status);
  expectEqual("The order's events", statusesOf(order), expected);
  const messages = await receiver.receive(expected.length);
  expectEqual('Number of webhooks', messages.length, expected.length);
  messages.forEach((message, index) =>
    expectMessage(message, {
      event_type: index === 0 ? 'labtest.order.created' : 'labtest.order.updated',
      team_id: credentials.team_id,
      user_id: user.user_id,
      client_user_id: user.client_user_id,
      order_id: order.id,
      events: order.events.slice(0, index + 1),
    }),
  );
}

function expectMessage(
  { event_type, data, team_id, user_id, client_user_id }: OrderMessage,
  expected: {
    event_type: string;
    team_id: string;
    user_id: string;
    client_user_id: string;
    order_id: string;
    events: OrderEvent[];
  },
): void {
  const told = { event_type, team_id, user_id, client_user_id, order_id: data.id, events: data.events };
  const last = expected.events.at(-1) as OrderEvent;
  expectEqual(`The webhook of ${last.status}`, told, expected);
  expectEqual(
    `The newest event in the webhook of ${last.status}`,
    [data.last_event, data.status],
    [last, last.status.split('.')[0]],
  );
}

async function readOrder({ service, receiver }: Cast, user: User, { id }: Order): Promise<void> {
  const order = await service.call<Order & Record<string, unknown>>(
    'Read the order in its longer form',
    'GET /v3/order/{order_id}',
    {
      params: { order_id: id },
      tell: (order) => `${order.status}, ${order.interpretation}, ${order.events.length} events`,
    },
  );
  expectEqual(
    'Status and interpretation',
    [order.user_id, order.status, order.interpretation],
    [user.user_id, 'completed', 'normal'],
  );
  const last = (await receiver.receive(PATH.length)).at(-1) as OrderMessage;
  // Webhooks show of a patient only date of birth and gender, unless the team asks for more.
  const { dob, gender } = order['patient_details'] as typeof patient;
  const shown = last.data['patient_details'] as Record<string, unknown>;
  expectEqual(
    'The patient in the last webhook',
    [shown['dob'], shown['gender'], shown['last_name']],
    [dob, gender, null],
  );
  expectEqual("The last webhook's order", { ...last.data, patient_details: null }, { ...order, patient_details: null });
}

async function readResults({ service }: Cast, { id }: Order): Promise<void> {
  const { metadata, results } = await service.call<Results>('Read the results', 'GET /v3/order/{order_id}/result', {
    params: { order_id: id },
    tell: ({ results }) =>
      results.map(({ name, result, unit }) => `${name} ${result}${unit === null ? '' : ` ${unit}`}`).join(', '),
  });
  expectEqual('Status of the report', metadata.status, 'final');
  expectEqual('Interpretations', [...new Set(results.map(({ interpretation }) => interpretation))], ['normal']);
}

async function refuseCancellation({ service }: Cast, { id }: Order): Promise<void> {
  const { code } = await service.call<Refusal>('Cancel it, which is too late', 'POST /v3/order/{order_id}/cancel', {
    params: { order_id: id },
    status: 400,
    tell: ({ code }) => code,
  });
  expectEqual('code', code, 'order_not_cancellable');
}

async function deleteAndUndo({ service }: Cast, user: User): Promise<void> {
  const params = { user_id: user.user_id };
  const deleted = await service.call('Delete the user', 'DELETE /v2/user/{user_id}', { params });
  expectEqual('The answer of the deletion', deleted, { success: true });
  const gone = await service.call<Refusal>('Read the deleted user', 'GET /v2/user/{user_id}', {
    params,
    status: 404,
    tell: ({ code }) => code,
  });
  expectEqual('code', gone.code, 'user_scheduled_for_deletion');
  const undone = await service.call('Take the deletion back', 'POST /v2/user/undo_delete', { query: params });
  expectEqual('The answer of the undo', undone, { success: true });
  const back = await service.call<User>('Read the user again', 'GET /v2/user/{user_id}', {
    params,
    tell: ({ client_user_id }) => client_user_id,
  });
  expectEqual('The user', back, user);
}

const statusesOf = (order: Order): string[] => order.events.map((event) => event.status);
