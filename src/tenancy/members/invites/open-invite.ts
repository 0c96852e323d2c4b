import type { OrgSignedCtx } from '../../../context.ts';
import type { BrowserAnswer } from '../../../http/media.ts';
import { invitePage } from './invite-page.ts';
import { findOpenInvite } from './find-open-invite.ts';

/** Shows who invites and to what. Nothing happens by looking: previews of mail open every link. Throws link_refused. */
export async function openInvite(ctx: OrgSignedCtx): Promise<BrowserAnswer> {
  return invitePage(ctx, await findOpenInvite(ctx), { problem: null });
}
