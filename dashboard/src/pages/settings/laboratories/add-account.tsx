import { Select, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../../api/client.ts';
import { readAgain } from '../../../api/queries.ts';
import { problemOf } from '../../../parts/field-problems.ts';
import { FormModal } from '../../../parts/form-modal.tsx';
import { useLaboratories } from '../../../parts/laboratories.ts';
import { BillingFields, type Billing } from './billing-fields.tsx';
import { ACCOUNTS_PATH, useAccountsPath } from './org-accounts-query.ts';
import { TeamChoice } from './team-choice.tsx';

const FLOWS = [
  { value: 'not_delegated', label: 'The team orders and releases results' },
  { value: 'order_delegated', label: 'The service orders' },
  { value: 'result_delegated', label: 'The service releases results' },
  { value: 'fully_delegated', label: 'The service orders and releases results' },
] as const;
type Flow = (typeof FLOWS)[number]['value'];

const EMPTY = {
  lab: null as string | null,
  provider_account_id: '',
  account_name: '',
  delegated_flow: 'not_delegated' as Flow,
  default_clinical_notes: '',
  allowed_billing: {} as Billing,
  team_id_allowlist: [] as string[],
};

/** The form with which the operator adds an account of the organisation. */
export function AddAccount({ close }: { close: () => void }) {
  const [values, setValues] = useState(EMPTY);
  const set = (changed: Partial<typeof EMPTY>): void => setValues((before) => ({ ...before, ...changed }));
  const run = useAdd(values, close);
  return (
    <FormModal
      close={close}
      title="Add an account at a laboratory"
      action="Add the account"
      size="lg"
      isWhole={
        values.lab !== null &&
        values.provider_account_id.trim() !== '' &&
        Object.keys(values.allowed_billing).length > 0
      }
      run={run}
    >
      <LaboratoryField value={values.lab} change={(lab) => set({ lab })} problem={problemOf(run.error, 'lab')} />
      <TextInput
        label="Number"
        description="The laboratory's own number for the account."
        required
        maxLength={100}
        value={values.provider_account_id}
        onChange={({ currentTarget: { value } }) => set({ provider_account_id: value })}
        error={problemOf(run.error, 'provider_account_id')}
      />
      <TextInput
        label="Name"
        maxLength={200}
        value={values.account_name}
        onChange={({ currentTarget: { value } }) => set({ account_name: value })}
      />
      <Select
        label="Physicians"
        description="Whose physicians order and release results."
        data={FLOWS}
        value={values.delegated_flow}
        onChange={(chosen) => set({ delegated_flow: chosen as Flow })}
        allowDeselect={false}
      />
      <BillingFields value={values.allowed_billing} change={(allowed_billing) => set({ allowed_billing })} />
      <TeamChoice value={values.team_id_allowlist} change={(team_id_allowlist) => set({ team_id_allowlist })} />
      <Textarea
        label="Clinical notes"
        description="For orders without notes of their own."
        autosize
        maxLength={5_000}
        value={values.default_clinical_notes}
        onChange={({ currentTarget: { value } }) => set({ default_clinical_notes: value })}
      />
    </FormModal>
  );
}

type LaboratoryProps = {
  value: string | null;
  change: (slug: string | null) => void;
  problem: string | undefined;
};

function LaboratoryField({ value, change, problem }: LaboratoryProps) {
  const { data: labs = [] } = useLaboratories();
  return (
    <Select
      label="Laboratory"
      required
      data={labs.map(({ slug, name }) => ({ value: slug, label: name }))}
      value={value}
      onChange={change}
      error={problem}
      data-autofocus
    />
  );
}

function useAdd({ lab, account_name, default_clinical_notes, ...others }: typeof EMPTY, close: () => void) {
  const path = useAccountsPath();
  return useMutation({
    mutationFn: async (): Promise<void> => {
      const body = {
        ...others,
        lab: lab as string,
        status: 'active' as const,
        account_name: account_name.trim() || null,
        default_clinical_notes: default_clinical_notes.trim() || null,
      };
      await unwrap(phial.POST(ACCOUNTS_PATH, { params: { path }, body }));
      await readAgain('org_lab_accounts', 'lab_accounts');
      close();
    },
  });
}
