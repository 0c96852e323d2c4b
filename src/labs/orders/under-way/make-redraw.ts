import type { TeamCtx, TxCtx } from '../../../context.ts';
import { insertOrder, type RepeatedOrigin } from '../create/insert-order.ts';
import type { LoadedOrder } from '../load-order.ts';
import { personalOf } from '../sealed.ts';
import { requisitionStatus } from '../send-out.ts';

/**
 * Creates a redraw: an order that repeats `order` with a new sample, in the same order transaction. An order has at
 * most one redraw, so a second call creates nothing. Returns the repeated order; its order transaction includes the
 * redraw. The caller holds the lock on the repeated order.
 */
export async function makeRedraw(ctx: TxCtx<TeamCtx>, order: LoadedOrder): Promise<LoadedOrder> {
  if (repetitionOf(order) !== null) return order;
  const redraw = await repeatOrder(ctx, order, 'redraw');
  return { ...order, transaction: redraw.transaction };
}

/** Returns the id of the order that repeats this order, or null if there is none. */
export const repetitionOf = ({ row, transaction }: LoadedOrder): string | null =>
  transaction.find(({ parent_id }) => parent_id === row.id)?.id ?? null;

/**
 * Creates an order with the same patient, lab test and billing, in the same order transaction. We publish it like every
 * new order. If nobody has registered the kit, the new kit waits for its registration too. The caller holds the lock on
 * the repeated order.
 */
export function repeatOrder(ctx: TxCtx<TeamCtx>, order: LoadedOrder, origin: RepeatedOrigin): Promise<LoadedOrder> {
  const { row } = order;
  return insertOrder(ctx, {
    user_id: row.user_id,
    lab_test_id: row.lab_test_id,
    method: row.method,
    repeated: { order, origin },
    ...personalOf(row),
    health_insurance_id: row.health_insurance_id,
    lab_account_id: row.lab_account_id,
    billing_type: row.billing_type,
    priority: row.priority,
    ...(row.patient_details === null && row.shipping_details
      ? { statuses: ['ordered', 'awaiting_registration'], sentTo: row.shipping_details.state }
      : { statuses: ['ordered', requisitionStatus(order.lab.connection)] }),
  });
}
