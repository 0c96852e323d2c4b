import type { LoadedOrder } from '../../orders/load-order.ts';
import type { NewEvent } from '../../orders/status/append-events.ts';
import { pathTo } from '../../orders/status/steps-to-status.ts';
import { progressOfOrder } from '../../orders/status/order-progress.ts';
import { statusesOf, type LowLevelStatus } from '../../orders/status/statuses.ts';

/**
 * How far a report moves an order. failed: the order will get no results. redrawn: it failed because the laboratory
 * rejected its samples.
 */
export type Reach = 'partial' | 'complete' | { failed: 'called_off' } | { failed: 'redrawn'; detail: string | null };

/**
 * Returns the statuses that an order gets when results arrive, starting from its current status. We may not know yet
 * that the laboratory received the sample, so the list includes the statuses in between. Returns null if no sequence of
 * statuses leads to the result. An order for a kit has no status for partial results, so it gets the status
 * delivered_to_lab.
 */
export function statusesAfter(order: LoadedOrder, reach: Reach): NewEvent[] | null {
  const progress = progressOfOrder(order);
  const { method, last } = progress;
  if (last === 'completed' || last === 'corrected') return [{ status: 'corrected' }];
  const target = targetOf(reach, statusesOf(method));
  if (last === target && target === 'partial_results') return [{ status: target }];
  const path = pathTo(progress, target);
  if (!path.ok) return null;
  const detail = typeof reach === 'object' && reach.failed === 'redrawn' ? reach.detail : null;
  return path.steps.map((status) => (status === target ? { status, detail } : { status }));
}

/**
 * Returns the status to which a report leads. After a rejected sample, a walk-in patient comes again for the same
 * order. Every other order ends, and a new order (the redraw) repeats it.
 */
function targetOf(reach: Reach, statuses: LowLevelStatus[]): LowLevelStatus {
  if (reach === 'complete') return 'completed';
  if (reach === 'partial') return statuses.includes('partial_results') ? 'partial_results' : 'delivered_to_lab';
  return reach.failed === 'redrawn' && statuses.includes('redraw_available') ? 'redraw_available' : 'sample_error';
}
