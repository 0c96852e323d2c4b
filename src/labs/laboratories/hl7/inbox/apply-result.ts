import type { TeamCtx, TxCtx } from '../../../../context.ts';
import { lockOrderIfPresent, type LoadedOrder } from '../../../orders/load.ts';
import { pathTo } from '../../../orders/status/path.ts';
import { progressOfOrder } from '../../../orders/status/progress.ts';
import { advance } from '../../../orders/status/rules.ts';
import { isOpen } from '../../../orders/status/table.ts';
import { documentAlone } from '../../../results/document-alone.ts';
import { keepDocument } from '../../../results/storing/keep-document.ts';
import { holdOf, rejectionOf } from '../../../results/storing/rejected-samples.ts';
import { storeReport } from '../../../results/store-report.ts';
import type { LabReport } from '../../../results/report.ts';
import { receiveReport } from '../../../results/unmatched/receive-report.ts';
import { applyNews } from '../../apply-news.ts';
import type { LabNews } from '../../news.ts';
import type { ReadResult } from '../messages/read-result.ts';
import { ResultProblem } from '../messages/result-problem.ts';
import { refuseOtherPatient } from './check-patient.ts';
import type { MatchedOrder } from './find-order.ts';
import { keepNumbers } from './keep-numbers.ts';
import { ownOf } from '../../../../wire/own.ts';

/**
 * What became of a result that was applied, where it is not simply in its order. `unmatched`: the order has ended, and its team
 * decides. `order_ended`: the same of a report without a value, of which there is nothing to decide. `superseded`: something
 * in it is older than what is stored, and is kept behind that. `document_left_out`: its document is not kept with the order.
 */
export type Note = 'unmatched' | 'order_ended' | 'superseded' | 'document_left_out';

/** Gives an order what a laboratory told of it, in the caller's transaction. */
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
  await keepNumbers(ctx, matched, result);
  if (report === null) {
    if (isReceipt && order.row.method === 'testkit') await walk(ctx, order, { status: 'delivered_to_lab' });
    return noMore;
  }
  const isAlone = hasDocument && report.observations.length === 0;
  const alone = isAlone ? await documentAlone(ctx, order, { report, isKept: Buffer.isBuffer(document) }) : null;
  if (alone === 'values') throw new ResultProblem('document_without_values');
  // Only a kit has a status for work that is held up; any other order stays where it is, and its results say so.
  const isKit = order.row.method === 'testkit';
  const blocked = isKit ? blockOf(report) : null;
  const keepsStatus = !isKit && isOpen(order.row.last_low_level_status) && isHeldAlone(report);
  let superseded = false;
  if (alone !== 'nothing' && (!blocked || tellsMore(report))) {
    const stored = await storeReport(ctx, order, report, { keepsStatus });
    if (stored.outcome === 'impossible') return giveToTeam(ctx, order, result);
    superseded = stored.superseded;
  }
  if (blocked) await walk(ctx, (await lockOrderIfPresent(ctx, matched.order_id)) ?? order, blocked);
  const isKept = document !== null && (await keepDocument(ctx, order, { report, document }));
  return hasDocument && !isKept ? 'document_left_out' : superseded ? 'superseded' : null;
}

/** Its people see what came for an order that has ended, and say what becomes of it. */
async function giveToTeam(ctx: TxCtx<TeamCtx>, order: LoadedOrder, { report, hasDocument }: ReadResult): Promise<Note> {
  if (report === null || report.observations.every(({ status }) => status === 'not_obtained')) {
    // A document alone may have values that nobody here can read.
    if (hasDocument) throw new ResultProblem('document_without_values');
    return 'order_ended';
  }
  await receiveReport(ctx, { lab_id: order.lab.id, lab_account_id: order.row.lab_account_id, report, order });
  return 'unmatched';
}

/** Why work on a kit is held up (SPM-21, HL7 table 0490), as far as an order has a word for it. */
const BLOCKED: Readonly<Record<string, LabNews>> = {
  RD: { status: 'lab_processing_blocked', status_detail: 'date_of_collection_unspecified' },
  RA: { status: 'lab_processing_blocked', status_detail: 'demographic_information_unspecified' },
  RE: { status: 'lab_processing_blocked', status_detail: 'demographic_information_unspecified' },
  RS: { status: 'lab_processing_blocked', status_detail: 'demographic_information_mismatch' },
};

/** Null where the laboratory goes on with all of its tests, or has ended one of them. */
function blockOf({ tests, observations }: LabReport): LabNews | null {
  const hasValue = observations.some(({ status }) => status !== 'not_obtained' && status !== 'withdrawn');
  if (hasValue || !tests?.every(({ status }) => status === 'partial')) return null;
  const codes = tests.flatMap(({ rejected = [] }) => rejected);
  return codes.map((code) => ownOf(BLOCKED, code)).find((known) => known !== undefined) ?? null;
}

/** Beside that its sample was rejected. */
const tellsMore = ({ observations, tests }: LabReport): boolean =>
  observations.length > 0 || Boolean(tests?.some(({ notes }) => notes));

/** It says nothing but that something about the samples holds their tests up. */
const isHeldAlone = (report: LabReport): boolean =>
  !tellsMore(report) && Boolean(report.tests?.every((test) => rejectionOf(test) === null && holdOf(test) !== null));

/** To a status by all that stand before it: the laboratory may tell of a sample before its carrier does. */
export async function walk(ctx: TxCtx<TeamCtx>, locked: LoadedOrder, news: LabNews): Promise<void> {
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
