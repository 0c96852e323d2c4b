import { Text } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { FormModal } from '../../parts/form-modal.tsx';
import { OrderInWords } from './order-in-words.tsx';

export type Action = 'accept' | 'reject' | 'unsure';

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
  orderId: string;
  decide: UseMutationResult<unknown, Error, Action>;
  close: () => void;
};

/** Asks once more before a result gets to an order or is discarded. */
export function ConfirmDecision({ action, orderId, decide, close }: ConfirmDecisionProps) {
  const [title, words, text] = ASKED[action];
  const run = { isPending: decide.isPending, error: decide.error, mutate: () => decide.mutate(action) };
  return (
    <FormModal title={title} action={words} isFinal={action !== 'unsure'} run={run} close={close}>
      {action === 'accept' && <OrderInWords id={orderId} />}
      <Text>{text}</Text>
    </FormModal>
  );
}
