import { sql } from 'kysely';
import type { Ctx } from '../../../context.ts';

/**
 * Selects accounts with their laboratories. It does not select the allowlists, because each caller decides which teams
 * of an allowlist its response may contain.
 */
export const accountsAtLabs = ({ db }: Pick<Ctx, 'db'>) =>
  db
    .selectFrom('lab_accounts')
    .innerJoin('labs', 'labs.id', 'lab_accounts.lab_id')
    .select([
      'lab_accounts.id',
      'labs.slug as lab',
      'lab_accounts.org_id',
      'lab_accounts.status',
      'lab_accounts.delegated_flow',
      'lab_accounts.provider_account_id',
      'lab_accounts.account_name',
      'lab_accounts.default_clinical_notes',
      'lab_accounts.business_units',
      sql<Record<string, string[]>>`lab_accounts.allowed_billing`.as('allowed_billing'),
    ]);
