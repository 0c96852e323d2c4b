import type { Static } from 'typebox';
import type { ManagementCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { notFound } from '../../../errors.ts';
import { refuseUnknownTeams } from '../../../tenancy/teams/find.ts';
import { selectLabAccounts } from './list-managed.ts';
import type { ManagedLabAccount } from './schemas.ts';

/**
 * Sets the teams that may use an account of the caller's organisation. If the list is empty, all teams of the
 * organisation may use it. Orders that are under way keep the account. Throws not_found for an unknown account or team,
 * for a team of another organisation, and for an account without an organisation.
 */
export function setAllowlist(
  ctx: ManagementCtx,
  accountId: string,
  teamIds: string[],
): Promise<Static<typeof ManagedLabAccount>> {
  return inTransaction(ctx, async (ctx) => {
    const account = await ctx.db
      .updateTable('lab_accounts')
      .set({ team_id_allowlist: [...new Set(teamIds.map((id) => id.toLowerCase()))] })
      .where('id', '=', accountId)
      .where('org_id', '=', ctx.org.id)
      .returning('id')
      .executeTakeFirst();
    if (!account) throw notFound('Lab account');
    await refuseUnknownTeams(ctx, ctx.org.id, teamIds);
    return selectLabAccounts(ctx).where('lab_accounts.id', '=', account.id).executeTakeFirstOrThrow();
  });
}
