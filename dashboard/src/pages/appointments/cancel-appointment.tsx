import { Button, Group, Modal, NativeSelect, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { describeError } from '../../parts/states.tsx';
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
    <Modal opened onClose={close} title="Cancel this appointment?">
      <Stack gap="md">
        <Text>The order stays, and can have another appointment.</Text>
        <NativeSelect
          label="Reason"
          data={reasons.map(({ id, name }) => ({ value: id, label: name }))}
          value={reason}
          onChange={({ currentTarget }) => setChosen(currentTarget.value)}
        />
        <Textarea label="Note" value={notes} onChange={({ currentTarget }) => setNotes(currentTarget.value)} />
        {cancel.error && (
          <Text c="var(--mantine-color-error)" role="alert">
            {describeError(cancel.error).title}
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Back
          </Button>
          <Button color="red" disabled={reason === ''} loading={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel the appointment
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
