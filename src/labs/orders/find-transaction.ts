import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { loadOrder } from './load.ts';
import { renderTransactionSummary } from './render.ts';
import type { OrderTransactionSummary } from './schemas.ts';

/** An order and its redraws, under one id. */
export async function findOrderTransaction(ctx: TeamCtx, id: string): Promise<Static<typeof OrderTransactionSummary>> {
  const orders = await ctx.db
    .selectFrom('orders')
    .select('id')
    .where('team_id', '=', ctx.team.id)
    .where('order_transaction_id', '=', id)
    .execute();
  // Ids grow with time: the first order, whichever the index brings first. An `order by` would choose another index.
  const [first] = orders.map((order) => order.id).toSorted();
  if (!first) throw notFound('Order transaction');
  const { transaction } = await loadOrder(ctx, first);
  return renderTransactionSummary(ctx.team.id, id, transaction);
}
