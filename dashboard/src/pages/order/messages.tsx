import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { refusalInWords } from '../../parts/refusals.ts';
import { Section } from '../../parts/section.tsx';
import { inWords, StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import type { Order } from './order-query.ts';

/** What went to the laboratory about the order, and what came from it. Nothing for a laboratory without messages. */
export function Messages({ order }: { order: Order }) {
  const path = useTeamPath();
  const { data } = useQuery({
    queryKey: ['order_messages', path.team_id, order.id],
    queryFn: async () => {
      const params = { path, query: { order_id: order.id, limit: 50 } };
      const mended = { path, query: { ...params.query, state: 'discarded', reason: 'repaired' } };
      const [waiting, replaced, outgoing] = await Promise.all([
        unwrap(phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/laboratory_message', { params })),
        unwrap(phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/laboratory_message', { params: mended })),
        unwrap(phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/laboratory_outbox', { params })),
      ]);
      return { incoming: [...waiting.data, ...replaced.data], outgoing: outgoing.data };
    },
    retry: false,
  });
  if (!data || data.incoming.length + data.outgoing.length === 0) return null;
  return (
    <Section title="Laboratory messages">
      <Stack gap="xs">
        {data.incoming.map(({ id, state, received_at, reason }) => (
          <Group key={id} gap="xs">
            {reason === 'repaired' ? (
              <StatusBadge tone="quiet">Mended by a person</StatusBadge>
            ) : (
              <StatusBadge tone="warning">{inWords(state)}</StatusBadge>
            )}
            <Anchor component={Link} to={`/laboratories/messages/${id}`} size="sm">
              Message from the laboratory
            </Anchor>
            <Text size="sm" c="dimmed">
              <Time at={received_at} />
              {reason && reason !== 'repaired' && ` · ${inWords(reason)}`}
            </Text>
          </Group>
        ))}
        {data.outgoing.map(({ id, state, reason }) => (
          <Group key={id} gap="xs">
            <StatusBadge tone="warning">{inWords(state)}</StatusBadge>
            <Text size="sm">
              Message to the laboratory
              {reason && ` · ${refusalInWords(reason)}`}
            </Text>
          </Group>
        ))}
      </Stack>
    </Section>
  );
}
