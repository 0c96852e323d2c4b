import type { SignedCtx } from '../../context.ts';
import type { BrowserAnswer } from '../../http/media.ts';
import { escapeHtml, layout } from '../../http/page.ts';
import { findSender } from '../documents/facts.ts';
import { dayInWords } from '../documents/words.ts';
import type { ListedOrder, LoadedOrder } from '../orders/load.ts';
import { requisitionEvent } from '../orders/requisition.ts';
import { isOpen, partsOf, type LowLevelStatus } from '../orders/status/table.ts';
import { newestReport } from '../results/newest-report.ts';
import { appointmentCard } from './appointment.ts';
import { instructions } from './instructions.ts';
import { card, documentUrl, expiry, link, paragraph, questions, STYLE } from './parts.ts';
import type { PortalContext } from './schemas.ts';
import { stepOf } from './steps.ts';

/** From which on how a sample is collected is no question any more. */
const TAKEN: ReadonlySet<LowLevelStatus> = new Set([
  'transit_lab',
  'problem_in_transit_lab',
  'delivered_to_lab',
  'lab_processing_blocked',
  'draw_completed',
  'partial_results',
]);
const REPORTED: ReadonlySet<LowLevelStatus> = new Set(['completed', 'corrected']);

/** What an order is called where it may be read along: a test can tell what somebody is tested for. */
export const nameOf = ({ labTest, row }: ListedOrder, context: PortalContext): string =>
  context === 'launch' ? labTest.name : `Test ordered on ${dayInWords(row.created_at)}`;

/** Where one order stands. */
export async function orderPage(ctx: SignedCtx, order: LoadedOrder, context: PortalContext): Promise<BrowserAnswer> {
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

/** Of the kit while it comes, and of the sample while it goes. Carriers are asked by the reader's own browser. */
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
