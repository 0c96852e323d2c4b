import { Anchor, Button, Group, Radio, Stack, Table, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useTeamPath } from '../../api/session.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { FactList, type Fact } from '../../parts/fact-list.tsx';
import { problemOf } from '../../parts/field-problems.ts';
import { Loaded } from '../../parts/states.tsx';
import { inWords } from '../../parts/status-badge.tsx';
import { CalendarDate, Time } from '../../parts/time.tsx';
import { withUnit } from '../../parts/unit.ts';
import { CandidateFacts } from './candidate-facts.tsx';
import { ConfirmDecision, type Action } from './confirm-decision.tsx';
import { OrderInWords } from './order-in-words.tsx';

/** Reads with the person that the report names: without a name nobody can decide to whom a result belongs. */
const read = (raw_result_id: string) =>
  unwrap(phial.GET('/v3/unmatched_result/{raw_result_id}', { params: { path: { raw_result_id } } }));

type Result = Awaited<ReturnType<typeof read>>;
export type Candidate = Result['candidate_groups'][number]['candidates'][number];

/** The panel in which somebody gives a result to an order, or says that it belongs to none. */
export function DecideUnmatched({ id, close }: { id: string; close: () => void }) {
  const query = useQuery({ queryKey: ['unmatched_result', id], queryFn: () => read(id) });
  return (
    <Drawer title="Result without an order" close={close}>
      <Loaded query={query}>
        {(result) => (
          <>
            <Facts result={result} />
            <Values markers={result.markers} />
            {result.allowed_actions.length > 0 && <Decision result={result} close={close} />}
          </>
        )}
      </Loaded>
    </Drawer>
  );
}

function Facts({ result }: { result: Result }) {
  const { patient, lab, reason, result_status, created_at, collected_at, sample_ids } = result;
  const name = [patient?.first_name, patient?.last_name].filter(Boolean).join(' ');
  return (
    <FactList
      facts={[
        ['Why', reason],
        ['Person in the report', name || 'Nobody is named'],
        ['Date of birth', patient?.dob && <CalendarDate date={patient.dob} />],
        ['Gender', patient?.gender && inWords(patient.gender)],
        ['Laboratory', lab.name],
        ['Sample', sample_ids.join(', ') || 'The report names none'],
        ['Collected', collected_at && <Time at={collected_at} />],
        ['Report', result_status && inWords(result_status)],
        ['Came', <Time key="came" at={created_at} />],
        ...decisionFacts(result),
      ]}
    />
  );
}

/** What was decided, if something was. */
function decisionFacts({ decision, order_id, reviewed_at, note }: Result): Fact[] {
  const order = order_id && (
    <Anchor component={Link} to={`/orders/${order_id}`}>
      Order …{order_id.slice(-8)}
    </Anchor>
  );
  return [
    ['Decision', decision && (decision === 'accepted' ? 'Accepted' : 'Rejected: it belongs to no order')],
    ['For', order],
    [decision === null ? 'Looked at' : 'Decided', reviewed_at && <Time at={reviewed_at} />],
    ['Note', note],
  ];
}

/** What the report says, by which somebody may recognise whose it is. */
function Values({ markers }: { markers: Result['markers'] }) {
  if (markers.length === 0) return <Text c="dimmed">The report has no value.</Text>;
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Marker</Table.Th>
          <Table.Th scope="col">Result</Table.Th>
          <Table.Th scope="col">Range</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {markers.map(({ name, provider_id, result, unit, reference_range }, n) => (
          <Table.Tr key={n}>
            <Table.Th scope="row" fw={500}>
              {name ?? provider_id ?? 'Without a name'}
            </Table.Th>
            <Table.Td>{withUnit(result, unit)}</Table.Td>
            <Table.Td>{reference_range ?? '–'}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

const ELSEWHERE = 'elsewhere';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function Decision({ result, close }: { result: Result; close: () => void }) {
  const candidates = result.candidate_groups.flatMap((group) => group.candidates).filter(({ order_id }) => order_id);
  const [chosen, setChosen] = useState<string>(candidates[0]?.order_id ?? ELSEWHERE);
  const [typed, setTyped] = useState('');
  const [note, setNote] = useState('');
  const [asked, setAsked] = useState<Action | null>(null);
  const path = { ...useTeamPath(), raw_result_id: result.id };
  const told = note.trim() === '' ? {} : { note: note.trim() };
  const order_id = chosen === ELSEWHERE ? typed.trim() : chosen;
  const decide = useDecision(close, (action) =>
    action === 'accept'
      ? unwrap(
          phial.POST('/v1/org/{org_id}/team/{team_id}/{environment}/unmatched_result/{raw_result_id}/accept', {
            params: { path },
            body: { order_id, ...told },
          }),
        )
      : unwrap(
          phial.POST('/v1/org/{org_id}/team/{team_id}/{environment}/unmatched_result/{raw_result_id}/resolve', {
            params: { path },
            body: { action, ...told },
          }),
        ),
  );
  const buttonOf = (action: Action) => ({ onClick: () => (decide.reset(), setAsked(action)) });
  const may = (action: Action): boolean => result.allowed_actions.includes(action);
  return (
    <Stack gap="md">
      <OrderChoice
        candidates={candidates}
        chosen={chosen}
        choose={setChosen}
        typed={typed}
        type={setTyped}
        problem={problemOf(decide.error, 'order_id')}
      />
      <Textarea
        label="Note"
        description="Why you decided so. Whoever reads it later was not there."
        autosize
        minRows={2}
        maxLength={1_000}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
        error={problemOf(decide.error, 'note')}
      />
      <Group gap="sm">
        {may('accept') && (
          <Button disabled={order_id === ''} {...buttonOf('accept')}>
            Accept for this order
          </Button>
        )}
        {may('reject') && (
          <Button variant="default" {...buttonOf('reject')}>
            Reject
          </Button>
        )}
        {may('unsure') && (
          <Button variant="default" {...buttonOf('unsure')}>
            Leave it to the operator
          </Button>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        Reject discards the result: it belongs to none of your orders.
      </Text>
      {asked !== null && (
        <ConfirmDecision action={asked} orderId={order_id} decide={decide} close={() => setAsked(null)} />
      )}
    </Stack>
  );
}

type ChoiceProps = {
  candidates: Candidate[];
  chosen: string;
  choose: (order: string) => void;
  typed: string;
  type: (order: string) => void;
  problem: string | undefined;
};

/** The orders that may be meant, the likeliest first, and a field for any other. */
function OrderChoice({ candidates, chosen, choose, typed, type, problem }: ChoiceProps) {
  return (
    <>
      <Radio.Group label="To which order does it belong?" value={chosen} onChange={choose}>
        <Stack gap="sm" mt="xs">
          {candidates.map((candidate) => (
            <Radio
              key={candidate.order_id}
              value={candidate.order_id as string}
              label={<CandidateFacts candidate={candidate} />}
            />
          ))}
          <Radio value={ELSEWHERE} label="Another order" />
        </Stack>
      </Radio.Group>
      {chosen === ELSEWHERE && (
        <TextInput
          label="Id of the order"
          description="Find it in the list of orders, by the name of the patient or the sample id."
          maxLength={36}
          value={typed}
          onChange={({ currentTarget }) => type(currentTarget.value)}
          error={problem}
        />
      )}
      {chosen === ELSEWHERE && UUID.test(typed.trim()) && <OrderInWords id={typed.trim()} />}
    </>
  );
}

function useDecision(close: () => void, decide: (action: Action) => Promise<unknown>) {
  return useMutation({
    mutationFn: decide,
    onSuccess: async () => {
      close();
      await readAgain('unmatched_results', 'unmatched_result', 'order', 'orders', 'order_counts', 'critical_results');
    },
  });
}
