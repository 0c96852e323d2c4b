import type { components } from '@phial/client';
import type { OrderMessage } from '../endpoint.ts';
import { expectEqual } from '../surprise.ts';
import type { Cast, Order, User } from './cast.ts';

type OrderEvent = components['schemas']['OrderEvent'];

/** Every status of an unregistered kit, in order. */
export const KIT_PATH = [
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

/** Every status of a blood draw at a patient service center, if the appointment was booked at once. */
const DRAW_PATH = [
  'received.walk_in_test.ordered',
  'received.walk_in_test.requisition_created',
  'collecting_sample.walk_in_test.appointment_pending',
  'collecting_sample.walk_in_test.appointment_scheduled',
  'completed.walk_in_test.completed',
];

/**
 * Checks that the order has `status`, and that a webhook arrived for every step until this status, with the order as it
 * was at that step.
 */
export async function expectSteps(
  { credentials, endpoint }: Cast,
  user: User,
  order: Order,
  status: string,
): Promise<void> {
  const path = KIT_PATH.includes(status) ? KIT_PATH : DRAW_PATH;
  const expected = path.slice(0, path.indexOf(status) + 1);
  expectEqual("The order's events", statusesOf(order), expected);
  const messages = await endpoint.receive(order.id, expected.length);
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
  const actual = { event_type, team_id, user_id, client_user_id, order_id: data.id, events: data.events };
  const last = expected.events.at(-1) as OrderEvent;
  expectEqual(`The webhook of ${last.status}`, actual, expected);
  expectEqual(
    `The newest event in the webhook of ${last.status}`,
    [data.last_event, data.status],
    [last, last.status.split('.')[0]],
  );
}

export const statusesOf = (order: Order): string[] => order.events.map((event) => event.status);
