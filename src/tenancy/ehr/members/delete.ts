import type { ManagementCtx } from '../../../context.ts';
import { notFound } from '../../../errors.ts';

/**
 * Erases a person of the EHR (electronic health record system). Links that were made for the person stop working.
 * Throws not_found.
 */
export async function deleteEhrMember(ctx: ManagementCtx, memberId: string): Promise<void> {
  const removed = await ctx.db
    .deleteFrom('ehr_members')
    .where('org_id', '=', ctx.org.id)
    .where('id', '=', memberId)
    .returning('id')
    .executeTakeFirst();
  if (!removed) throw notFound('Member');
}
