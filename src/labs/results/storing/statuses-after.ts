import type { LoadedOrder } from '../../orders/load.ts';
import type { NewEvent } from '../../orders/status/append-events.ts';
import { pathTo } from '../../orders/status/path.ts';
import { progressOfOrder } from '../../orders/status/progress.ts';
import { statusesOf, type LowLevelStatus } from '../../orders/status/table.ts';

/** How far a report takes an order. Failed: no result can come any more; redrawn where that is for its samples. */
export type Reach = 'partial' | 'complete' | { failed: 'called_off' } | { failed: 'redrawn'; detail: string | null };

/**
 * What an order goes through when results come in: from where it stands, since a report may overtake the carrier and
 * the laboratory's receipt. Null when no way leads there. A kit has no status for partial results, but it is with the
 * laboratory then.
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

/** Who walks in comes again for the same order's redraw; any other order ends, and its redraw is another. */
function targetOf(reach: Reach, statuses: LowLevelStatus[]): LowLevelStatus {
  if (reach === 'complete') return 'completed';
  if (reach === 'partial') return statuses.includes('partial_results') ? 'partial_results' : 'delivered_to_lab';
  return reach.failed === 'redrawn' && statuses.includes('redraw_available') ? 'redraw_available' : 'sample_error';
}
