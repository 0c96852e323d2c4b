import { patient, patientAddress, physician } from '../people.ts';
import { expectEqual } from '../surprise.ts';
import type { Cast, Order, User } from './cast.ts';
import { peek, simulate } from './kit.ts';
import { expectSteps } from './steps.ts';

export async function orderDraw(cast: Cast, user: User, labTestId: string): Promise<Order> {
  const body = {
    user_id: user.user_id,
    order_set: { lab_test_ids: [labTestId] },
    collection_method: 'walk_in_test' as const,
    patient_details: patient,
    patient_address: { ...patientAddress, phone_number: patient.phone_number },
    physician,
  };
  const { order } = await cast.service.call('Order blood tests', ({ team }) => team.POST('/v3/order', { body }), {
    summary: ({ order }) => `order ${order.id}, ${order.last_event.status}`,
  });
  await expectSteps(cast, user, order, 'received.walk_in_test.requisition_created');
  return order;
}

export async function bookDraw({ service, endpoint }: Cast, order: Order): Promise<void> {
  const query = { lab: 'sonora_quest' as const, zip_code: patientAddress.zip };
  const { slots } = await service.call(
    'Look for free times around the patient',
    ({ team }) => team.POST('/v3/order/psc/appointment/availability', { params: { query } }),
    { summary: ({ slots }) => `${slots.flatMap((day) => day.slots).length} of them` },
  );
  const [slot] = slots.flatMap((day) => day.slots);
  const params = { path: { order_id: order.id } };
  const body = { booking_key: slot?.booking_key ?? '' };
  const booked = await service.call(
    'Book the first',
    ({ team }) => team.POST('/v3/order/{order_id}/psc/appointment/book', { params, body }),
    { summary: ({ status, start_at }) => `${status} for ${start_at}` },
  );
  expectEqual('The appointment', booked.status, 'confirmed');
  const event = await endpoint.hear('labtest.appointment.created');
  expectEqual('Whose appointment it is', event.data.order_id, order.id);
}

export async function hearOfCriticalResult(cast: Cast, user: User, order: Order): Promise<void> {
  const { service, endpoint } = cast;
  await simulate(cast, order, 'The laboratory finds something critical (simulated)', {
    interpretation: 'critical',
  });
  const { data } = await endpoint.hear('labtest.result.critical');
  expectEqual('The critical result', [data.order_id, data.interpretation], [order.id, 'critical']);
  await expectSteps(cast, user, await peek(cast, order), 'completed.walk_in_test.completed');
  const query = { user_id: user.user_id, interpretation: 'critical' as const };
  const { orders } = await service.call(
    "List the user's critical orders",
    ({ team }) => team.GET('/v3/orders', { params: { query } }),
    { summary: ({ total }) => `${total}` },
  );
  expectEqual(
    'Critical orders',
    orders.map(({ id }) => id),
    [order.id],
  );
  const { results } = await service.call(
    'Read its results',
    ({ team }) => team.GET('/v3/order/{order_id}/result', { params: { path: { order_id: order.id } } }),
    {
      summary: ({ results }) =>
        results
          .filter(({ interpretation }) => interpretation === 'critical')
          .map(({ name, result, unit }) => `${name} ${result} ${unit ?? ''}`.trim())
          .join(', '),
    },
  );
  expectEqual(
    'Whether a result is critical',
    results.some((one) => one.interpretation === 'critical'),
    true,
  );
}
