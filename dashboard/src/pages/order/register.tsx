import { Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useSession } from '../../api/session.tsx';
import { useProblems } from '../../parts/field-problems.ts';
import { FormModal } from '../../parts/form-modal.tsx';
import { usePerson } from '../../parts/people.tsx';
import { FormRefusal } from '../../parts/refusal.tsx';
import { keepPerson, NOBODY, TESTED_FIELDS, TestedFields, testedIn } from '../../parts/tested-person.tsx';
import { isOpen, type Order } from './order-query.ts';

/** True for a kit whose patient is not known yet. It goes no further than to the patient. */
export const waitsForRegistration = ({ details, patient_details, last_event }: Order): boolean =>
  details.type === 'testkit' && patient_details === null && isOpen(last_event.status);

/** Registers the kit: says who gives the sample, and who signs the order. */
export function Register({ order, close }: { order: Order; close: () => void }) {
  const { environment } = useSession();
  const { user_id, lab_test } = order;
  const [sampleId, setSampleId] = useState(order.sample_id ?? '');
  const [tested, setTested] = useState(NOBODY);
  const person = usePerson(user_id);
  const body = { user_id, lab_test_id: lab_test.id, sample_id: sampleId, ...testedIn(tested) };
  const registration = useMutation({
    mutationFn: async () => {
      await unwrap(phial.POST('/v3/order/testkit/register', { body }));
      if (person === null && tested.isUser) await keepPerson(user_id, tested);
    },
    onSuccess: async () => {
      close();
      await readAgain('order', 'orders', 'order_events', 'order_counts');
    },
  });
  const problems = useProblems(registration.error, body, ['sample_id', ...TESTED_FIELDS]);
  return (
    <FormModal
      title="Register the kit"
      action="Register"
      size="lg"
      run={registration}
      refusal={<FormRefusal error={registration.error} problems={problems} />}
      close={close}
    >
      <Text>Who uses this kit? The laboratory tests the sample of the person whom you name.</Text>
      <TextInput
        label="Sample id"
        description={
          environment === 'sandbox' && order.sample_id === null
            ? 'Printed on the kit. The kit of a sandbox has none before it is sent: write one, such as KIT-1.'
            : 'Printed on the kit.'
        }
        required
        maxLength={64}
        value={sampleId}
        onChange={({ currentTarget }) => setSampleId(currentTarget.value)}
        error={problems.at('sample_id')}
      />
      <TestedFields userId={user_id} value={tested} onChange={setTested} problem={problems.at} />
    </FormModal>
  );
}
