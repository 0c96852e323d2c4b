import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { loadOrder } from '../orders/load.ts';
import { renderOrder } from '../orders/render.ts';
import type { LabResults } from './schemas.ts';

/** The newest report of an order. */
export async function findResults(ctx: TeamCtx, orderId: string): Promise<Static<typeof LabResults>> {
  const order = await loadOrder(ctx, orderId);
  const report = await ctx.db
    .selectFrom('lab_results')
    .select(['metadata', 'results', 'missing_results', 'sample_information'])
    .where('user_id', '=', order.row.user_id)
    .where('order_id', '=', orderId)
    .where('team_id', '=', ctx.team.id)
    .orderBy('version', 'desc')
    .executeTakeFirst();
  if (!report) {
    throw new AppError(
      'results_not_available',
      'The laboratory has not reported results for this order yet. An event labtest.order.updated tells when it has.',
    );
  }
  return {
    ...(report as Omit<Static<typeof LabResults>, 'order_transaction'>),
    order_transaction: renderOrder(order, 'minimum').order_transaction,
  };
}
