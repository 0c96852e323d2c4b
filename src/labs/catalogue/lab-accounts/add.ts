import type { Ctx } from '../../../context.ts';
import { boundToOrg } from '../../../db/session/bind.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError, notFound } from '../../../errors.ts';
import { newId } from '../../../ids.ts';
import { refuseUnknownTeams } from '../../../tenancy/teams/find.ts';
import { findLab } from '../labs.ts';
import type { BILLING_TYPES, DELEGATED_FLOWS, LAB_ACCOUNT_STATUSES } from './schemas.ts';

export type LabAccountStatus = (typeof LAB_ACCOUNT_STATUSES)[number];
export type DelegatedFlow = (typeof DELEGATED_FLOWS)[number];
export type AllowedBilling = Partial<Record<(typeof BILLING_TYPES)[number], string[]>>;

export type NewLabAccount = {
  org_id: string;
  /** The laboratory's slug. */
  lab: string;
  status: LabAccountStatus;
  delegated_flow: DelegatedFlow;
  provider_account_id: string;
  account_name: string | null;
  default_clinical_notes: string | null;
  business_units: string[] | null;
  allowed_billing: AllowedBilling;
  /** The teams of the organisation that may use the account. If the list is empty, all of its teams may. */
  team_id_allowlist: string[];
};

/**
 * Adds an account of an organisation at a laboratory, and returns the account's id. Throws not_found (organisation,
 * laboratory, team), and lab_account_taken if the organisation already has that account number at this laboratory.
 */
export function addLabAccount(ctx: Ctx, { lab: slug, ...input }: NewLabAccount): Promise<string> {
  return inTransaction(boundToOrg(ctx, input.org_id), async (ctx) => {
    const { db } = ctx;
    const org = await db.selectFrom('orgs').select('id').where('id', '=', input.org_id).executeTakeFirst();
    if (!org) throw notFound('Organisation');
    const lab = await findLab(ctx, slug);
    await refuseUnknownTeams(ctx, input.org_id, input.team_id_allowlist);
    const account = await db
      .insertInto('lab_accounts')
      .values({ ...input, id: newId(), lab_id: lab.id, allowed_billing: JSON.stringify(input.allowed_billing) })
      .onConflict((oc) => oc.columns(['org_id', 'lab_id', 'provider_account_id']).doNothing())
      .returning('id')
      .executeTakeFirst();
    if (account) return account.id;
    throw new AppError(
      'lab_account_taken',
      'The organisation already has an account with this number at this laboratory.',
    );
  });
}
