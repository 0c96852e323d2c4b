import { Checkbox, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { problemOf } from '../../parts/field-problems.ts';
import { FormModal } from '../../parts/form-modal.tsx';
import type { Entry } from './page.tsx';

type Props = { entry: Entry; close: () => void };

/** The form of an acknowledgement: who was called and when, and whether the values were read back. */
export function Acknowledge({ entry: { id }, close }: Props) {
  const [person, setPerson] = useState('');
  const [calledAt, setCalledAt] = useState(nowLocal);
  const [readBack, setReadBack] = useState(false);
  const [note, setNote] = useState('');
  const decision = useDecision(close, () =>
    unwrap(
      phial.POST('/v3/critical_result/{critical_result_id}/acknowledge', {
        params: { path: { critical_result_id: id } },
        body: {
          ...(person !== '' && {
            called_person: person,
            called_at: new Date(calledAt).toISOString(),
            read_back: readBack,
          }),
          ...(note !== '' && { note }),
        },
      }),
    ),
  );
  return (
    <FormModal title="Acknowledge the critical result" action="Acknowledge" run={decision} close={close}>
      <TextInput
        label="Who was called"
        description="The physician or nurse who was told. Leave it empty if nobody was reached yet."
        maxLength={200}
        value={person}
        onChange={({ currentTarget }) => setPerson(currentTarget.value)}
        error={problemOf(decision.error, 'called_person')}
        data-autofocus
      />
      {person !== '' && (
        <>
          <TextInput
            label="When"
            type="datetime-local"
            required
            value={calledAt}
            onChange={({ currentTarget }) => setCalledAt(currentTarget.value)}
            error={problemOf(decision.error, 'called_at')}
          />
          <Checkbox
            label="The values were read back, and they were right"
            checked={readBack}
            onChange={({ currentTarget }) => setReadBack(currentTarget.checked)}
          />
        </>
      )}
      <Textarea
        label="Note"
        autosize
        minRows={2}
        maxLength={4_000}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
        error={problemOf(decision.error, 'note')}
      />
    </FormModal>
  );
}

export function SignOff({ entry: { id }, close }: Props) {
  const [note, setNote] = useState('');
  const decision = useDecision(close, () =>
    unwrap(
      phial.POST('/v3/critical_result/{critical_result_id}/sign_off', {
        params: { path: { critical_result_id: id } },
        body: note === '' ? {} : { note },
      }),
    ),
  );
  return (
    <FormModal title="Sign off the critical result" action="Sign off" run={decision} close={close}>
      <Textarea
        label="What was decided"
        autosize
        minRows={3}
        maxLength={4_000}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
        error={problemOf(decision.error, 'note')}
        data-autofocus
      />
    </FormModal>
  );
}

/** This minute, as a field for date and time writes it. */
function nowLocal(): string {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function useDecision(close: () => void, decide: () => Promise<unknown>) {
  return useMutation({
    mutationFn: decide,
    onSuccess: async () => {
      close();
      await readAgain('critical_results', 'order_counts');
    },
  });
}
