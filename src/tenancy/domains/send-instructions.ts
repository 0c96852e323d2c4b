import type { ManagementCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { sendsMail, writeMail } from '../../mail/write-mail.ts';
import { findOrg } from '../orgs/find.ts';
import { findDomain } from './find.ts';
import { proofName } from './render.ts';

/** How long the mail is valid. If it was not sent by then, somebody must request it again. */
const GOOD_FOR_SECONDS = 7 * 24 * 3_600;

/**
 * Writes a mail with the DNS record to the person who manages the DNS of the domain. Returns true if a mail server
 * sends it now. Throws not_found, limit_reached and too_many_mails.
 */
export function sendInstructions(ctx: ManagementCtx, domainId: string, to: string): Promise<boolean> {
  return inTransaction(ctx, async (ctx) => {
    const domain = await findDomain(ctx, domainId);
    const { name } = await findOrg(ctx, ctx.org.id);
    const text = [
      `${name} asks you to prove that ${domain.domain} is its domain at ${new URL(ctx.config.baseUrl).host}.`,
      '',
      'Please add this record to the DNS of the domain:',
      '',
      'Type:  TXT',
      `Name:  ${proofName(domain)}`,
      `Value: ${domain.proof}`,
      '',
      `The record changes nothing for anybody else. You can remove it when ${name} says that the domain is ` +
        'verified.',
      '',
    ].join('\n');
    await writeMail(ctx, {
      org_id: ctx.org.id,
      about: domain.id,
      expires: Math.floor(Date.now() / 1000) + GOOD_FOR_SECONDS,
      letter: { to, subject: `A DNS record for ${domain.domain}`, text },
    });
    return sendsMail(ctx);
  });
}
