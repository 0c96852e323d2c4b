import type { Static } from 'typebox';
import type { ManagementCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import { refuseUnknownTeams } from '../teams/find.ts';
import { changedRole } from './role.ts';
import type { OrgMemberPatch } from './schemas.ts';

/**
 * Changes the role and the teams of a member. Throws not_found if the member or a team does not exist, and
 * role_bindings_mismatch.
 */
export function patchMember(ctx: ManagementCtx, memberId: string, patch: Static<typeof OrgMemberPatch>): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const member = await ctx.db
      .selectFrom('org_members')
      .select(['id', 'role', 'team_ids'])
      .where('org_id', '=', ctx.org.id)
      .where('id', '=', memberId)
      .forUpdate()
      .executeTakeFirst();
    if (!member) throw notFound('Member');
    if (patch.team_role_bindings) {
      await refuseUnknownTeams(
        ctx,
        ctx.org.id,
        patch.team_role_bindings.map(({ team_id }) => team_id),
      );
    }
    await ctx.db.updateTable('org_members').set(changedRole(member, patch)).where('id', '=', member.id).execute();
  });
}
