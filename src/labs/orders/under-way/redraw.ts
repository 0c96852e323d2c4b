import type { TeamCtx, TxCtx } from '../../../context.ts';
import { insertOrder } from '../create/insert-order.ts';
import type { LoadedOrder } from '../load.ts';
import { personalOf } from '../sealed.ts';
import { requisitionStatus } from '../send-out.ts';

/**
 * A new order of origin redraw in the transaction of the one it repeats, told as every new order: of the same patient, lab
 * test and billing, with a sample of its own. Of one order there is one; the answer is the order that it repeats, with
 * the redraw beside it. The caller holds that order's lock.
 */
export async function makeRedraw(ctx: TxCtx<TeamCtx>, order: LoadedOrder): Promise<LoadedOrder> {
  const { row, transaction } = order;
  if (transaction.some(({ parent_id }) => parent_id === row.id)) return order;
  const redraw = await insertOrder(ctx, {
    user_id: row.user_id,
    lab_test_id: row.lab_test_id,
    method: row.method,
    redrawOf: order,
    ...personalOf(row),
    health_insurance_id: row.health_insurance_id,
    lab_account_id: row.lab_account_id,
    billing_type: row.billing_type,
    priority: row.priority,
    statuses: ['ordered', requisitionStatus(order.lab.connection)],
  });
  return { ...order, transaction: redraw.transaction };
}
