import type { OrderEventRow } from './load-order.ts';
import { isCancelled, partsOf, type LowLevelStatus } from './status/statuses.ts';

const HAS_REQUISITION: ReadonlySet<LowLevelStatus> = new Set(['requisition_created', 'requisition_bypassed']);

/**
 * Returns the event with which the order got a requisition. Returns null if no event did so, or if the order was
 * cancelled. Imported orders and orders that we send to the laboratory as messages have a requisition too, because a
 * paper accompanies the sample.
 */
export function requisitionEvent(events: readonly OrderEventRow[]): OrderEventRow | null {
  const last = events.at(-1);
  if (!last || isCancelled(partsOf(last.status).low)) return null;
  return events.findLast(({ status }) => HAS_REQUISITION.has(partsOf(status).low)) ?? null;
}
