import { Fieldset, MultiSelect, Stack, Text } from '@mantine/core';
import { inWords } from '../../../parts/status-badge.tsx';
import { US_STATES } from '../../../parts/us-states.ts';

const KINDS = ['client_bill', 'commercial_insurance', 'patient_bill', 'patient_bill_passthrough'] as const;

/** The states for each kind of billing. What is left out is not allowed. */
export type Billing = Partial<Record<(typeof KINDS)[number], string[]>>;

const ALL = 'all';
const OPTIONS = [{ value: ALL, label: 'All states' }, ...US_STATES];

type Props = { value: Billing; change: (billing: Billing) => void };

/** Who can be billed by an account, by the state of the patient. */
export function BillingFields({ value, change }: Props) {
  const choose = (kind: (typeof KINDS)[number], states: string[]): void => {
    const { [kind]: _, ...others } = value;
    // Somebody who chooses a state after all states wants only this one.
    const wasAll = value[kind]?.length === US_STATES.length;
    const chosen =
      states.includes(ALL) && !wasAll
        ? US_STATES.map(({ value: code }) => code)
        : states.filter((state) => state !== ALL);
    change(chosen.length === 0 ? others : { ...others, [kind]: chosen });
  };
  return (
    <Fieldset legend="Billing, by the state of the patient">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Choose the states of at least one. Without one, no order can use the account.
        </Text>
        {KINDS.map((kind) => {
          const states = value[kind] ?? [];
          return (
            <MultiSelect
              key={kind}
              label={inWords(kind)}
              placeholder={states.length === 0 ? 'Not allowed' : ''}
              searchable
              data={OPTIONS}
              value={states.length === US_STATES.length ? [ALL] : states}
              onChange={(chosen) => choose(kind, chosen)}
            />
          );
        })}
      </Stack>
    </Fieldset>
  );
}
