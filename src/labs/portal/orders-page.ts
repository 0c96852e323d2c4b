import type { SignedCtx } from '../../context.ts';
import type { BrowserAnswer } from '../../http/media.ts';
import { escapeHtml, layout } from '../../http/page.ts';
import { findSender } from '../documents/facts.ts';
import { listOrders } from '../orders/list/list.ts';
import type { ListedOrder } from '../orders/load.ts';
import { partsOf } from '../orders/status/table.ts';
import { KIND } from './create-url.ts';
import { nameOf } from './order-page.ts';
import { documentUrl, expiry, paragraph, questions, STYLE } from './parts.ts';
import type { PortalContext } from './schemas.ts';
import { stepOf } from './steps.ts';

/** More would make a page of a phone long, and are old. */
const MOST_SHOWN = 20;

/** The newest orders of a user, each a link to its own page, which ends with this one. */
export async function ordersPage(ctx: SignedCtx, user: { id: string }, context: PortalContext): Promise<BrowserAnswer> {
  const sender = await findSender(ctx);
  const { orders, total } = await listOrders(ctx, { user_id: user.id, page: 1, size: MOST_SHOWN });
  const item = (order: ListedOrder): string => {
    const { low: status, method } = partsOf(order.row.last_status);
    const hasPatient = order.row.patient_details !== null;
    const { now } = stepOf({ status, method, hasPatient, from: sender.name, mayShowResults: context === 'launch' });
    const url = documentUrl(ctx, KIND[context], order.row.id);
    return `<a class="order" href="${escapeHtml(url)}" rel="nofollow"><strong>${escapeHtml(nameOf(order, context))}</strong><span>${escapeHtml(now)}</span></a>`;
  };
  const body = [
    `<p class="from">From ${escapeHtml(sender.name)}</p>`,
    ...(orders.length === 0 ? [paragraph('There is no test here yet.')] : orders.map(item)),
    total > orders.length ? paragraph(`Older tests are not shown here. Ask ${sender.name} for them.`) : '',
    questions(sender),
    expiry(ctx.signedUntil, Date.now()),
  ];
  return layout('Your tests', body.filter((part) => part !== '').join('\n'), STYLE);
}
