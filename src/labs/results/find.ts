import type { TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { loadOrder } from '../orders/load.ts';
import { renderOrder } from '../orders/render.ts';
import { isCorrected, namesOf, type FoundResults } from './found-results.ts';
import { newestReport } from './newest-report.ts';

/** The newest report of an order. */
export async function findResults(ctx: TeamCtx, orderId: string): Promise<FoundResults> {
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
    is_corrected: isCorrected(report, order.events),
    withdrawn: namesOf(report.withdrawn),
  };
}

export const notAvailable = (what: string): AppError =>
  new AppError('results_not_available', `${what} An event labtest.order.updated tells when it has.`);
