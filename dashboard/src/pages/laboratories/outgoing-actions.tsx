import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useTeamPath } from '../../api/session.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import type { Entry } from './outgoing.tsx';

const ACTIONS = {
  resend: ['Send again', '/v1/org/{org_id}/team/{team_id}/{environment}/laboratory_outbox/{outbox_id}/resend'],
  give_up: ['Give up', '/v1/org/{org_id}/team/{team_id}/{environment}/laboratory_outbox/{outbox_id}/give_up'],
  hold: ['Hold', '/v1/org/{org_id}/team/{team_id}/{environment}/laboratory_outbox/{outbox_id}/hold'],
  release: ['Release', '/v1/org/{org_id}/team/{team_id}/{environment}/laboratory_outbox/{outbox_id}/release'],
} as const;
type Action = keyof typeof ACTIONS;

/** What can be done in this state. What the operator holds only the operator releases. */
function actionsOf({ state, held_by }: Entry): Action[] {
  if (state === 'refused') return ['resend', 'give_up'];
  if (state === 'committed') return ['give_up'];
  if (state === 'waiting') return ['hold'];
  return state === 'held' && held_by === 'organisation' ? ['release'] : [];
}

type ActionsProps = {
  entry: Entry;
  /** Is told of a message that somebody sends again. */
  noteSent: (entry: Entry) => void;
};

/** The buttons of a message to a laboratory. */
export function OutgoingActions({ entry, noteSent }: ActionsProps) {
  const [isAsking, setAsking] = useState(false);
  const path = useTeamPath();
  const act = useMutation({
    mutationFn: (action: Action) =>
      unwrap(phial.POST(ACTIONS[action][1], { params: { path: { ...path, outbox_id: entry.id } } })),
    onSuccess: async (_, action) => {
      setAsking(false);
      if (action === 'resend') noteSent(entry);
      await readAgain('laboratory_outbox', 'order', 'orders', 'order_counts');
    },
  });
  const possible = actionsOf(entry);
  if (possible.length === 0) return '–';
  return (
    <Stack gap={4} align="flex-start">
      <Group gap="xs">
        {possible.map((action) => (
          <Button
            key={action}
            size="xs"
            variant="default"
            loading={act.isPending && act.variables === action}
            onClick={() => (action === 'give_up' ? setAsking(true) : act.mutate(action))}
          >
            {ACTIONS[action][0]}
          </Button>
        ))}
      </Group>
      {!isAsking && <Refusal error={act.error} />}
      <FormModal
        isOpen={isAsking}
        close={() => setAsking(false)}
        title="Give up this message?"
        action="Give up"
        isFinal
        run={{ ...act, mutate: () => act.mutate('give_up') }}
      >
        <Text>
          {entry.action === 'new'
            ? 'Its tests fail. The order goes on with its other tests, or ends. This cannot be taken back.'
            : 'The cancellation is not sent again. This cannot be taken back.'}
        </Text>
      </FormModal>
    </Stack>
  );
}
