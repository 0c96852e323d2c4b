import type { OrgSignedCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { asksFor, type BrowserResponse } from '../../../operation/media.ts';
import { withdrawMails } from '../../../mail/write-mail.ts';
import { isPlainText, wordsOf } from '../../../wire/text.ts';
import { createSession } from '../../sessions/create-session.ts';
import { isOwnPage } from '../../sessions/own-page.ts';
import { sessionCookie } from '../../sessions/session-cookie.ts';
import { insertMember } from '../insert-member.ts';
import { acceptedPage, invitePage, memberPage } from './invite-page.ts';
import { findOpenInviteOrNull } from './find-open.ts';

const LONGEST_NAME = 100;

type Sender = { accept: string | null; sentFrom: string | null };

/**
 * Makes the invited person a member with the given name, and deletes the invite. It checks no limit, because the limit
 * of members already counts open invites. The member gets the id of the invite, so that the same link later shows that
 * the person is a member. If the name is invalid, the function returns the invite page with the problem. If a browser
 * sent the form of our page, the person is signed in and led to the dashboard. Throws link_refused.
 */
export function acceptInvite(ctx: OrgSignedCtx, given: string, sender: Sender): Promise<BrowserResponse> {
  return inTransaction(ctx, async (tx) => {
    const invite = await findOpenInviteOrNull(tx);
    if (!invite) return memberPage(ctx);
    const name = given.trim();
    if (name.length > LONGEST_NAME || !isPlainText(name) || wordsOf(name).length === 0) {
      return invitePage(ctx, invite, { problem: `Enter your name, with at most ${LONGEST_NAME} letters.` });
    }
    const { id, email, role, team_ids } = invite;
    const { id: org_id } = ctx.org;
    await tx.db.deleteFrom('org_invites').where('org_id', '=', org_id).where('id', '=', id).execute();
    await withdrawMails(tx, id);
    await insertMember(tx, { id, org_id, name, email, role, team_ids });
    if (!isBrowser(sender)) return acceptedPage(ctx);
    const session = await createSession(tx, { org_id, member_id: id, ehr_member_id: null });
    ctx.line?.actor({ kind: 'session', id: session.id, org_id, team_id: null, person_id: id }, [id]);
    return { redirect: '/dashboard', cookie: sessionCookie(ctx, session.token) };
  });
}

/** Programs accept invites too. They ask for no page and need no session. */
const isBrowser = ({ accept, sentFrom }: Sender): boolean => asksFor(accept, 'text/html') && isOwnPage(sentFrom);
