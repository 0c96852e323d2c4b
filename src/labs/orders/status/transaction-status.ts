import type { Sibling } from '../load-order.ts';
import { isCancelled, isCompleted, isOpen } from './statuses.ts';

type OrderStanding = Pick<Sibling, 'id' | 'parent_id' | 'last_low_level_status'>;

const NONE: ReadonlySet<string> = new Set();

/**
 * Returns the status of an order transaction, which is an order and its redraws. It is `active` while any of its orders
 * is open, `cancelled` if all are cancelled, and otherwise `completed`. An order that needs a new sample has the status
 * redraw_available forever. It counts as open until its redraw is completed, or a redraw of that redraw.
 */
export function transactionStatus(orders: readonly OrderStanding[]): 'active' | 'completed' | 'cancelled' {
  const replaced = orders.length > 1 ? replacedBy(orders) : NONE;
  const isUnderWay = ({ id, last_low_level_status: status }: OrderStanding): boolean =>
    status === 'redraw_available' ? !replaced.has(id) : isOpen(status);
  if (orders.some(isUnderWay)) return 'active';
  return orders.every(({ last_low_level_status: status }) => isCancelled(status)) ? 'cancelled' : 'completed';
}

/**
 * Returns the ids of the orders that a completed redraw replaces: the order that the redraw repeats, the order that
 * this order repeats, and so on.
 */
function replacedBy(orders: readonly OrderStanding[]): ReadonlySet<string> {
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
