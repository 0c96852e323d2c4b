import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useTeamPath } from '../../api/session.tsx';
import { CopyableId } from '../../parts/copyable-id.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { Section } from '../../parts/section.tsx';
import { Time } from '../../parts/time.tsx';
import type { Endpoint } from './endpoint-query.ts';

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
      return readAgain('webhook');
    },
  });
  return (
    <Section title="Signing secret">
      <Stack gap="sm">
        <Text c="dimmed">
          Your endpoint verifies with it that a delivery comes from here (Standard Webhooks). Keep it where you keep
          passwords.
        </Text>
        {show.data && <CopyableId value={show.data.key} isWhole label="secret" />}
        <Text size="sm" role="status">
          {rotate.isSuccess && 'The secret is new. '}
          {endpoint.former_secret_ends_at !== null && (
            <>
              The former secret signs until <Time at={endpoint.former_secret_ends_at} />, beside the new one.
            </>
          )}
        </Text>
        <Refusal error={show.error} />
        <Group gap="xs">
          <Button variant="default" loading={show.isPending} onClick={() => (show.data ? show.reset() : show.mutate())}>
            {show.data ? 'Hide' : 'Show'}
          </Button>
          <Button variant="default" onClick={() => setAsked(true)}>
            Replace
          </Button>
        </Group>
      </Stack>
      <FormModal
        isOpen={isAsked}
        close={() => setAsked(false)}
        title="Replace the secret?"
        action="Replace"
        isFinal
        run={rotate}
      >
        <Text>
          Deliveries are signed with both secrets for 24 hours. Give your endpoint the new one within this time.
        </Text>
      </FormModal>
    </Section>
  );
}
