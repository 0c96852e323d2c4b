import type { components } from '@phial/client';
import { consents, patient, patientAddress, physician, shippingDetails } from '../people.ts';
import { expectEqual } from '../surprise.ts';
import type { Cast, Order, User } from './cast.ts';
import { expectSteps, statusesOf } from './steps.ts';

export async function chooseLabTest({ service }: Cast, method: 'testkit' | 'walk_in_test'): Promise<string> {
  const query = { collection_method: method, status: 'active' as const };
  const {
    data: [labTest],
  } = await service.call('List lab tests', ({ team }) => team.GET('/v3/lab_test', { params: { query } }), {
    summary: ({ data }) => data.map(({ name }) => name).join(', '),
  });
  expectEqual('The first lab test', [labTest?.method, labTest?.status], [method, 'active']);
  return labTest?.id ?? '';
}

export async function orderKit(cast: Cast, user: User, labTestId: string): Promise<Order> {
  const body = { user_id: user.user_id, lab_test_id: labTestId, shipping_details: shippingDetails };
  const { order } = await cast.service.call(
    'Order an unregistered test kit',
    ({ team }) => team.POST('/v3/order/testkit', { body }),
    { summary: ({ order }) => `order ${order.id}, ${statusesOf(order).join(', ')}` },
  );
  expectEqual('Who it is for', [order.user_id, order.patient_details], [user.user_id, null]);
  await expectSteps(cast, user, order, 'received.testkit.awaiting_registration');
  return order;
}

export async function ship(cast: Cast, user: User, order: Order): Promise<Order> {
  await simulate(cast, order, 'The kit ships (simulated)');
  const shipped = await peek(cast, order);
  await expectSteps(cast, user, shipped, 'collecting_sample.testkit.with_customer');
  return shipped;
}

export async function register(cast: Cast, user: User, { id, sample_id }: Order): Promise<void> {
  const body = {
    user_id: user.user_id,
    sample_id: sample_id ?? '',
    patient_details: patient,
    patient_address: patientAddress,
    consents,
    physician,
  };
  const { order } = await cast.service.call(
    'Register the kit to its patient',
    ({ team }) => team.POST('/v3/order/testkit/register', { body }),
    { summary: ({ order }) => `sample ${order.sample_id}, ${order.last_event.status}` },
  );
  expectEqual('Whose kit was registered', [order.id, order.sample_id], [id, sample_id]);
  for (const [key, value] of Object.entries(patient))
    expectEqual(key, order.patient_details?.[key as keyof typeof patient], value);
  await expectSteps(cast, user, order, 'received.testkit.testkit_registered');
}

export async function takeThroughLab(cast: Cast, user: User, order: Order): Promise<void> {
  for (const [what, status] of [
    ['The sample travels to the laboratory', 'collecting_sample.testkit.transit_lab'],
    ['The laboratory has it', 'sample_with_lab.testkit.delivered_to_lab'],
    ['The laboratory reports its results', 'completed.testkit.completed'],
  ] as const) {
    await simulate(cast, order, `${what} (simulated)`, { finalStatus: status });
    await expectSteps(cast, user, await peek(cast, order), status);
  }
}

/**
 * Makes the simulated laboratory continue with the order. If `finalStatus` is given, the laboratory stops at this
 * status.
 */
export async function simulate(
  { service }: Cast,
  { id }: Order,
  what: string,
  {
    finalStatus,
    interpretation,
  }: { finalStatus?: components['schemas']['FinalStatus']; interpretation?: 'critical' } = {},
): Promise<void> {
  const params = { path: { order_id: id }, query: { final_status: finalStatus } };
  const body = interpretation && { interpretation };
  const response = await service.call(what, ({ team }) => team.POST('/v3/order/{order_id}/test', { params, body }), {
    summary: String,
  });
  expectEqual('The answer of the simulation', response, 'Success');
}

export const peek = ({ service }: Cast, { id }: Order): Promise<Order> =>
  service.call(
    'Look at the order',
    ({ team }) => team.GET('/v3/order/{order_id}', { params: { path: { order_id: id } } }),
    { summary: ({ last_event }) => last_event.status },
  );
