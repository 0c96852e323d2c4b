import { NativeSelect, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { FactList } from '../../parts/fact-list.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import { CalendarDate, Time, TimeIn } from '../../parts/time.tsx';
import type { Appointment } from './appointments-query.ts';

/** The form that cancels an appointment, with a reason of the list that the scheduler takes. */
export function CancelAppointment({ appointment, close }: { appointment: Appointment; close: () => void }) {
  const isAtHome = appointment.type === 'phlebotomy';
  const path = { order_id: appointment.order_id };
  const [reason, setReason] = useState('');
  const [notes, setNotes] = useState('');
  const { data: reasons = [] } = useQuery({
    queryKey: ['cancellation_reasons', appointment.type],
    queryFn: () =>
      isAtHome
        ? unwrap(phial.GET('/v3/order/phlebotomy/appointment/cancellation-reasons'))
        : unwrap(phial.GET('/v3/order/psc/appointment/cancellation-reasons')),
  });
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
      await readAgain('appointments', 'appointment', 'order');
    },
  });
  return (
    <FormModal
      title="Cancel this appointment?"
      action="Cancel the appointment"
      leave="Keep the appointment"
      isFinal
      isWhole={reason !== ''}
      run={cancel}
      close={close}
    >
      <Facts appointment={appointment} />
      <Text>The order stays. Your own programs can book another appointment for it. The dashboard cannot.</Text>
      <NativeSelect
        label="Reason"
        required
        data={[{ value: '', label: 'Choose a reason' }, ...reasons.map(({ id, name }) => ({ value: id, label: name }))]}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
      <Textarea
        label="Note"
        description="Whoever draws the sample gets the reason. The note stays on the page of the order."
        value={notes}
        onChange={({ currentTarget }) => setNotes(currentTarget.value)}
      />
    </FormModal>
  );
}

/** Whose appointment it is. Lists may leave names out, so the order is read. */
function Facts({ appointment }: { appointment: Appointment }) {
  const { order_id, client_user_id, order, start_at, iana_timezone: zone } = appointment;
  const { data } = useQuery({
    queryKey: ['order', order_id],
    queryFn: () => unwrap(phial.GET('/v3/order/{order_id}', { params: { path: { order_id } } })),
  });
  const patient = data?.patient_details ?? order.patient;
  return (
    <FactList
      facts={[
        ['Patient', (patient && `${patient.first_name ?? ''} ${patient.last_name ?? ''}`.trim()) || client_user_id],
        ['Born', patient && <CalendarDate date={patient.dob} />],
        ['Test', order.lab_test_name],
        ['Your time', start_at && <Time at={start_at} />],
        ['Time there', start_at && zone && <TimeIn at={start_at} zone={zone} />],
      ]}
    />
  );
}
