import type { Static } from 'typebox';
import { sql } from 'kysely';
import type { Ctx, ManagementCtx } from '../../../context.ts';
import { findManagedTeam } from '../../../tenancy/teams/find.ts';
import { accountsAtLabs } from './accounts-at-labs.ts';
import type { ManagedLabAccount } from './schemas.ts';

/** Accounts are added by hand, one by one, so an organisation has few of them. */
const MOST_ACCOUNTS = 1_000;

type Filter = { lab_account_id?: string | undefined; team_id?: string | undefined; status?: string | undefined };

/**
 * The accounts of the caller's organisation, and those that are everybody's, oldest first. With `team_id` those which that
 * team may use; throws not_found where it is none of the organisation.
 */
export async function listManagedLabAccounts(
  ctx: ManagementCtx,
  { lab_account_id, team_id, status }: Filter,
): Promise<Static<typeof ManagedLabAccount>[]> {
  const team = team_id === undefined ? null : (await findManagedTeam(ctx, team_id)).id;
  return selectLabAccounts(ctx)
    .where((eb) => eb.or([eb('lab_accounts.org_id', '=', ctx.org.id), eb('lab_accounts.org_id', 'is', null)]))
    .$if(lab_account_id !== undefined, (query) => query.where('lab_accounts.id', '=', lab_account_id as string))
    .$if(status !== undefined, (query) => query.where('lab_accounts.status', '=', status as string))
    .$if(team !== null, (query) =>
      query.where(sql<boolean>`(team_id_allowlist = '{}' or ${team}::uuid = any (team_id_allowlist))`),
    )
    .orderBy('lab_accounts.id')
    .limit(MOST_ACCOUNTS)
    .execute();
}

/** Accounts with all teams that they list, for whoever manages them. */
export const selectLabAccounts = (ctx: Pick<Ctx, 'db'>) => accountsAtLabs(ctx).select('lab_accounts.team_id_allowlist');
