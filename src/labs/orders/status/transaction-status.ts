import type { Sibling } from '../load.ts';
import { isCancelled, isCompleted, isOpen } from './table.ts';

type Standing = Pick<Sibling, 'id' | 'parent_id' | 'last_low_level_status'>;

const NONE: ReadonlySet<string> = new Set();

/**
 * Active while any order of it is open; cancelled when all are; else completed. An order whose sample is to be taken again
 * keeps its status for good: it counts as open until its redraw, or a redraw of that, is completed.
 */
export function transactionStatus(orders: readonly Standing[]): 'active' | 'completed' | 'cancelled' {
  const replaced = orders.length > 1 ? replacedBy(orders) : NONE;
  const isUnderWay = ({ id, last_low_level_status: status }: Standing): boolean =>
    status === 'redraw_available' ? !replaced.has(id) : isOpen(status);
  if (orders.some(isUnderWay)) return 'active';
  return orders.every(({ last_low_level_status: status }) => isCancelled(status)) ? 'cancelled' : 'completed';
}

/** The orders in whose place a completed one stands: its parent, that one's parent, and so on. */
function replacedBy(orders: readonly Standing[]): ReadonlySet<string> {
  const parents = new Map(orders.map(({ id, parent_id }) => [id, parent_id]));
  const replaced = new Set<string>();
  for (const { parent_id, last_low_level_status: status } of orders) {
    let parent = isCompleted(status) ? parent_id : null;
    while (parent && !replaced.has(parent)) {
      replaced.add(parent);
      parent = parents.get(parent) ?? null;
    }
  }
  return replaced;
}
