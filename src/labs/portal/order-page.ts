import type { SignedCtx } from '../../context.ts';
import type { BrowserResponse } from '../../operation/media.ts';
import { escapeHtml, layout } from '../../operation/html-page.ts';
import { findSender } from '../documents/facts.ts';
import { dayInWords } from '../documents/values-in-words.ts';
import type { ListedOrder, LoadedOrder } from '../orders/load-order.ts';
import { requisitionEvent } from '../orders/requisition-event.ts';
import { isOpen, partsOf, type LowLevelStatus } from '../orders/status/statuses.ts';
import { newestReport } from '../results/newest-report.ts';
import { appointmentCard } from './appointment-card.ts';
import { instructions } from './instructions.ts';
import { card, documentUrl, expiry, link, paragraph, questions, STYLE } from './page-parts.ts';
import type { PortalContext } from './schemas.ts';
import { stepOf } from './steps.ts';

/** Statuses in which the sample is already taken. The page then omits the collection instructions. */
const TAKEN: ReadonlySet<LowLevelStatus> = new Set([
  'transit_lab',
  'problem_in_transit_lab',
  'delivered_to_lab',
  'lab_processing_blocked',
  'draw_completed',
  'partial_results',
]);
const REPORTED: ReadonlySet<LowLevelStatus> = new Set(['completed', 'corrected']);

/**
 * Returns the name of an order on a page. Other people may read a message, and the name of a test can reveal an
 * illness. So a page that is opened from a message does not show the name of the test.
 */
export const nameOf = ({ labTest, row }: ListedOrder, context: PortalContext): string =>
  context === 'launch' ? labTest.name : `Test ordered on ${dayInWords(row.created_at)}`;

export async function orderPage(ctx: SignedCtx, order: LoadedOrder, context: PortalContext): Promise<BrowserResponse> {
  const sender = await findSender(ctx);
  const { low: status, method } = partsOf(order.row.last_status);
  const hasPatient = order.row.patient_details !== null;
  const mayShowResults = context === 'launch';
  const step = stepOf({ status, method, hasPatient, from: sender.name, mayShowResults });
  const isToCome = isOpen(status) && !TAKEN.has(status);
  const body = [
    `<p class="from">From ${escapeHtml(sender.name)}</p>`,
    card(
      step.now,
      paragraph(step.next),
      mayShowResults && REPORTED.has(status) ? await resultsLink(ctx, order) : '',
      parcelLink(order, status),
    ),
    await appointmentCard(ctx, order),
    mayShowResults && isToCome && method === 'walk_in_test' && requisitionEvent(order.events) !== null
      ? card(
          'For the service center',
          paragraph('Show this at the desk.'),
          link(documentUrl(ctx, 'requisition', order.row.id), 'Open your requisition (PDF)', 'plain'),
        )
      : '',
    isToCome ? instructions(order.labTest) : '',
    questions(sender),
    expiry(ctx.signedUntil, Date.now()),
  ];
  return layout(nameOf(order, context), body.filter((part) => part !== '').join('\n'), STYLE);
}

async function resultsLink(ctx: SignedCtx, order: LoadedOrder): Promise<string> {
  if ((await newestReport(ctx, order)) === null) return '';
  return link(documentUrl(ctx, 'result', order.row.id), 'Open your results (PDF)', 'button');
}

/**
 * Returns a link to the carrier's page about the parcel, which brings the kit to the patient or the sample to the
 * laboratory. The patient's browser opens that page, so we send nothing to the carrier.
 */
function parcelLink({ shipment }: LoadedOrder, status: LowLevelStatus): string {
  const url = OUTBOUND.has(status)
    ? shipment?.outbound_tracking_url
    : INBOUND.has(status)
      ? shipment?.inbound_tracking_url
      : null;
  return url && /^https?:\/\//i.test(url) ? link(url, 'Follow the parcel', 'plain') : '';
}

const OUTBOUND: ReadonlySet<LowLevelStatus> = new Set([
  'transit_customer',
  'out_for_delivery',
  'problem_in_transit_customer',
]);
const INBOUND: ReadonlySet<LowLevelStatus> = new Set(['transit_lab', 'problem_in_transit_lab']);
