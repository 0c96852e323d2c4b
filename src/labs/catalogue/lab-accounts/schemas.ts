import { Type } from 'typebox';
import { nullable, Uuid, WordFilter } from '../../../wire/schema.ts';

export const LAB_ACCOUNT_STATUSES = ['active', 'pending', 'suspended', 'ready_to_launch'] as const;
export const DELEGATED_FLOWS = ['not_delegated', 'order_delegated', 'result_delegated', 'fully_delegated'] as const;
export const BILLING_TYPES = [
  'client_bill',
  'commercial_insurance',
  'patient_bill',
  'patient_bill_passthrough',
] as const;

/** An account at a laboratory that a team may use. */
export const LabAccount = Type.Object({
  id: Uuid,
  lab: Type.String({ description: 'Slug of the laboratory.' }),
  org_id: nullable(Type.String({ format: 'uuid', description: 'Whose it is; null where it is open to everybody.' })),
  status: Type.String({ description: `One of ${LAB_ACCOUNT_STATUSES.join(', ')}. Orders need an active one.` }),
  delegated_flow: Type.String({
    description: `Whose physicians order and release results: ${DELEGATED_FLOWS.join(', ')}.`,
  }),
  provider_account_id: Type.String({ description: "The laboratory's own number for the account." }),
  account_name: nullable(Type.String()),
  default_clinical_notes: nullable(Type.String({ description: 'For orders that bring no clinical notes.' })),
  business_units: Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: { type: 'string' } }),
  allowed_billing: Type.Record(Type.String(), Type.Array(Type.String()), {
    description: `States by type of billing (${BILLING_TYPES.join(', ')}); what is not in it is not allowed.`,
  }),
  team_id_allowlist: Type.Array(Uuid, {
    description: "Your team where the account lists its teams, without the others; empty where it is every team's.",
  }),
});

export const LabAccounts = Type.Object({ data: Type.Array(LabAccount) });

/** An account as its organisation sees it: with every team that it lists. */
export const ManagedLabAccount = Type.Object({
  ...LabAccount.properties,
  team_id_allowlist: Type.Array(Uuid, { description: 'Teams that may use it; empty where all of yours may.' }),
});

export const ManagedLabAccounts = Type.Object({ data: Type.Array(ManagedLabAccount) });

export const LabAccountAnswer = Type.Object({ lab_account: nullable(ManagedLabAccount) });

const MOST_LISTED_TEAMS = 500;

export const LabAccountAllowlist = Type.Object({
  team_id_allowlist: Type.Array(Uuid, {
    maxItems: MOST_LISTED_TEAMS,
    description: 'Teams that may use the account from now on, in place of those before; an empty list: all of yours.',
  }),
});

export const LabAccountQuery = Type.Object({
  lab_account_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only this account.' })),
  status: Type.Optional(
    WordFilter({ description: `${LAB_ACCOUNT_STATUSES.join(', ')}. Any other value matches nothing.` }),
  ),
});

export const ManagedLabAccountQuery = Type.Object({
  ...LabAccountQuery.properties,
  team_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only what this team may use.' })),
});
