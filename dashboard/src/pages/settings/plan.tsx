import { Button, Select, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain, SESSION_KEY } from '../../api/queries.ts';
import { useIsOperator, useSession } from '../../api/session.tsx';
import { FactList } from '../../parts/fact-list.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import { Section } from '../../parts/section.tsx';
import { inWords } from '../../parts/status-badge.tsx';

const PLANS = ['launch', 'grow', 'scale'] as const;
type PlanName = (typeof PLANS)[number];

/** The plan of the organisation, which the operator changes. */
export function Plan() {
  const { org } = useSession();
  const isOperator = useIsOperator();
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
      title="Plan"
      actions={
        isOperator && (
          <Button variant="default" onClick={() => setOpen(true)}>
            Change the plan
          </Button>
        )
      }
    >
      <FactList
        facts={[
          ['Organisation', org.name],
          ['Plan', inWords(org.plan)],
        ]}
      />
      {!isOperator && (
        <Text size="sm" c="dimmed" mt="sm">
          The operator of this service changes the plan.
        </Text>
      )}
      {isOpen && <ChangePlan close={() => setOpen(false)} />}
    </Section>
  );
}

function ChangePlan({ close }: { close: () => void }) {
  const { org } = useSession();
  const [plan, setPlan] = useState(org.plan as PlanName);
  const run = useMutation({
    mutationFn: async (): Promise<void> => {
      const params = { path: { org_id: org.id } };
      await unwrap(phial.PUT('/v1/org/{org_id}/plan', { params, body: { plan } }));
      await readAgain(...SESSION_KEY);
      close();
    },
  });
  return (
    <FormModal close={close} title={`Change the plan of ${org.name}`} action="Change" run={run}>
      <Select
        label="Plan"
        data={PLANS.map((value) => ({ value, label: inWords(value) }))}
        value={plan}
        onChange={(chosen) => setPlan(chosen as PlanName)}
        allowDeselect={false}
      />
      <Text size="sm">
        Only Scale has management keys and members who sign in. With another plan they are refused, until the plan is
        Scale again. You can sign in with any plan.
      </Text>
    </FormModal>
  );
}
