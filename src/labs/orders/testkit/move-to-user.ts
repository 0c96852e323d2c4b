import type { TeamCtx, TxCtx } from '../../../context.ts';
import { changeOrder } from '../change-order.ts';
import type { LoadedOrder } from '../load-order.ts';

/**
 * Moves an order to another user of the team, because its user has handed the kit on to that person. Foreign keys move
 * all rows that belong to the order. Two values refer to the former user, so we remove them: the address to which the
 * kit was sent, and passthrough, in which the customer may have noted the user.
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
