import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { AppError, notFound } from '../../../errors.ts';
import { accountsAtLabs } from './accounts-at-labs.ts';
import type { LabAccount } from './schemas.ts';

/** An account in the shape of the API, with its laboratory. */
export type LabAccountRow = Static<typeof LabAccount> & { lab_id: number };

type Filter = { lab_account_id?: string | undefined; status?: string | undefined };

/**
 * Returns the accounts that the team may use, oldest first: accounts without an organisation, and those accounts of its
 * organisation whose allowlist is empty or contains the team. The result names no other team of an allowlist.
 */
export function listLabAccounts(ctx: TeamCtx, { lab_account_id, status }: Filter): Promise<LabAccountRow[]> {
  return accountsAtLabs(ctx)
    .select([
      'lab_accounts.lab_id',
      sql<string[]>`array(select id from unnest(lab_accounts.team_id_allowlist) as listed (id)
        where id = ${ctx.team.id})`.as('team_id_allowlist'),
    ])
    .where(
      sql<boolean>`(lab_accounts.org_id is null or lab_accounts.org_id = ${ctx.team.org_id})
      and (lab_accounts.team_id_allowlist = '{}' or ${ctx.team.id}::uuid = any (lab_accounts.team_id_allowlist))
      and (${lab_account_id ?? null}::uuid is null or lab_accounts.id = ${lab_account_id ?? null})
      and (${status ?? null}::text is null or lab_accounts.status = ${status ?? null})`,
    )
    .orderBy('lab_accounts.id')
    .execute();
}

/** Returns one of the accounts that the team may use, whatever its status. Throws not_found. */
export async function findLabAccount(ctx: TeamCtx, id: string): Promise<LabAccountRow> {
  const [account] = await listLabAccounts(ctx, { lab_account_id: id });
  if (!account) throw notFound('Lab account');
  return account;
}

/**
 * Throws lab_account_of_other_lab if the account is at another laboratory, and lab_account_not_active if orders cannot
 * use it.
 */
export function refuseUnlessOrderable(account: LabAccountRow, labId: number): void {
  refuseOfOtherLab(account, labId);
  if (account.status === 'active') return;
  throw new AppError('lab_account_not_active', `Orders cannot use this lab account: it is ${account.status}.`);
}

/** Throws lab_account_of_other_lab if the account is at another laboratory. */
export function refuseOfOtherLab(account: LabAccountRow, labId: number): void {
  if (account.lab_id === labId) return;
  throw new AppError('lab_account_of_other_lab', 'This lab account is at another laboratory.');
}

/**
 * Returns the account with the given id; null if no id is given. Throws not_found, and lab_account_of_other_lab if the
 * account is at another laboratory.
 */
export async function findAccountAtOrNull(
  ctx: TeamCtx,
  labId: number | null,
  id: string | undefined,
): Promise<LabAccountRow | null> {
  if (id === undefined) return null;
  const account = await findLabAccount(ctx, id);
  if (labId !== null) refuseOfOtherLab(account, labId);
  return account;
}
