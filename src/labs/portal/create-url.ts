import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';
import { signedUrl } from '../../privacy/signed-link.ts';
import { findUser } from '../../users/find.ts';
import { loadOrder } from '../orders/load-order.ts';
import type { PortalContext, PortalUrl, PortalUrlInput } from './schemas.ts';

const HOUR = 3_600;

/** Seconds until a link expires. A link in a message is valid for longer, because people read messages later. */
const GOOD_FOR: Record<PortalContext, number> = { launch: HOUR, communications: 72 * HOUR };

/**
 * The kind of a link is a part of its URL, and we sign it with the link. So nobody can change a link for one context
 * into a link for the other.
 */
export const KIND: Record<PortalContext, string> = { launch: 'portal', communications: 'portal-message' };

/**
 * Creates a link to a page for the user. Throws not_found for an unknown user or order, and for an order of another
 * user. Throws user_scheduled_for_deletion, and patient_experience_off if the team has switched these pages off.
 */
export async function createPortalUrl(
  ctx: TeamCtx,
  userId: string,
  { context, order_id }: Static<typeof PortalUrlInput>,
): Promise<Static<typeof PortalUrl>> {
  const user = await findUser(ctx, userId);
  if (order_id && (await loadOrder(ctx, order_id)).row.user_id !== user.id) throw notFound('Order');
  if (ctx.team.settings.patient_experience === false) {
    throw new AppError(
      'patient_experience_off',
      'Your team has no pages for patients: patient_experience is off in its settings.',
    );
  }
  const expires = Math.floor(Date.now() / 1000) + GOOD_FOR[context];
  return {
    url: signedUrl(ctx, KIND[context], { team_id: ctx.team.id, id: order_id ?? user.id, expires }),
    expires_in: GOOD_FOR[context],
  };
}
