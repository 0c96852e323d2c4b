import type { TeamCtx, TxCtx } from '../../../context.ts';
import { changeOrder } from '../change-order.ts';
import type { LoadedOrder } from '../load-order.ts';

/**
 * Moves an order to another user of the team, to whom its user has given the kit. Foreign keys move all rows that
 * belong to the order. We remove two values that may name the former user: the address to which the kit was sent, and
 * `passthrough`, the customer's own note.
 */
export async function moveToUser(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  user: LoadedOrder['user'],
): Promise<LoadedOrder> {
  await ctx.db
    .updateTable('order_transactions')
    .set({ user_id: user.id })
    .where('user_id', '=', order.row.user_id)
    .where('id', '=', order.row.order_transaction_id)
    .execute();
  const moved = {
    ...order,
    row: { ...order.row, user_id: user.id },
    user: { id: user.id, client_user_id: user.client_user_id },
  };
  return changeOrder(ctx, moved, { shipping_details: null, passthrough: null });
}
