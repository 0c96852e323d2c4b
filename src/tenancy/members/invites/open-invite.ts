import type { OrgSignedCtx } from '../../../context.ts';
import type { BrowserResponse } from '../../../operation/media.ts';
import { invitePage, memberPage } from './invite-page.ts';
import { findOpenInviteOrNull } from './find-open.ts';

/**
 * Returns the page that names the organisation and the rights of the invite. Mail programs open every link for a
 * preview, so a GET request accepts nothing. Throws link_refused.
 */
export async function openInvite(ctx: OrgSignedCtx): Promise<BrowserResponse> {
  const invite = await findOpenInviteOrNull(ctx);
  return invite ? invitePage(ctx, invite, { problem: null }) : memberPage(ctx);
}
