import type { WebhookEventType } from '@phial/client';
import { Select, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { useEventTypes } from '../../parts/endpoint-form.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import type { Endpoint } from './endpoint-query.ts';

type Props = { endpoint: Endpoint; close: () => void; onSent: (eventId: string) => void };

/** Sends the example of an event to the endpoint, marked as a test. */
export function SendTest({ endpoint, close, onSent }: Props) {
  const path = useTeamPath();
  const { data } = useEventTypes();
  const [type, setType] = useState<WebhookEventType>('labtest.order.created');
  const send = useMutation({
    mutationFn: () =>
      unwrap(
        phial.POST('/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}/test', {
          params: { path: { ...path, webhook_id: endpoint.id } },
          body: { event_type: type },
        }),
      ),
    onSuccess: ({ event_id }) => {
      close();
      onSent(event_id);
    },
  });
  return (
    <FormModal title="Send a test" action="Send" run={send} close={close}>
      <Text>An example of the event goes to this endpoint alone, signed as every other. Its person is invented.</Text>
      <Select
        label="Event"
        searchable
        // The field has the focus when the dialogue opens. Its list would hide the buttons.
        openOnFocus={false}
        allowDeselect={false}
        data={(data?.data ?? []).map(({ name }) => name)}
        value={type}
        onChange={(value) => value !== null && setType(value as WebhookEventType)}
      />
    </FormModal>
  );
}
