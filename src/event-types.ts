import type { EventType } from './events/define.ts';
import { appointmentCreated, appointmentUpdated } from './labs/appointments/events.ts';
import { orderCreated, orderUpdated } from './labs/orders/events.ts';
import { parsingJobCreated, parsingJobUpdated } from './labs/results/parser/events.ts';
import { resultCritical } from './labs/results/events.ts';
import { matchReviewCreated, matchReviewUpdated } from './labs/results/unmatched/events.ts';
import { resultTableChanged } from './wearables/aggregate/continuous/events.ts';
import { pullEvents } from './wearables/pulls/events.ts';
import { sampleEvents } from './wearables/timeseries/events.ts';
import { connectionCreated, connectionError } from './wearables/connections/events.ts';
import { summaryEvents } from './wearables/summaries/events.ts';
import { attemptExhausted, endpointDisabled } from './delivery/events.ts';

/** Every event type that the service publishes, in the order of the documentation. */
export const eventTypes: Omit<EventType, 'write'>[] = [
  orderCreated,
  orderUpdated,
  appointmentCreated,
  appointmentUpdated,
  resultCritical,
  matchReviewCreated,
  matchReviewUpdated,
  parsingJobCreated,
  parsingJobUpdated,
  ...sampleEvents,
  ...pullEvents,
  connectionCreated,
  connectionError,
  ...summaryEvents,
  resultTableChanged,
  attemptExhausted,
  endpointDisabled,
];
