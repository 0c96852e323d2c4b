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

export const LabAccountQuery = Type.Object({
  lab_account_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only this account.' })),
  status: Type.Optional(
    WordFilter({ description: `${LAB_ACCOUNT_STATUSES.join(', ')}. Any other value matches nothing.` }),
  ),
});
