import type { ManagementCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import { withdrawMails } from '../../mail/write-mail.ts';

/** Deletes a domain and withdraws unsent mails about it. Throws not_found. */
export function deleteDomain(ctx: ManagementCtx, domainId: string): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const deleted = await ctx.db
      .deleteFrom('org_domains')
      .where('org_id', '=', ctx.org.id)
      .where('id', '=', domainId)
      .returning('id')
      .executeTakeFirst();
    if (!deleted) throw notFound('Domain');
    await withdrawMails(ctx, deleted.id);
  });
}
