import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { loadOrder } from '../orders/load.ts';
import { renderOrder } from '../orders/render.ts';
import type { LabResults } from './schemas.ts';
import { openReport } from './sealed.ts';

/** The newest report of an order. */
export async function findResults(ctx: TeamCtx, orderId: string): Promise<Static<typeof LabResults>> {
  const order = await loadOrder(ctx, orderId);
  const report = await ctx.db
    .selectFrom('lab_results')
    .select(['team_id', 'order_id', 'version', 'metadata', 'results', 'missing_results', 'sample_information'])
    .where('user_id', '=', order.row.user_id)
    .where('order_id', '=', order.row.id)
    .where('team_id', '=', ctx.team.id)
    .orderBy('version', 'desc')
    .executeTakeFirst();
  if (!report) {
    throw new AppError(
      'results_not_available',
      'The laboratory has not reported results for this order yet. An event labtest.order.updated tells when it has.',
    );
  }
  const { metadata, results, missing_results, sample_information } = openReport(ctx, report);
  return {
    metadata,
    results,
    missing_results,
    sample_information,
    order_transaction: renderOrder(order, 'minimum').order_transaction,
  };
}
