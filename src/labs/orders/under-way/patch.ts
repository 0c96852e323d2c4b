import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { changeOrder } from '../change.ts';
import { lockOrder, type LoadedOrder } from '../load.ts';
import type { OrderPatch } from '../schemas.ts';
import { progressOfOrder } from '../status/progress.ts';
import { canReschedule } from '../status/rules.ts';
import { activateIfDue } from './activate.ts';

/**
 * Changes the day on which an order becomes active, while nothing of it has left yet; one whose day has come moves on. null is taken as long
 * as the order is received. Throws order_not_changeable.
 */
export function patchOrder(ctx: TeamCtx, orderId: string, patch: Static<typeof OrderPatch>): Promise<LoadedOrder> {
  return inTransaction(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    if (!canReschedule(progressOfOrder(order), patch.activate_by)) {
      throw new AppError(
        'order_not_changeable',
        `This order is under way or has ended (${order.row.last_low_level_status}): activate_by cannot change any more.`,
      );
    }
    return activateIfDue(ctx, await changeOrder(ctx, order, { activate_by: patch.activate_by }));
  });
}
