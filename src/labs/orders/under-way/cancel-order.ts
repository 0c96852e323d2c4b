import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { lockOrder, type LoadedOrder } from '../load-order.ts';
import { appendOrderEvents } from '../status/append-events.ts';
import { progressOfOrder } from '../status/order-progress.ts';
import { canCancel } from '../status/status-rules.ts';
import { isCancelled } from '../status/statuses.ts';

/**
 * Cancels an order if its status allows it. If the order is cancelled already, nothing changes and alreadyCancelled is
 * true.
 */
export function cancelOrder(ctx: TeamCtx, orderId: string): Promise<{ order: LoadedOrder; alreadyCancelled: boolean }> {
  return inTransaction(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    if (isCancelled(order.row.last_low_level_status)) return { order, alreadyCancelled: true };
    if (!canCancel(progressOfOrder(order))) {
      throw new AppError(
        'order_not_cancellable',
        `This order cannot be cancelled, because its status is ${order.row.last_status}.`,
      );
    }
    await ctx.db
      .deleteFrom('simulations')
      .where('user_id', '=', order.row.user_id)
      .where('order_id', '=', order.row.id)
      .execute();
    return { order: await appendOrderEvents(ctx, order, [{ status: 'cancelled' }]), alreadyCancelled: false };
  });
}
