import type { ManagementCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { sendsMail, writeMail } from '../../mail/write-mail.ts';
import { findOrg } from '../orgs/find.ts';
import { findDomain } from './find.ts';
import { proofName } from './render.ts';

/** A domain that nobody has verified by then is asked for anew. */
const GOOD_FOR_SECONDS = 7 * 24 * 3_600;

/** Writes to whoever looks after the DNS of a domain what to add there; true where the mail is on its way. Throws not_found, limit_reached, too_many_mails. */
export function sendInstructions(ctx: ManagementCtx, domainId: string, to: string): Promise<boolean> {
  return inTransaction(ctx, async (ctx) => {
    const domain = await findDomain(ctx, domainId);
    const { name } = await findOrg(ctx, ctx.org.id);
    const text = [
      `${name} asks you to show that ${domain.domain} is its domain at ${new URL(ctx.config.baseUrl).host}.`,
      '',
      'Please add this record to the DNS of the domain:',
      '',
      'Type:  TXT',
      `Name:  ${proofName(domain)}`,
      `Value: ${domain.proof}`,
      '',
      `It changes nothing for anybody else, and can be taken out again once ${name} says that the domain is verified.`,
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
