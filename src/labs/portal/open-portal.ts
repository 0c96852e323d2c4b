import type { SignedCtx, TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import type { BrowserResponse } from '../../operation/media.ts';
import { linkRefused } from '../../privacy/signed-link.ts';
import { findUser } from '../../users/find.ts';
import { loadOrder, type LoadedOrder } from '../orders/load-order.ts';
import { orderPage } from './order-page.ts';
import { ordersPage } from './orders-page.ts';
import type { PortalContext } from './schemas.ts';

/**
 * Returns the page to which a link leads: one order, or all orders of a user. Throws link_refused if the order or the
 * user does not exist.
 */
export async function openPortal(ctx: SignedCtx, context: PortalContext): Promise<BrowserResponse> {
  if (ctx.team.settings.patient_experience === false) throw linkRefused();
  try {
    const order = await orderOrNull(ctx, ctx.signedId);
    return order
      ? await orderPage(ctx, order, context)
      : await ordersPage(ctx, await findUser(ctx, ctx.signedId), context);
  } catch (error) {
    if (error instanceof AppError && error.code !== 'not_ready') throw linkRefused();
    throw error;
  }
}

async function orderOrNull(ctx: TeamCtx, id: string): Promise<LoadedOrder | null> {
  try {
    return await loadOrder(ctx, id);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null;
    throw error;
  }
}
