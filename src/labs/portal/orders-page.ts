import type { SignedCtx } from '../../context.ts';
import type { BrowserResponse } from '../../operation/media.ts';
import { escapeHtml, layout } from '../../operation/html-page.ts';
import { findSender } from '../documents/facts.ts';
import { listOrders } from '../orders/list/list.ts';
import type { ListedOrder } from '../orders/load-order.ts';
import { partsOf } from '../orders/status/statuses.ts';
import { KIND } from './create-url.ts';
import { nameOf } from './order-page.ts';
import { documentUrl, expiry, paragraph, questions, STYLE } from './page-parts.ts';
import type { PortalContext } from './schemas.ts';
import { stepOf } from './steps.ts';

/** The number of orders on the page. Further orders are old, and would make the page too long for a phone. */
const MAX_SHOWN = 20;

/**
 * Returns a page with the newest orders of a user. Each order has a link to its own page. These links expire together
 * with this page.
 */
export async function ordersPage(
  ctx: SignedCtx,
  user: { id: string },
  context: PortalContext,
): Promise<BrowserResponse> {
  const sender = await findSender(ctx);
  const { orders, total } = await listOrders(ctx, { user_id: user.id, page: 1, size: MAX_SHOWN });
  const item = (order: ListedOrder): string => {
    const { low: status, method } = partsOf(order.row.last_status);
    const hasPatient = order.row.patient_details !== null;
    const { now } = stepOf({ status, method, hasPatient, from: sender.name, mayShowResults: context === 'launch' });
    const url = documentUrl(ctx, KIND[context], order.row.id);
    return (
      `<a class="order" href="${escapeHtml(url)}" ` +
      `rel="nofollow"><strong>${escapeHtml(nameOf(order, context))}</strong><span>${escapeHtml(now)}</span></a>`
    );
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
