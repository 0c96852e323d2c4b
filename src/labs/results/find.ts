import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { loadOrder } from '../orders/load.ts';
import { renderOrder } from '../orders/render.ts';
import { newestReport } from './newest-report.ts';
import type { LabResults } from './schemas.ts';

/** The newest report of an order. */
export async function findResults(ctx: TeamCtx, orderId: string): Promise<Static<typeof LabResults>> {
  const order = await loadOrder(ctx, orderId);
  const report = await newestReport(ctx, order);
  if (!report) throw notAvailable('The laboratory has not reported results for this order yet.');
  const { metadata, results, missing_results, sample_information } = report;
  return {
    metadata,
    results,
    missing_results,
    sample_information,
    order_transaction: renderOrder(order, 'minimum').order_transaction,
  };
}

export const notAvailable = (what: string): AppError =>
  new AppError('results_not_available', `${what} An event labtest.order.updated tells when it has.`);
