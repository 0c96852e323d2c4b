import type { TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { loadOrder, type LoadedOrder } from '../orders/load-order.ts';
import { renderTransaction } from '../orders/render.ts';
import { isCorrected, missingOf, namesOf, type FoundResults } from './found-results.ts';
import { newestReport } from './newest-report.ts';

/** Finds the newest report of an order. */
export const findResults = async (ctx: TeamCtx, orderId: string): Promise<FoundResults> =>
  resultsOf(ctx, await loadOrder(ctx, orderId));

/** Like `findResults`, for an order that the caller has loaded. Throws results_not_available. */
export async function resultsOf(ctx: TeamCtx, order: LoadedOrder): Promise<FoundResults> {
  const report = await newestReport(ctx, order);
  if (!report) throw notAvailable('The laboratory has not reported results for this order yet.');
  const { metadata, results, missing_results, sample_information } = report;
  return {
    metadata,
    results,
    missing_results: [...missing_results, ...report.withdrawn.map(missingOf)],
    sample_information,
    order_transaction: renderTransaction(order),
    has_results_in_review: order.inReview,
    is_corrected: isCorrected(report, order.events),
    withdrawn: namesOf(report.withdrawn),
  };
}

export const notAvailable = (what: string): AppError =>
  new AppError('results_not_available', `${what} An event labtest.order.updated follows when it has.`);
