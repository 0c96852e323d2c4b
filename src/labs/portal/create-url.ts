import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';
import { signedUrl } from '../../privacy/signed-link.ts';
import { findUser } from '../../users/find.ts';
import { loadOrder } from '../orders/load.ts';
import type { PortalContext, PortalUrl, PortalUrlInput } from './schemas.ts';

const HOUR = 3_600;

/** How long a page opens, in seconds: a message is read later than it is sent. */
const GOOD_FOR: Record<PortalContext, number> = { launch: HOUR, communications: 72 * HOUR };

/** The last part but one of the address: what is signed along, so that a link of one context is none of the other. */
export const KIND: Record<PortalContext, string> = { launch: 'portal', communications: 'portal-message' };

/**
 * A link to a page for the user. Throws not_found, also for an order of another user, user_scheduled_for_deletion, and
 * patient_experience_off where the team wants no such pages.
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
