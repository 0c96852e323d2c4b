import type { TeamCtx, TxCtx } from '../../../context.ts';
import { insertOrder } from '../create/insert-order.ts';
import type { LoadedOrder } from '../load-order.ts';
import { personalOf } from '../sealed.ts';
import { requisitionStatus } from '../send-out.ts';

/**
 * Creates a redraw: an order that repeats `order` with a new sample, in the same order transaction. The redraw has the
 * same patient, lab test and billing. We publish it like every new order. An order has at most one redraw, so a second
 * call creates nothing. Returns the repeated order; its order transaction includes the redraw. The caller holds the
 * lock on the repeated order.
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
