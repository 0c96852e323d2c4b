import { Anchor, Button, Group, Radio, Stack, Text, Textarea } from '@mantine/core';
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
import { CandidateFacts } from './candidate-facts.tsx';
import { ConfirmDecision, type Action } from './confirm-decision.tsx';
import { FindOrder } from './find-order.tsx';
import { readUnmatched, type Candidate, type Result } from './unmatched-query.ts';
import { Values } from './unmatched-values.tsx';

/** The panel in which somebody gives a result to an order, or says that it belongs to none. */
export function DecideUnmatched({ id, close }: { id: string; close: () => void }) {
  const query = useQuery({ queryKey: ['unmatched_result', id], queryFn: () => readUnmatched(id) });
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

const ELSEWHERE = 'elsewhere';

function Decision({ result, close }: { result: Result; close: () => void }) {
  const candidates = result.candidate_groups.flatMap((group) => group.candidates).filter(({ order_id }) => order_id);
  const [chosen, setChosen] = useState<string>(candidates[0]?.order_id ?? ELSEWHERE);
  const [found, setFound] = useState('');
  const [note, setNote] = useState('');
  const [asked, setAsked] = useState<Action | null>(null);
  const path = { ...useTeamPath(), raw_result_id: result.id };
  const told = note.trim() === '' ? {} : { note: note.trim() };
  const order_id = chosen === ELSEWHERE ? found : chosen;
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
    <>
      <OrderChoice
        candidates={candidates}
        chosen={chosen}
        choose={setChosen}
        found={found}
        find={setFound}
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
      <Text size="sm" c="dimmed">
        Reject discards the result: it belongs to none of your orders.
      </Text>
      {/* They stay in view while somebody reads a report of many rows: no element of their own is around them. */}
      <Group gap="sm" py="sm" pos="sticky" bottom={0} bg="var(--mantine-color-body)" style={{ zIndex: 1 }}>
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
      {asked !== null && (
        <ConfirmDecision action={asked} orderId={order_id} decide={decide} close={() => setAsked(null)} />
      )}
    </>
  );
}

type ChoiceProps = {
  candidates: Candidate[];
  chosen: string;
  choose: (order: string) => void;
  /** The order that was found for "Another order". */
  found: string;
  find: (order: string) => void;
  problem: string | undefined;
};

/** The orders that may be meant, the likeliest first, and a field for any other. */
function OrderChoice({ candidates, chosen, choose, found, find, problem }: ChoiceProps) {
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
      {chosen === ELSEWHERE && <FindOrder value={found} onChange={find} problem={problem} />}
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
