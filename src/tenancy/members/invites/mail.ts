import type { Ctx, TxCtx } from '../../../context.ts';
import { withdrawMails, writeMail } from '../../../mail/write-mail.ts';
import { endOfLink, signedUrl } from '../../../privacy/signed-link.ts';
import { findOrg } from '../../orgs/find.ts';

/** The kind of document in the URL of an invite. */
const KIND = 'invite';

/**
 * Returns the link with which a person accepts an invite. By default it is valid for seven days. It stops working when
 * the invite is deleted or accepted.
 */
export const inviteUrl = (
  ctx: Pick<Ctx, 'cipher' | 'config'>,
  orgId: string,
  { id, expires = endOfLink(Date.now()) }: { id: string; expires?: number },
): string => signedUrl(ctx, KIND, { team_id: orgId, id, expires });

/** Writes the mail of an invite, with a new link, to the outbox. Throws limit_reached and too_many_mails. */
export async function mailInvite(ctx: TxCtx, orgId: string, invite: { id: string; email: string }): Promise<void> {
  const name = (await findOrg(ctx, orgId)).name || 'An organisation'; // The name may be an empty string.
  const expires = endOfLink(Date.now());
  const text = [
    `${name} invites you to its organisation at ${new URL(ctx.config.baseUrl).host}.`,
    '',
    'Open this link to read the invite and to accept it. The link is valid for seven days:',
    '',
    inviteUrl(ctx, orgId, { id: invite.id, expires }),
    '',
    'If you do not know the sender, do nothing: nobody joins without opening the link.',
    '',
  ].join('\n');
  await withdrawMails(ctx, invite.id); // An unsent mail with an older link may exist. We withdraw it.
  await writeMail(ctx, {
    org_id: orgId,
    about: invite.id,
    expires,
    letter: { to: invite.email, subject: `${name} invites you`, text },
  });
}
