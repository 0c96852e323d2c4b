import type { EventType } from './events/define.ts';
import { orderCreated, orderUpdated } from './lab-orders/events.ts';
import { resultCritical } from './results/events.ts';
import { attemptExhausted, endpointDisabled } from './webhooks/events.ts';

/** Every event that the service tells of, in the order of its documentation. */
export const eventTypes: Omit<EventType, 'write'>[] = [
  orderCreated,
  orderUpdated,
  resultCritical,
  attemptExhausted,
  endpointDisabled,
];
