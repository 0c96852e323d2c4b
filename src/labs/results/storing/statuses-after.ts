import type { LoadedOrder } from '../../orders/load.ts';
import type { NewEvent } from '../../orders/status/append-events.ts';
import { pathTo } from '../../orders/status/path.ts';
import { progressOfOrder } from '../../orders/status/progress.ts';
import { statusesOf, type LowLevelStatus } from '../../orders/status/table.ts';

/**
 * What an order goes through when results come in: from where it stands, since a report may overtake the carrier and
 * the laboratory's receipt. Null when no way leads there. A kit has no status for partial results, but it is with the
 * laboratory then.
 */
export function statusesAfter(order: LoadedOrder, complete: boolean): NewEvent[] | null {
  const progress = progressOfOrder(order);
  const { method, last } = progress;
  if (last === 'completed' || last === 'corrected') return [{ status: 'corrected' }];
  const hasPartial = statusesOf(method).includes('partial_results');
  const target: LowLevelStatus = complete ? 'completed' : hasPartial ? 'partial_results' : 'delivered_to_lab';
  if (last === target && target === 'partial_results') return [{ status: target }];
  const path = pathTo(progress, target);
  return path.ok ? path.steps.map((status) => ({ status })) : null;
}
