import type { TeamCtx } from '../../context.ts';
import { loadTransaction } from '../orders/find-transaction.ts';
import type { LoadedOrder } from '../orders/load-order.ts';
import { renderTransaction } from '../orders/render.ts';
import { notAvailable } from './find.ts';
import { isCorrected, missingOf, namesOf, type FoundResults } from './found-results.ts';
import { worstOf } from './interpretation/interpret.ts';
import type { StoredReport, StoredResult } from './stored-report.ts';
import { newestReport, type NewestReport } from './newest-report.ts';

/**
 * Merges the results of an order and its redraws into one report. For each result, the report has the newest final
 * value, or else the newest preliminary value. If no order has a value, the report lists the result as missing. The
 * `source_sample_id` of a value names its sample, so a reader can see from which order the value is. The report is
 * final when no order of the order transaction is open and the newest of the merged reports is final.
 */
export const findTransactionResults = async (ctx: TeamCtx, id: string): Promise<FoundResults> =>
  resultsOfTransaction(ctx, await loadTransaction(ctx, id));

/** Like `findTransactionResults`, for orders that the caller has loaded, oldest first. Throws results_not_available. */
export async function resultsOfTransaction(
  ctx: TeamCtx,
  orders: [LoadedOrder, ...LoadedOrder[]],
): Promise<FoundResults> {
  const reports: NewestReport[] = [];
  for (const order of orders) {
    const report = await newestReport(ctx, order);
    if (report) reports.push(labelled(report));
  }
  const [newest] = reports.toSorted((a, b) => (a.metadata.date_reported > b.metadata.date_reported ? -1 : 1));
  if (!newest) throw notAvailable('The laboratory has not reported results for an order of this transaction yet.');
  const { results, missing_results, withdrawn } = combine(reports);
  const transaction = renderTransaction(orders[0]);
  return {
    metadata: {
      ...newest.metadata,
      status: transaction.status === 'active' || newest.status !== 'final' ? 'partial' : 'final',
      interpretation: worstOf(results.map(({ interpretation }) => interpretation)),
    },
    results,
    missing_results,
    sample_information: Object.fromEntries(reports.flatMap((report) => Object.entries(report.sample_information))),
    order_transaction: transaction,
    has_results_in_review: orders.some(({ inReview }) => inReview),
    is_corrected: isCorrected(
      { results, withdrawn },
      orders.flatMap(({ events }) => events),
    ),
    withdrawn: namesOf(withdrawn),
  };
}

function labelled(report: NewestReport): NewestReport {
  const sample = report.metadata.specimen_number;
  const results = report.results.map((result) => ({ ...result, source_sample_id: result.source_sample_id ?? sample }));
  return { ...report, results };
}

/**
 * Merges reports into one. `reports` begins with the report of the oldest order. If two values are equally new, the
 * value of the later order wins.
 */
function combine(reports: NewestReport[]): Pick<StoredReport, 'results' | 'missing_results' | 'withdrawn'> {
  const results = new Map<string, StoredResult>();
  for (const result of reports.flatMap((report) => report.results)) {
    const known = results.get(result.key);
    if (!known || wins(result, known)) results.set(result.key, result);
  }
  const withdrawn = reports.flatMap((report) => report.withdrawn).filter(({ key }) => !results.has(key));
  const missing = new Map(
    [...reports.flatMap((report) => report.missing_results), ...withdrawn.map(missingOf)].map((entry) => [
      entry.key,
      entry,
    ]),
  );
  return {
    results: [...results.values()],
    missing_results: [...missing.values()].filter(({ key }) => !results.has(key)),
    withdrawn,
  };
}

function wins(result: StoredResult, known: StoredResult): boolean {
  const [isFinal, wasFinal] = [result.status !== 'partial', known.status !== 'partial'];
  return isFinal === wasFinal ? (result.timestamp ?? '') >= (known.timestamp ?? '') : isFinal;
}
