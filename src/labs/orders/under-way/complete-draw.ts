import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { lockOrder, type LoadedOrder } from '../load-order.ts';
import { appendOrderEvents } from '../status/append-events.ts';
import { progressOfOrder } from '../status/order-progress.ts';
import { advance } from '../status/status-rules.ts';

/**
 * Records that the sample was drawn, at the patient's home or at a site. A second call changes nothing. Throws
 * draw_not_expected.
 */
export function completeDraw(ctx: TeamCtx, orderId: string): Promise<LoadedOrder> {
  return inTransaction(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    if (order.row.last_low_level_status === 'draw_completed') return order;
    if (!advance(progressOfOrder(order), 'draw_completed')) {
      throw new AppError('draw_not_expected', `This order expects no draw: its status is ${order.row.last_status}.`);
    }
    return appendOrderEvents(ctx, order, [{ status: 'draw_completed' }]);
  });
}
