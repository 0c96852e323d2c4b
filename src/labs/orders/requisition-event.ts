import type { OrderEventRow } from './load-order.ts';
import { isCancelled, partsOf, type LowLevelStatus } from './status/statuses.ts';

const HAS_REQUISITION: ReadonlySet<LowLevelStatus> = new Set(['requisition_created', 'requisition_bypassed']);

/**
 * Returns the event that gave the order a requisition, which is the order form on paper. Returns null if there is no
 * such event, or if the order was cancelled. The paper goes with the sample. So imported orders have a requisition too,
 * and so do orders that we send to the laboratory as messages.
 */
export function requisitionEvent(events: readonly OrderEventRow[]): OrderEventRow | null {
  const last = events.at(-1);
  if (!last || isCancelled(partsOf(last.status).low)) return null;
  return events.findLast(({ status }) => HAS_REQUISITION.has(partsOf(status).low)) ?? null;
}
