import { Type } from 'typebox';
import { US_STATES } from '../../../wire/us-state.ts';
import { nullable, oneOf, optional, Prose, Text, Uuid, withDefault, WordFilter } from '../../../wire/schema.ts';
import { shape } from '../../../wire/shape.ts';

export const LAB_ACCOUNT_STATUSES = ['active', 'pending', 'suspended', 'ready_to_launch'] as const;
export const DELEGATED_FLOWS = ['not_delegated', 'order_delegated', 'result_delegated', 'fully_delegated'] as const;
export const BILLING_TYPES = [
  'client_bill',
  'commercial_insurance',
  'patient_bill',
  'patient_bill_passthrough',
] as const;

/** An account at a laboratory that a team may use. */
export const LabAccount = shape('LabAccount', {
  id: Uuid,
  lab: Type.String({ description: 'Slug of the laboratory.' }),
  org_id: nullable(
    Type.String({ format: 'uuid', description: 'The organisation of the account; null if it is open to everybody.' }),
  ),
  status: Type.String({ description: `One of ${LAB_ACCOUNT_STATUSES.join(', ')}. Orders need an active one.` }),
  delegated_flow: Type.String({
    description: `Whose physicians order and release results: ${DELEGATED_FLOWS.join(', ')}.`,
  }),
  provider_account_id: Type.String({ description: "The laboratory's own number for the account." }),
  account_name: nullable(Type.String()),
  default_clinical_notes: nullable(Type.String({ description: 'For orders without clinical notes of their own.' })),
  business_units: Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: { type: 'string' } }),
  allowed_billing: Type.Record(Type.String(), Type.Array(Type.String()), {
    description: `States by type of billing (${BILLING_TYPES.join(', ')}); what is not listed is not allowed.`,
  }),
  team_id_allowlist: Type.Array(Uuid, {
    description: 'Your team if the account lists it, without other teams; empty if every team may use the account.',
  }),
});

export const LabAccounts = shape('LabAccounts', { data: Type.Array(LabAccount) });

/** An account with all teams of its allowlist. Only the organisation of the account gets this shape. */
export const ManagedLabAccount = shape('ManagedLabAccount', {
  ...LabAccount.properties,
  team_id_allowlist: Type.Array(Uuid, { description: 'Teams that may use it; empty if all of your teams may.' }),
});

export const ManagedLabAccounts = shape('ManagedLabAccounts', { data: Type.Array(ManagedLabAccount) });

export const LabAccountAnswer = shape('LabAccountAnswer', { lab_account: nullable(ManagedLabAccount) });

const MAX_LISTED_TEAMS = 500;

export const LabAccountAllowlist = shape('LabAccountAllowlist', {
  team_id_allowlist: Type.Array(Uuid, {
    maxItems: MAX_LISTED_TEAMS,
    description: 'The teams that may use the account, in place of the ones before; an empty list: all of yours.',
  }),
});

const statesOf = (billing: string) =>
  Type.Optional(
    Type.Array(Type.String({ format: 'us-state' }), {
      minItems: 1,
      maxItems: US_STATES.size,
      description: `States whose patients can be billed by ${billing}.`,
    }),
  );

export const LabAccountInput = shape('LabAccountInput', {
  lab: Text(100, { description: 'Slug of the laboratory.' }),
  provider_account_id: Text(100, { description: "The laboratory's own number for the account." }),
  account_name: optional(Text(200)),
  status: withDefault(oneOf(LAB_ACCOUNT_STATUSES), 'active'),
  delegated_flow: withDefault(
    oneOf(DELEGATED_FLOWS, { description: 'Whose physicians order and release results.' }),
    'not_delegated',
  ),
  default_clinical_notes: optional(Prose(5000)),
  business_units: optional(Type.Array(Text(100), { maxItems: 100 })),
  allowed_billing: Type.Object(
    {
      client_bill: statesOf('client_bill'),
      commercial_insurance: statesOf('commercial_insurance'),
      patient_bill: statesOf('patient_bill'),
      patient_bill_passthrough: statesOf('patient_bill_passthrough'),
    },
    // An unknown name that we ignore would be an account that nobody can bill.
    { additionalProperties: false, description: 'States by type of billing. What is left out is not allowed.' },
  ),
  team_id_allowlist: withDefault(LabAccountAllowlist.properties.team_id_allowlist, []),
});

export const LabAccountStatusInput = shape('LabAccountStatusInput', { status: oneOf(LAB_ACCOUNT_STATUSES) });

export const LabAccountQuery = Type.Object({
  lab_account_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only this account.' })),
  status: Type.Optional(
    WordFilter({ description: `${LAB_ACCOUNT_STATUSES.join(', ')}. Any other value matches nothing.` }),
  ),
});

export const ManagedLabAccountQuery = Type.Object({
  ...LabAccountQuery.properties,
  team_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only accounts that this team may use.' })),
});
