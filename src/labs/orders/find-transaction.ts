import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { loadOrder, loadOrders, type LoadedOrder } from './load-order.ts';
import { renderTransactionSummary } from './render.ts';
import type { OrderTransactionSummary } from './schemas.ts';

/** Finds an order transaction: an order and its redraws (repetitions with a new sample), under one id. */
export async function findOrderTransaction(ctx: TeamCtx, id: string): Promise<Static<typeof OrderTransactionSummary>> {
  const [first] = await idsOf(ctx, id);
  const { transaction } = await loadOrder(ctx, first);
  return renderTransactionSummary(ctx.team.id, id, transaction);
}

/** Loads all orders of a transaction with all their fields, oldest first. */
export async function loadTransaction(ctx: TeamCtx, id: string): Promise<[LoadedOrder, ...LoadedOrder[]]> {
  const [first, ...others] = await idsOf(ctx, id);
  return [await loadOrder(ctx, first), ...(await loadOrders(ctx, others))];
}

async function idsOf(ctx: TeamCtx, id: string): Promise<[string, ...string[]]> {
  const found = await ctx.db
    .selectFrom('orders')
    .select('id')
    .where('team_id', '=', ctx.team.id)
    .where('order_transaction_id', '=', id)
    .execute();
  // We sort by id here, because newer orders have greater ids. With an `order by` in the statement, PostgreSQL would
  // choose a different, slower index.
  const [first, ...others] = found.map((order) => order.id).toSorted();
  if (!first) throw notFound('Order transaction');
  return [first, ...others];
}
