import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { lockOrder, type LoadedOrder } from '../load.ts';
import { appendOrderEvents } from '../status/append-events.ts';
import { progressOfOrder } from '../status/progress.ts';
import { canCancel } from '../status/rules.ts';
import { isCancelled } from '../status/table.ts';

/** Cancels an order that its method still lets be cancelled; a second time changes nothing and says so. */
export function cancelOrder(ctx: TeamCtx, orderId: string): Promise<{ order: LoadedOrder; alreadyCancelled: boolean }> {
  return inTransaction(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    if (isCancelled(order.row.last_low_level_status)) return { order, alreadyCancelled: true };
    if (!canCancel(progressOfOrder(order))) {
      throw new AppError(
        'order_not_cancellable',
        `This order can no longer be cancelled: its status is ${order.row.last_status}.`,
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
