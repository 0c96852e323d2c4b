import { Alert, Checkbox, Text } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { PhialError } from '../../api/client.ts';
import { birthsDiffer, ComparePatients, namesDiffer } from '../../parts/compare-patients.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { NoteField } from './note-field.tsx';
import { OrderInWords, useOrder } from './order-in-words.tsx';
import type { Result } from './unmatched-query.ts';

export type Action = 'accept' | 'reject' | 'unsure';
/** A decision, and whether a person confirmed that the report belongs to an order that it contradicts. */
export type Decided = { action: Action; isConfirmed: boolean };

const ASKED: Record<Action, readonly [title: string, action: string, text: string]> = {
  accept: [
    'Accept the result for this order?',
    'Accept',
    'The order gets the result, and its programs are told. This cannot be taken back.',
  ],
  reject: [
    'Reject the result?',
    'Reject it',
    'It is discarded, and no order of yours gets it. This cannot be taken back.',
  ],
  unsure: ['Leave it to the operator?', 'Leave it', 'The operator of the service then decides.'],
};

type ConfirmDecisionProps = {
  action: Action;
  result: Result;
  orderId: string;
  note: string;
  setNote: (note: string) => void;
  decide: UseMutationResult<unknown, Error, Decided>;
  close: () => void;
};

/** Asks once more before a result gets to an order or is discarded. */
export function ConfirmDecision(props: ConfirmDecisionProps) {
  const { action, decide, close } = props;
  if (action === 'accept') return <ConfirmAccept {...props} />;
  const [title, words, text] = ASKED[action];
  const run = { ...decide, mutate: () => decide.mutate({ action, isConfirmed: false }) };
  return (
    <FormModal title={title} action={words} isFinal={action !== 'unsure'} run={run} close={close}>
      <Text>{text}</Text>
    </FormModal>
  );
}

/** An order is often written down some hours after the draw. */
const DAY_MS = 86_400_000;

const REFUSED = new Set(['report_of_other_patient', 'collected_before_order']);
const isRefused = (error: unknown): boolean => error instanceof PhialError && REFUSED.has(error.code);

/** Shows both patients. If they differ, or the sample is older than the order, a person confirms it and says why. */
function ConfirmAccept({ result, orderId, note, setNote, decide, close }: ConfirmDecisionProps) {
  const [isConfirmed, setConfirmed] = useState(false);
  const query = useOrder(orderId);
  const [title, words, text] = ASKED.accept;
  const { patient, collected_at } = result;
  const ordered = query.data?.patient_details ?? null;
  const isOfOther = namesDiffer(patient, ordered) || birthsDiffer(patient, ordered);
  const isBefore =
    collected_at !== null &&
    query.data !== undefined &&
    Date.parse(collected_at) < Date.parse(query.data.created_at) - DAY_MS;
  const isDoubtful = isOfOther || isBefore || isRefused(decide.error);
  const run = { ...decide, mutate: () => decide.mutate({ action: 'accept', isConfirmed }) };
  return (
    <FormModal
      title={title}
      action={words}
      isFinal
      isWhole={query.data !== undefined && (!isDoubtful || (isConfirmed && note.trim() !== ''))}
      size="lg"
      run={run}
      close={close}
    >
      <Loaded query={query}>
        {(order) => (
          <ComparePatients
            sides={['The report', 'The order']}
            one={patient}
            other={order.patient_details}
            more={[
              [
                'Collected, ordered',
                collected_at && <Time at={collected_at} />,
                <Time key="ordered" at={order.created_at} />,
                isBefore,
              ],
            ]}
          />
        )}
      </Loaded>
      <OrderInWords id={orderId} />
      {isDoubtful && (
        <>
          <Alert color="red" role="alert" title={isOfOther ? 'Another patient?' : 'Another order?'}>
            {isOfOther && 'The report names another patient than the order. '}
            {isBefore && 'The sample was collected before the order was made. '}A result at the wrong patient can harm
            two people.
          </Alert>
          <Checkbox
            label="I have made sure that this result belongs to this order"
            checked={isConfirmed}
            onChange={({ currentTarget }) => setConfirmed(currentTarget.checked)}
          />
          <NoteField value={note} onChange={setNote} problem={undefined} isRequired />
        </>
      )}
      <Text>{text}</Text>
    </FormModal>
  );
}
