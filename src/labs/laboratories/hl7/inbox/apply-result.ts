import type { TeamCtx, TxCtx } from '../../../../context.ts';
import { lockOrderIfPresent, type LoadedOrder } from '../../../orders/load-order.ts';
import { pathTo } from '../../../orders/status/steps-to-status.ts';
import { progressOfOrder } from '../../../orders/status/order-progress.ts';
import { advance } from '../../../orders/status/status-rules.ts';
import { isOpen } from '../../../orders/status/statuses.ts';
import { classifyDocumentReport } from '../../../results/document-alone.ts';
import { storeDocument } from '../../../results/storing/store-document.ts';
import { deferralOf, rejectionOf } from '../../../results/storing/rejected-samples.ts';
import { storeReport } from '../../../results/store-report.ts';
import type { LabReport } from '../../../results/lab-report.ts';
import { receiveReport } from '../../../results/unmatched/receive-report.ts';
import { applyLabUpdate } from '../../apply-lab-update.ts';
import type { LabUpdate } from '../../lab-update.ts';
import type { ReadResult } from '../messages/read-result.ts';
import { ResultProblem } from '../messages/result-problem.ts';
import { refuseOtherPatient } from './check-patient.ts';
import type { MatchedOrder } from './find-order.ts';
import { storeNumbers } from '../store-numbers.ts';
import { ownProperty } from '../../../../wire/own-property.ts';

/**
 * What happened to a result that we applied, if its values did not all become the newest of its order. `unmatched`: the
 * order has ended, and its team decides about the result. `order_ended`: the order has ended and the report has no
 * values, so there is nothing to decide. `superseded`: a value is older than the stored value, so we store it as
 * history. `document_left_out`: we did not store the document.
 */
export type Note = 'unmatched' | 'order_ended' | 'superseded' | 'document_left_out';

/** Applies a result to its order, in the caller's transaction. */
export async function applyResult(
  ctx: TxCtx<TeamCtx>,
  matched: MatchedOrder,
  result: ReadResult,
): Promise<Note | null> {
  const { report, isReceipt, hasDocument, document } = result;
  const noMore = hasDocument ? 'document_left_out' : null;
  const order = await lockOrderIfPresent(ctx, matched.order_id);
  if (!order) throw new ResultProblem('user_scheduled_for_deletion');
  refuseOtherPatient(order, report?.patient ?? null);
  await storeNumbers(ctx, matched, result);
  if (report === null) {
    if (isReceipt && order.row.method === 'testkit') await advanceOrder(ctx, order, { status: 'delivered_to_lab' });
    return noMore;
  }
  const isAlone = hasDocument && report.observations.length === 0;
  const alone = isAlone
    ? await classifyDocumentReport(ctx, order, { report, isServed: Buffer.isBuffer(document) })
    : null;
  if (alone === 'values') throw new ResultProblem('document_without_values');
  // Only orders of kits have a status for work that is on hold, which means that the laboratory waits for information.
  // Any other order keeps its status, and its results show that the work is on hold.
  const isKit = order.row.method === 'testkit';
  const blocked = isKit ? blockOf(report) : null;
  const shouldRetainStatus = !isKit && isOpen(order.row.last_low_level_status) && isOnlyDeferral(report);
  let superseded = false;
  if (alone !== 'nothing' && (!blocked || hasMoreThanRejection(report))) {
    const stored = await storeReport(ctx, order, report, { shouldRetainStatus });
    if (stored.outcome === 'impossible') return giveToTeam(ctx, order, result);
    superseded = stored.superseded;
  }
  if (blocked) await advanceOrder(ctx, (await lockOrderIfPresent(ctx, matched.order_id)) ?? order, blocked);
  const isStored = document !== null && (await storeDocument(ctx, order, { report, document }));
  return hasDocument && !isStored ? 'document_left_out' : superseded ? 'superseded' : null;
}

/**
 * Gives a result for an ended order to the team, as an unmatched result. The team's people decide what to do with it.
 */
async function giveToTeam(ctx: TxCtx<TeamCtx>, order: LoadedOrder, { report, hasDocument }: ReadResult): Promise<Note> {
  if (report === null || report.observations.every(({ status }) => status === 'not_obtained')) {
    // The report has no readable values. Its document may contain values, but we cannot read them.
    if (hasDocument) throw new ResultProblem('document_without_values');
    return 'order_ended';
  }
  await receiveReport(ctx, { lab_id: order.lab.id, lab_account_id: order.row.lab_account_id, report, order });
  return 'unmatched';
}

/**
 * Why the laboratory puts a kit on hold (SPM-21, HL7 table 0490), with the order update for each reason. Other reasons
 * have no order status.
 */
const BLOCKED: Readonly<Record<string, LabUpdate>> = {
  RD: { status: 'lab_processing_blocked', status_detail: 'date_of_collection_unspecified' },
  RA: { status: 'lab_processing_blocked', status_detail: 'demographic_information_unspecified' },
  RE: { status: 'lab_processing_blocked', status_detail: 'demographic_information_unspecified' },
  RS: { status: 'lab_processing_blocked', status_detail: 'demographic_information_mismatch' },
};

/**
 * Returns the update for a kit on hold. Returns null if the laboratory continues with all tests, or if it has ended one
 * of them.
 */
function blockOf({ tests, observations }: LabReport): LabUpdate | null {
  const hasValue = observations.some(({ status }) => status !== 'not_obtained' && status !== 'withdrawn');
  if (hasValue || !tests?.every(({ status }) => status === 'partial')) return null;
  const codes = tests.flatMap(({ rejected = [] }) => rejected);
  return codes.map((code) => ownProperty(BLOCKED, code)).find((known) => known !== undefined) ?? null;
}

/** Returns whether the report contains more than the rejection of a sample. */
const hasMoreThanRejection = ({ observations, tests }: LabReport): boolean =>
  observations.length > 0 || Boolean(tests?.some(({ notes }) => notes));

/** Returns whether the report says only that the laboratory cannot yet perform the tests because of their samples. */
const isOnlyDeferral = (report: LabReport): boolean =>
  !hasMoreThanRejection(report) &&
  Boolean(report.tests?.every((test) => rejectionOf(test) === null && deferralOf(test) !== null));

/**
 * Moves an order to a status, through all statuses before it. The laboratory may report a sample before the carrier
 * reports its delivery, so the order may lack several statuses.
 */
export async function advanceOrder(ctx: TxCtx<TeamCtx>, locked: LoadedOrder, update: LabUpdate): Promise<void> {
  const progress = progressOfOrder(locked);
  if (progress.last === update.status) return;
  const path = pathTo(progress, update.status);
  // The order has already passed this status, so the message is late.
  if (!path.ok) return;
  let order = locked;
  for (const status of path.steps) {
    if (!advance(progressOfOrder(order), status)) return;
    order = await applyLabUpdate(ctx, order, status === update.status ? update : { status });
  }
}
