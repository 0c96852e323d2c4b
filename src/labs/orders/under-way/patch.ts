import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { changeOrder } from '../change-order.ts';
import { lockOrder, type LoadedOrder } from '../load-order.ts';
import type { OrderPatch } from '../schemas.ts';
import { progressOfOrder } from '../status/order-progress.ts';
import { canReschedule } from '../status/status-rules.ts';
import { activateIfDue } from './activate.ts';

/**
 * Changes the day on which an order becomes active. This is possible only before we send anything about the order. If
 * the new day has come already, the order becomes active at once. Null removes the day. Throws order_not_changeable.
 */
export function patchOrder(ctx: TeamCtx, orderId: string, patch: Static<typeof OrderPatch>): Promise<LoadedOrder> {
  return inTransaction(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    if (!canReschedule(progressOfOrder(order), patch.activate_by)) {
      throw new AppError(
        'order_not_changeable',
        `activate_by cannot change: this order is under way or has ended (${order.row.last_low_level_status}).`,
      );
    }
    return activateIfDue(ctx, await changeOrder(ctx, order, { activate_by: patch.activate_by }));
  });
}
