import { NativeSelect, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { FormModal } from '../../parts/form-modal.tsx';
import type { Appointment } from './page.tsx';

/** The form that cancels an appointment, with a reason of the list that the scheduler takes. */
export function CancelAppointment({ appointment, close }: { appointment: Appointment; close: () => void }) {
  const isAtHome = appointment.type === 'phlebotomy';
  const path = { order_id: appointment.order_id };
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<string | null>(null);
  const [notes, setNotes] = useState('');
  const { data: reasons = [] } = useQuery({
    queryKey: ['cancellation_reasons', appointment.type],
    queryFn: () =>
      isAtHome
        ? unwrap(phial.GET('/v3/order/phlebotomy/appointment/cancellation-reasons'))
        : unwrap(phial.GET('/v3/order/psc/appointment/cancellation-reasons')),
  });
  const reason = chosen ?? reasons[0]?.id ?? '';
  const cancel = useMutation({
    mutationFn: () =>
      isAtHome
        ? unwrap(
            phial.PATCH('/v3/order/{order_id}/phlebotomy/appointment/cancel', {
              params: { path },
              body: { cancellation_reason_id: reason, ...(notes !== '' && { notes }) },
            }),
          )
        : unwrap(
            phial.PATCH('/v3/order/{order_id}/psc/appointment/cancel', {
              params: { path },
              body: { cancellationReasonId: reason, ...(notes !== '' && { note: notes }) },
            }),
          ),
    onSuccess: async () => {
      close();
      await queries.invalidateQueries({ queryKey: ['appointments'] });
    },
  });
  return (
    <FormModal
      title="Cancel this appointment?"
      action="Cancel the appointment"
      isFinal
      isWhole={reason !== ''}
      run={cancel}
      close={close}
    >
      <Text>The order stays, and can have another appointment.</Text>
      <NativeSelect
        label="Reason"
        data={reasons.map(({ id, name }) => ({ value: id, label: name }))}
        value={reason}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      />
      <Textarea label="Note" value={notes} onChange={({ currentTarget }) => setNotes(currentTarget.value)} />
    </FormModal>
  );
}
