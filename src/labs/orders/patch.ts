import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError } from '../../errors.ts';
import { findOrderRow, loadOrder, type LoadedOrder } from './load.ts';
import type { OrderPatch } from './schemas.ts';

/** Changes the day on which an order becomes active, while nothing of it has left yet. */
export function patchOrder(ctx: TeamCtx, orderId: string, patch: Static<typeof OrderPatch>): Promise<LoadedOrder> {
  return inTransaction(ctx, async (ctx) => {
    const row = await findOrderRow(ctx, orderId, 'for update');
    // A kit registered on its way is received again by its status.
    const { events } = await loadOrder(ctx, orderId);
    if (events.some((event) => !event.status.startsWith('received.'))) {
      throw new AppError(
        'order_not_changeable',
        `This order is under way or has ended (${row.last_low_level_status}): activate_by cannot change any more.`,
      );
    }
    await ctx.db
      .updateTable('orders')
      .set({
        activate_by: patch.activate_by,
        updated_at: sql<string>`greatest(date_trunc('milliseconds', clock_timestamp()), updated_at + interval '1 millisecond')`,
      })
      .where('user_id', '=', row.user_id)
      .where('id', '=', orderId)
      .execute();
    return loadOrder(ctx, orderId);
  });
}
