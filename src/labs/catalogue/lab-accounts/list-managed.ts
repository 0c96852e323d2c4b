import type { Static } from 'typebox';
import { sql } from 'kysely';
import type { Ctx, ManagementCtx } from '../../../context.ts';
import { findManagedTeam } from '../../../tenancy/teams/find.ts';
import { accountsAtLabs } from './accounts-at-labs.ts';
import type { ManagedLabAccount } from './schemas.ts';

/** The largest number of accounts in a response. The operator adds accounts one by one, so an organisation has few. */
const MAX_ACCOUNTS = 1_000;

type Filter = { lab_account_id?: string | undefined; team_id?: string | undefined; status?: string | undefined };

/**
 * Returns the accounts of the caller's organisation and the accounts without an organisation, oldest first. With
 * `team_id`, it returns only the accounts that this team may use. Throws not_found if the organisation has no such
 * team.
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
    .limit(MAX_ACCOUNTS)
    .execute();
}

/** Selects accounts with all teams of their allowlists, for the organisation that manages them. */
export const selectLabAccounts = (ctx: Pick<Ctx, 'db'>) => accountsAtLabs(ctx).select('lab_accounts.team_id_allowlist');
