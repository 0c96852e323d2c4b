import type { ManagementCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { notFound } from '../../../errors.ts';
import { withdrawMails } from '../../../mail/write-mail.ts';

/** Deletes an invite. Its links stop working, and its unsent mail is withdrawn. Throws not_found. */
export function deleteInvite(ctx: ManagementCtx, inviteId: string): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const deleted = await ctx.db
      .deleteFrom('org_invites')
      .where('org_id', '=', ctx.org.id)
      .where('id', '=', inviteId)
      .returning('id')
      .executeTakeFirst();
    if (!deleted) throw notFound('Invite');
    await withdrawMails(ctx, deleted.id);
  });
}
