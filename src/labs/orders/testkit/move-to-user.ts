import type { TeamCtx, TxCtx } from '../../../context.ts';
import { changeOrder } from '../change.ts';
import type { LoadedOrder } from '../load.ts';

/**
 * A kit was handed on within the team: everything of the order goes to its new user by the foreign keys. What names
 * the former user stays behind: where the kit was sent to, and the customer's note of whose order it was.
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
