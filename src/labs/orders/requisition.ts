import type { OrderEventRow } from './load.ts';
import { isCancelled, partsOf, type LowLevelStatus } from './status/table.ts';

const HAS_REQUISITION: ReadonlySet<LowLevelStatus> = new Set(['requisition_created', 'requisition_bypassed']);

/**
 * The event from which on the order has a requisition; null where none did, and of an order that was cancelled since. Where its
 * laboratory is told by messages, or had it before us, paper still goes with the sample.
 */
export function requisitionEvent(events: readonly OrderEventRow[]): OrderEventRow | null {
  const last = events.at(-1);
  if (!last || isCancelled(partsOf(last.status).low)) return null;
  return events.findLast(({ status }) => HAS_REQUISITION.has(partsOf(status).low)) ?? null;
}
