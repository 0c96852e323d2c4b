import { patient, patientAddress, physician } from '../people.ts';
import { expectEqual } from '../surprise.ts';
import type { Cast, Order, OrderAnswer, User } from './cast.ts';
import { peek, simulate } from './kit.ts';
import { expectSteps } from './steps.ts';

export async function orderDraw(cast: Cast, user: User, labTestId: string): Promise<Order> {
  const { order } = await cast.service.call<OrderAnswer>('Order blood tests', 'POST /v3/order', {
    body: {
      user_id: user.user_id,
      order_set: { lab_test_ids: [labTestId] },
      collection_method: 'walk_in_test',
      patient_details: patient,
      patient_address: { ...patientAddress, phone_number: patient.phone_number },
      physician,
    },
    summary: ({ order }) => `order ${order.id}, ${order.last_event.status}`,
  });
  await expectSteps(cast, user, order, 'received.walk_in_test.requisition_created');
  return order;
}

export async function bookDraw({ service, endpoint }: Cast, order: Order): Promise<void> {
  type Slot = { booking_key: string; start: string };
  type Availability = { slots: { slots: Slot[] }[] };
  const { slots } = await service.call<Availability>(
    'Look for free times around the patient',
    'POST /v3/order/psc/appointment/availability',
    {
      query: { lab: 'sonora_quest', zip_code: patientAddress.zip },
      summary: ({ slots }) => `${slots.flatMap((day) => day.slots).length} of them`,
    },
  );
  const [slot] = slots.flatMap((day) => day.slots);
  const booked = await service.call<{ id: string; status: string; start_at: string }>(
    'Book the first',
    'POST /v3/order/{order_id}/psc/appointment/book',
    {
      params: { order_id: order.id },
      body: { booking_key: slot?.booking_key },
      summary: ({ status, start_at }) => `${status} for ${start_at}`,
    },
  );
  expectEqual('The appointment', booked.status, 'confirmed');
  const event = await endpoint.hear('labtest.appointment.created');
  expectEqual('Whose appointment it is', event.data['order_id'], order.id);
}

export async function hearOfCriticalResult(cast: Cast, user: User, order: Order): Promise<void> {
  const { service, endpoint } = cast;
  await simulate(cast, order, 'The laboratory finds something critical (simulated)', {
    interpretation: 'critical',
  });
  const { data } = await endpoint.hear('labtest.result.critical');
  expectEqual('The critical result', [data['order_id'], data['interpretation']], [order.id, 'critical']);
  await expectSteps(cast, user, await peek(cast, order), 'completed.walk_in_test.completed');
  type Page = { orders: Order[]; total: number };
  const { orders } = await service.call<Page>("List the user's critical orders", 'GET /v3/orders', {
    query: { user_id: user.user_id, interpretation: 'critical' },
    summary: ({ total }) => `${total}`,
  });
  expectEqual(
    'Critical orders',
    orders.map(({ id }) => id),
    [order.id],
  );
  type Results = { results: { name: string; result: string; unit: string | null; interpretation: string }[] };
  const { results } = await service.call<Results>('Read its results', 'GET /v3/order/{order_id}/result', {
    params: { order_id: order.id },
    summary: ({ results }) =>
      results
        .filter(({ interpretation }) => interpretation === 'critical')
        .map(({ name, result, unit }) => `${name} ${result} ${unit ?? ''}`.trim())
        .join(', '),
  });
  expectEqual(
    'Whether a result is critical',
    results.some((one) => one.interpretation === 'critical'),
    true,
  );
}
