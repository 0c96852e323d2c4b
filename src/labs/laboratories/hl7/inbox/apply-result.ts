import type { TeamCtx, TxCtx } from '../../../../context.ts';
import { lockOrderIfPresent, type LoadedOrder } from '../../../orders/load.ts';
import { pathTo } from '../../../orders/status/path.ts';
import { progressOfOrder } from '../../../orders/status/progress.ts';
import { advance } from '../../../orders/status/rules.ts';
import { documentAlone } from '../../../results/document-alone.ts';
import { keepDocument } from '../../../results/storing/keep-document.ts';
import { storeReport } from '../../../results/store-report.ts';
import type { LabReport } from '../../../results/report.ts';
import { applyNews } from '../../apply-news.ts';
import type { LabNews } from '../../news.ts';
import type { ReadResult } from '../messages/read-result.ts';
import { ResultProblem } from '../messages/result-problem.ts';
import type { MatchedOrder } from './find-order.ts';
import { keepNumbers } from './keep-numbers.ts';

/** Gives an order what a laboratory told of it, in the caller's transaction. `leftOut`: its document is not kept with the order. */
export async function applyResult(
  ctx: TxCtx<TeamCtx>,
  matched: MatchedOrder,
  result: ReadResult,
): Promise<{ leftOut: boolean }> {
  const { report, isReceipt, rejected, hasDocument, document } = result;
  const noMore = { leftOut: hasDocument };
  const order = await lockOrderIfPresent(ctx, matched.order_id);
  if (!order) throw new ResultProblem('user_scheduled_for_deletion');
  refuseOtherPatient(order, report);
  await keepNumbers(ctx, matched, result);
  const trouble = rejected.map((code) => TROUBLES[code]).find((known) => known !== undefined);
  if (trouble !== undefined && !hasValues(report)) {
    await walk(ctx, order, trouble);
    return noMore;
  }
  if (report === null) {
    if (isReceipt && order.row.method === 'testkit') await walk(ctx, order, { status: 'delivered_to_lab' });
    return noMore;
  }
  const alone = hasDocument && report.observations.length === 0 ? await documentAlone(ctx, order, report) : null;
  if (alone === 'values') throw new ResultProblem('document_without_values');
  if (alone !== 'nothing') {
    const { outcome } = await storeReport(ctx, order, report);
    if (outcome === 'impossible') throw new ResultProblem('order_ended');
  }
  return document !== null && (await keepDocument(ctx, order, { report, document })) ? { leftOut: false } : noMore;
}

const hasValues = (report: LabReport | null): boolean =>
  (report?.observations ?? []).some(({ status }) => status !== 'not_obtained' && status !== 'withdrawn');

/** Why a sample was rejected (SPM-21, HL7 table 0490), as far as an order has a word for it. */
const TROUBLES: Readonly<Record<string, LabNews>> = {
  QS: { status: 'sample_error', status_detail: 'sample_quantity_not_sufficient' },
  RN: { status: 'sample_error', status_detail: 'sample_contaminated' },
  RH: { status: 'sample_error', status_detail: 'sample_hemolyzed' },
  EX: { status: 'sample_error', status_detail: 'sample_stability_exceeded' },
  RR: { status: 'sample_error', status_detail: 'sample_stability_exceeded' },
  RC: { status: 'sample_error', status_detail: 'sample_improper_collection' },
  RD: { status: 'lab_processing_blocked', status_detail: 'date_of_collection_unspecified' },
  RA: { status: 'lab_processing_blocked', status_detail: 'demographic_information_unspecified' },
  RE: { status: 'lab_processing_blocked', status_detail: 'demographic_information_unspecified' },
  RS: { status: 'lab_processing_blocked', status_detail: 'demographic_information_mismatch' },
};

/** To a status by all that stand before it: the laboratory may tell of a sample before its carrier does. */
async function walk(ctx: TxCtx<TeamCtx>, locked: LoadedOrder, news: LabNews): Promise<void> {
  const progress = progressOfOrder(locked);
  if (progress.last === news.status) return;
  const path = pathTo(progress, news.status);
  // What was past that before stays there: the message came late.
  if (!path.ok) return;
  let order = locked;
  for (const status of path.steps) {
    if (!advance(progressOfOrder(order), status)) return;
    order = await applyNews(ctx, order, status === news.status ? news : { status });
  }
}

/** A number that was mistyped leads to somebody else's order: the date of birth has to be the patient's. */
function refuseOtherPatient({ row }: LoadedOrder, report: LabReport | null): void {
  const told = report?.patient?.dob ?? null;
  if (told !== null && row.patient_details !== null && row.patient_details.dob !== told)
    throw new ResultProblem('other_patient');
}
