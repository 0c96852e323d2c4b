import type { ManagementCtx } from '../../context.ts';
import { notFound } from '../../errors.ts';

/** Takes a member out of the organisation; name and address are erased with that. Throws not_found. */
export async function deleteMember(ctx: ManagementCtx, memberId: string): Promise<void> {
  const removed = await ctx.db
    .deleteFrom('org_members')
    .where('org_id', '=', ctx.org.id)
    .where('id', '=', memberId)
    .returning('id')
    .executeTakeFirst();
  if (!removed) throw notFound('Member');
}
