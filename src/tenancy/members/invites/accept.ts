import type { OrgSignedCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { BrowserAnswer } from '../../../http/media.ts';
import { withdrawMails } from '../../../mail/write-mail.ts';
import { isPlainText, wordsOf } from '../../../wire/text.ts';
import { emailHash, wordHashes } from '../person.ts';
import { acceptedPage, invitePage, memberPage } from './page.ts';
import { findOpenInviteOrNull } from './find-open.ts';

const LONGEST_NAME = 100;

/**
 * Makes the invited person a member under the name they give, and the invite goes: it was counted as a person, so that no
 * limit stands in the way now. The member has its id, by which the link goes on telling that nothing is left to do. A name that cannot be one is told on the page. Throws link_refused.
 */
export function acceptInvite(ctx: OrgSignedCtx, given: string): Promise<BrowserAnswer> {
  return inTransaction(ctx, async (tx) => {
    const invite = await findOpenInviteOrNull(tx);
    if (!invite) return memberPage(ctx);
    const name = given.trim();
    if (name.length > LONGEST_NAME || !isPlainText(name) || wordsOf(name).length === 0) {
      return invitePage(ctx, invite, { problem: `Write your name, in at most ${LONGEST_NAME} letters.` });
    }
    const { id, email, role, team_ids } = invite;
    const { id: org_id } = ctx.org;
    await tx.db.deleteFrom('org_invites').where('org_id', '=', org_id).where('id', '=', id).execute();
    await withdrawMails(tx, id);
    await tx.db
      .insertInto('org_members')
      .values({
        id,
        org_id,
        person: tx.cipher.sealJson('org_members.person', { team_id: org_id, id }, { name, email }),
        email_hash: emailHash(tx, org_id, email),
        words: wordHashes(tx, org_id, `${name} ${email}`),
        role,
        team_ids,
      })
      .execute();
    return acceptedPage(ctx);
  });
}
