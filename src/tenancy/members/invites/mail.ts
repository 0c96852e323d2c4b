import type { Ctx, TxCtx } from '../../../context.ts';
import { withdrawMails, writeMail } from '../../../mail/write-mail.ts';
import { endOfLink, signedUrl } from '../../../privacy/signed-link.ts';
import { findOrg } from '../../orgs/find.ts';

/** The last part but one of the address of an invite. */
const KIND = 'invite';

/** Where an invite is accepted, for seven days; it opens nothing any more once the invite is deleted or accepted. */
export const inviteUrl = (
  ctx: Pick<Ctx, 'cipher' | 'config'>,
  orgId: string,
  { id, expires = endOfLink(Date.now()) }: { id: string; expires?: number },
): string => signedUrl(ctx, KIND, { team_id: orgId, id, expires });

/** Writes the mail of an invite, with a link that is good from now on. Throws limit_reached, too_many_mails. */
export async function mailInvite(ctx: TxCtx, orgId: string, invite: { id: string; email: string }): Promise<void> {
  const name = (await findOrg(ctx, orgId)).name || 'An organisation'; // it may be empty
  const expires = endOfLink(Date.now());
  const text = [
    `${name} invites you to its organisation at ${new URL(ctx.config.baseUrl).host}.`,
    '',
    'Open this link to see what you are invited to, and to accept. It is good for seven days:',
    '',
    inviteUrl(ctx, orgId, { id: invite.id, expires }),
    '',
    'If you do not know who this is, do nothing: nobody joins without opening the link.',
    '',
  ].join('\n');
  await withdrawMails(ctx, invite.id); // an older link, which waits still
  await writeMail(ctx, {
    org_id: orgId,
    about: invite.id,
    expires,
    letter: { to: invite.email, subject: `${name} invites you`, text },
  });
}
