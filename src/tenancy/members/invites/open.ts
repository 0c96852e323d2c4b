import type { OrgSignedCtx } from '../../../context.ts';
import type { BrowserAnswer } from '../../../http/media.ts';
import { invitePage, memberPage } from './page.ts';
import { findOpenInviteOrNull } from './find-open.ts';

/** Shows who invites and to what. Nothing happens by looking: previews of mail open every link. Throws link_refused. */
export async function openInvite(ctx: OrgSignedCtx): Promise<BrowserAnswer> {
  const invite = await findOpenInviteOrNull(ctx);
  return invite ? invitePage(ctx, invite, { problem: null }) : memberPage(ctx);
}
