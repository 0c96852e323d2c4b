import type { OrgSignedCtx } from '../../../context.ts';
import type { BrowserAnswer } from '../../../http/media.ts';
import { invitePage, memberPage } from './invite-page.ts';
import { findOpenInvite, isAccepted } from './find-open-invite.ts';

/** Shows who invites and to what. Nothing happens by looking: previews of mail open every link. Throws link_refused. */
export async function openInvite(ctx: OrgSignedCtx): Promise<BrowserAnswer> {
  if (await isAccepted(ctx)) return memberPage(ctx);
  return invitePage(ctx, await findOpenInvite(ctx), { problem: null });
}
