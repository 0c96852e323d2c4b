import type { ManagementCtx, TxCtx } from '../../../context.ts';
import { notFound } from '../../../errors.ts';
import { integrationMemberHash } from './ehr-person.ts';
import { EHR_MEMBER_COLUMNS, openMember, type FoundEhrMember } from './render.ts';

/** Finds a member by our id, or by the id in the EHR (electronic health record system). Throws not_found. */
export async function findEhrMember(
  ctx: ManagementCtx | TxCtx<ManagementCtx>,
  by: { id: string } | { integration_member_id: string },
): Promise<FoundEhrMember> {
  const found = await ctx.db
    .selectFrom('ehr_members')
    .select(EHR_MEMBER_COLUMNS)
    .where('org_id', '=', ctx.org.id)
    .$if('id' in by, (query) => query.where('id', '=', (by as { id: string }).id))
    .$if('integration_member_id' in by, (query) =>
      query.where(
        'integration_member_hash',
        '=',
        integrationMemberHash(ctx, ctx.org.id, (by as { integration_member_id: string }).integration_member_id),
      ),
    )
    .$if(ctx.db.isTransaction, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!found) throw notFound('Member');
  return openMember(ctx, ctx.org.id, found);
}
