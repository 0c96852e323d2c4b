import type { ManagementCtx } from '../../context.ts';
import { notFound } from '../../errors.ts';

/** Removes a member from the organisation. This erases the member's name and address. Throws not_found. */
export async function deleteMember(ctx: ManagementCtx, memberId: string): Promise<void> {
  const removed = await ctx.db
    .deleteFrom('org_members')
    .where('org_id', '=', ctx.org.id)
    .where('id', '=', memberId)
    .returning('id')
    .executeTakeFirst();
  if (!removed) throw notFound('Member');
}
