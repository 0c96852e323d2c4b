import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { CopyableId } from '../../parts/copyable-id.tsx';
import { FactList } from '../../parts/fact-list.tsx';
import { inDollars, LabTestStatus, turnAroundInWords } from '../../parts/lab-test-status.tsx';
import { methodInWords } from '../../parts/order-status.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/states.tsx';
import { inWords } from '../../parts/status-badge.tsx';
import { Approve } from './approve.tsx';
import { Instructions } from './instructions.tsx';
import { Markers } from './markers.tsx';

const read = (team_id: string, lab_test_id: string) => ({
  queryKey: ['lab_test', team_id, lab_test_id],
  queryFn: () => unwrap(phial.GET('/v3/lab_tests/{lab_test_id}', { params: { path: { lab_test_id } } })),
});

type LabTest = Awaited<ReturnType<ReturnType<typeof read>['queryFn']>>;

export default function LabTestPage() {
  const { test: id } = useParams({ strict: false }) as { test: string };
  const query = useQuery(read(useTeamPath().team_id, id));
  return <Loaded query={query}>{(test) => <Shown test={test} />}</Loaded>;
}

function Shown({ test }: { test: LabTest }) {
  const { id, name, description, lab, method, sample_type, fasting, price, auto_generated, status } = test;
  return (
    <Page
      title={name}
      about={
        <Stack gap={6} component="span">
          <span>{description}</span>
          <Group gap="xs" component="span">
            <LabTestStatus status={status} />
            {status === 'pending_approval' && <span>The operator of the service approves it.</span>}
          </Group>
        </Stack>
      }
      actions={
        <>
          {status === 'pending_approval' && <Approve id={id} name={name} />}
          {test.has_collection_instructions && <Instructions id={id} name={name} />}
        </>
      }
    >
      <Section title="About the test">
        <FactList
          facts={[
            ['Laboratory', lab?.name],
            ['Method', methodInWords(method)],
            ['Sample', inWords(sample_type)],
            ['Fasting', fasting ? 'The patient must have fasted' : 'Not needed'],
            ['Price', inDollars(price)],
            ['Result after', turnAroundInWords(test)],
            ['Made by', auto_generated ? 'The service, for an order of single markers' : null],
            ['Id', <CopyableId key="id" value={id} />],
          ]}
        />
      </Section>
      <Markers testId={id} />
    </Page>
  );
}
