import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { CopyableId } from '../../parts/copyable-id.tsx';
import { Section } from '../../parts/section.tsx';
import { describeError } from '../../parts/states.tsx';
import type { Endpoint } from './page.tsx';

const SECRET = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}/secret';

/** The secret that signs deliveries. It is read only when somebody wants to see it. */
export function Secret({ endpoint }: { endpoint: Endpoint }) {
  const path = { ...useTeamPath(), webhook_id: endpoint.id };
  const [isAsked, setAsked] = useState(false);
  const show = useMutation({ mutationFn: () => unwrap(phial.GET(SECRET, { params: { path } })) });
  const rotate = useMutation({
    mutationFn: () => unwrap(phial.POST(`${SECRET}/rotate`, { params: { path }, body: {} })),
    onSuccess: () => {
      setAsked(false);
      show.mutate();
    },
  });
  const error = show.error ?? rotate.error;
  return (
    <Section title="Signing secret">
      <Stack gap="sm">
        <Text c="dimmed">
          Your endpoint verifies with it that a delivery comes from here (Standard Webhooks). Keep it where you keep
          passwords.
        </Text>
        {show.data && <CopyableId value={show.data.key} isWhole label="secret" />}
        {rotate.isSuccess && (
          <Text size="sm" role="status">
            The secret is new. The one before still signs beside it for 24 hours.
          </Text>
        )}
        {error && (
          <Text c="var(--mantine-color-error)" role="alert">
            {describeError(error).title}
          </Text>
        )}
        <Group gap="xs">
          <Button variant="default" loading={show.isPending} onClick={() => show.mutate()}>
            Show
          </Button>
          <Button variant="default" onClick={() => setAsked(true)}>
            Replace
          </Button>
        </Group>
      </Stack>
      <Modal opened={isAsked} onClose={() => setAsked(false)} title="Replace the secret?">
        <Stack gap="md">
          <Text>
            Deliveries are signed with both secrets for 24 hours. Give your endpoint the new one within this time.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsked(false)}>
              Back
            </Button>
            <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
              Replace
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Section>
  );
}
