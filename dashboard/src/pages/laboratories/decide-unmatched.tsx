import { Anchor, Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useTeamPath } from '../../api/session.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { FactList, type Fact } from '../../parts/fact-list.tsx';
import { problemOf } from '../../parts/field-problems.ts';
import { NameAndBirth } from '../../parts/people.tsx';
import { Loaded } from '../../parts/states.tsx';
import { inWords } from '../../parts/status-badge.tsx';
import { CalendarDate, Time } from '../../parts/time.tsx';
import { CandidateFacts } from './candidate-facts.tsx';
import { ConfirmDecision, type Action, type Decided } from './confirm-decision.tsx';
import { FindOrder } from './find-order.tsx';
import { NoteField } from './note-field.tsx';
import { useOrder } from './order-in-words.tsx';
import { readUnmatched, type Candidate, type Result } from './unmatched-query.ts';
import { Values } from './unmatched-values.tsx';

type DecideUnmatchedProps = {
  id: string;
  close: () => void;
  /** Called with the order that got the result. */
  noteAccepted: (orderId: string) => void;
};

/** The panel in which somebody gives a result to an order, or says that it belongs to none. */
export function DecideUnmatched({ id, close, noteAccepted }: DecideUnmatchedProps) {
  const query = useQuery({ queryKey: ['unmatched_result', id], queryFn: () => readUnmatched(id) });
  return (
    <Drawer title="Result without an order" close={close}>
      <Loaded query={query}>
        {(result) => (
          <>
            <Facts result={result} />
            {result.allowed_actions.length > 0 ? (
              <Decision result={result} close={close} noteAccepted={noteAccepted} />
            ) : (
              <Values markers={result.markers} />
            )}
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
function decisionFacts({ decision, order_id, reviewed_at, decided_by, note }: Result): Fact[] {
  const order = order_id && (
    <Anchor component={Link} to={`/orders/${order_id}`}>
      Order …{order_id.slice(-8)}
    </Anchor>
  );
  return [
    ['Decision', decision && (decision === 'accepted' ? 'Accepted' : 'Rejected: it belongs to no order')],
    ['For', order],
    [decision === null ? 'Looked at' : 'Decided', reviewed_at && <Time at={reviewed_at} />],
    ['By', decided_by],
    ['Note', note],
  ];
}

const ELSEWHERE = 'elsewhere';

/** The order that is chosen at the start: the only one of the person whom the report names. */
function onlyOfPerson(candidates: Candidate[]): string {
  const [only, ...others] = candidates.filter(({ reasons }) => reasons.includes('demographic_match'));
  return (others.length === 0 && only?.order_id) || '';
}

type DecisionProps = { result: Result } & Pick<DecideUnmatchedProps, 'close' | 'noteAccepted'>;

function Decision({ result, close, noteAccepted }: DecisionProps) {
  const candidates = result.candidate_groups.flatMap((group) => group.candidates).filter(({ order_id }) => order_id);
  const [chosen, setChosen] = useState<string>(candidates.length === 0 ? ELSEWHERE : onlyOfPerson(candidates));
  const [found, setFound] = useState('');
  const [note, setNote] = useState('');
  const [asked, setAsked] = useState<Action | null>(null);
  const order_id = chosen === ELSEWHERE ? found : chosen;
  const decide = useDecision({ result, order_id, note: note.trim() }, (action) => {
    close();
    if (action === 'accept') noteAccepted(order_id);
  });
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
      <Values markers={result.markers} />
      <NoteField value={note} onChange={setNote} problem={problemOf(decide.error, 'note')} />
      <Text size="sm" c="dimmed">
        Reject discards the result: it belongs to none of your orders.
      </Text>
      {/* They stay in view while somebody reads a report of many rows: no element of their own is around them. */}
      <Stack gap="xs" py="sm" pos="sticky" bottom={0} bg="var(--mantine-color-body)" style={{ zIndex: 1 }}>
        <ChosenOrder id={order_id} />
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
      </Stack>
      {asked !== null && (
        <ConfirmDecision
          action={asked}
          result={result}
          orderId={order_id}
          note={note}
          setNote={setNote}
          decide={decide}
          close={() => setAsked(null)}
        />
      )}
    </>
  );
}

/** Whose order is chosen, beside the button: the choice itself may be out of view. */
function ChosenOrder({ id }: { id: string }) {
  const { data: order } = useOrder(id);
  return (
    <Text size="sm" role="status">
      {id === '' && 'No order is chosen.'}
      {order && (
        <>
          Chosen: order …{id.slice(-8)}{' '}
          {order.patient_details ? (
            <>
              of <NameAndBirth of={order.patient_details} />
            </>
          ) : (
            'of nobody who is known'
          )}
        </>
      )}
    </Text>
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

type DecisionBody = { result: Result; order_id: string; note: string };

function useDecision({ result, order_id, note }: DecisionBody, done: (action: Action) => void) {
  const path = { ...useTeamPath(), raw_result_id: result.id };
  const told = note === '' ? {} : { note };
  return useMutation({
    mutationFn: async ({ action, isConfirmed }: Decided) =>
      action === 'accept'
        ? unwrap(
            phial.POST('/v1/org/{org_id}/team/{team_id}/{environment}/unmatched_result/{raw_result_id}/accept', {
              params: { path },
              body: { order_id, confirm_patient: isConfirmed, ...told },
            }),
          )
        : unwrap(
            phial.POST('/v1/org/{org_id}/team/{team_id}/{environment}/unmatched_result/{raw_result_id}/resolve', {
              params: { path },
              body: { action, ...told },
            }),
          ),
    onSuccess: async (_, { action }) => {
      done(action);
      await readAgain('unmatched_results', 'unmatched_result', 'order', 'orders', 'order_counts');
      await readAgain('assigned_results', 'critical_results', 'team_status');
    },
  });
}
