import type { TeamCtx, TxCtx } from '../../context.ts';
import { newId } from '../../ids.ts';
import { fullStatus, type CollectionMethod } from './status/table.ts';

type NewOrder = {
  user_id: string;
  lab_test_id: string;
  method: CollectionMethod;
  shipping_details: object | null;
  passthrough?: string | null | undefined;
};

/** The row of a new order in a transaction of its own; appendOrderEvents gives it its first event next. */
export async function insertOrder(
  ctx: TxCtx<TeamCtx>,
  order: NewOrder,
): Promise<{ id: string; user_id: string; method: CollectionMethod }> {
  const team_id = ctx.team.id;
  const transaction = { user_id: order.user_id, id: newId(), team_id };
  await ctx.db.insertInto('order_transactions').values(transaction).execute();
  const row = await ctx.db
    .insertInto('orders')
    .values({
      user_id: order.user_id,
      id: newId(),
      team_id,
      order_transaction_id: transaction.id,
      origin: 'initial',
      lab_test_id: order.lab_test_id,
      details_id: newId(),
      method: order.method,
      shipping_details: order.shipping_details && JSON.stringify(order.shipping_details),
      passthrough: order.passthrough ?? null,
      last_status: fullStatus(order.method, 'ordered'),
      last_low_level_status: 'ordered',
    })
    .returning(['id', 'user_id'])
    .executeTakeFirstOrThrow();
  return { ...row, method: order.method };
}
