import type { OrderEventRow } from './load.ts';
import { isCancelled, partsOf } from './status/table.ts';

/** The event that made the order's requisition; null where none did, and of an order that was cancelled since. */
export function requisitionOf(events: readonly OrderEventRow[]): OrderEventRow | null {
  const last = events.at(-1);
  if (!last || isCancelled(partsOf(last.status).low)) return null;
  return events.findLast(({ status }) => partsOf(status).low === 'requisition_created') ?? null;
}
