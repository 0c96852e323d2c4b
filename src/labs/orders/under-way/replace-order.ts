import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import type { RepeatedOrigin } from '../create/insert-order.ts';
import { lockOrder, type LoadedOrder } from '../load-order.ts';
import { progressOfOrder } from '../status/order-progress.ts';
import type { LowLevelStatus } from '../status/statuses.ts';
import { repeatOrder, repetitionOf } from './make-redraw.ts';

const KIT_WITH_CUSTOMER: ReadonlySet<LowLevelStatus> = new Set(['with_customer', 'testkit_registered']);

/** The statuses in which an order can be repeated, with the origin of the new order. */
const ORIGINS: Partial<Record<LowLevelStatus, RepeatedOrigin>> = {
  lost: 'recreation',
  failure_to_deliver_to_customer: 'recreation',
  failure_to_deliver_to_lab: 'recreation',
  sample_error: 'redraw',
  redraw_available: 'redraw',
};

/**
 * Orders a replacement kit or a redraw for an order, in the same order transaction. Throws order_not_replaceable, and
 * order_already_replaced.
 */
export function replaceOrder(ctx: TeamCtx, orderId: string): Promise<LoadedOrder> {
  return inTransaction(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    const existing = repetitionOf(order);
    if (existing !== null)
      throw new AppError('order_already_replaced', `This order has a replacement already: order ${existing}.`);
    const origin = originOfReplacement(order);
    if (origin === null)
      throw new AppError(
        'order_not_replaceable',
        `An order with the status ${order.row.last_status} cannot be replaced. A kit can be replaced when it is with ` +
          'the customer (damaged), lost or not delivered, and a sample when the laboratory could not use it.',
      );
    return repeatOrder(ctx, order, origin);
  });
}

/** The statuses in which an order can be replaced. A kit must also be with its customer in the last two of them. */
export const REPLACEABLE: readonly string[] = [...Object.keys(ORIGINS), ...KIT_WITH_CUSTOMER];

function originOfReplacement(order: LoadedOrder): RepeatedOrigin | null {
  const { last_low_level_status: low } = order.row;
  // A kit that is with its customer may be damaged. Nobody but the customer knows it, so its order stays open.
  const isWithCustomer = KIT_WITH_CUSTOMER.has(low) && progressOfOrder(order).leg === 'with_customer';
  return isWithCustomer ? 'recreation' : (ORIGINS[low] ?? null);
}
