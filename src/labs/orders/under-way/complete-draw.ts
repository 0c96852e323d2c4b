import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { lockOrder, type LoadedOrder } from '../load.ts';
import { appendOrderEvents } from '../status/append-events.ts';
import { progressOfOrder } from '../status/progress.ts';
import { advance } from '../status/rules.ts';

/** The sample was drawn, at home or on site; told once, however often it is said. Throws draw_not_expected. */
export function completeDraw(ctx: TeamCtx, orderId: string): Promise<LoadedOrder> {
  return inTransaction(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    if (order.row.last_low_level_status === 'draw_completed') return order;
    if (!advance(progressOfOrder(order), 'draw_completed')) {
      throw new AppError('draw_not_expected', `No sample is drawn of this order now: it is ${order.row.last_status}.`);
    }
    return appendOrderEvents(ctx, order, [{ status: 'draw_completed' }]);
  });
}
