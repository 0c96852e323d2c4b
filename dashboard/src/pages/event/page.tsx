import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { AttemptStatus, Resend, ShownAttempt, type AttemptSummary } from '../../parts/attempt.tsx';
import { CopyableId } from '../../parts/copyable-id.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { useEndpointName } from '../../parts/endpoint-names.ts';
import { JsonView } from '../../parts/json-view.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/states.tsx';
import { inWords, StatusBadge } from '../../parts/status-badge.tsx';
import { Ago, Time } from '../../parts/time.tsx';

const EVENT = '/v1/org/{org_id}/team/{team_id}/{environment}/event/{event_id}';

/** One event: its payload, and every attempt to deliver it. */
export default function EventPage() {
  const { event: event_id } = useParams({ strict: false }) as { event: string };
  const path = { ...useTeamPath(), event_id };
  const query = useQuery({
    queryKey: ['event', path.team_id, event_id],
    queryFn: () => unwrap(phial.GET(EVENT, { params: { path } })),
  });
  return (
    <Loaded query={query}>
      {({ id, event_type, created_at, user_id, body }) => (
        <Page
          title={event_type}
          about={
            <Group gap="sm" component="span">
              <CopyableId value={id} label="id of the event" />
              <Time at={created_at} />
              {user_id !== null && (
                <Anchor component={Link} to={`/users/${user_id}`}>
                  The user
                </Anchor>
              )}
            </Group>
          }
        >
          <Deliveries eventId={id} />
          <Section title="Payload">
            {body === null ? <Text c="dimmed">It is no longer stored.</Text> : <JsonView value={JSON.parse(body)} />}
          </Section>
        </Page>
      )}
    </Loaded>
  );
}

function Deliveries({ eventId }: { eventId: string }) {
  const path = { ...useTeamPath(), event_id: eventId };
  const endpointName = useEndpointName();
  const [opened, setOpened] = useState<AttemptSummary | null>(null);
  const query = useQuery({
    queryKey: ['event_attempts', path.team_id, eventId, 'page'],
    queryFn: () => unwrap(phial.GET(`${EVENT}/attempt`, { params: { path, query: { limit: 100 } } })),
    refetchInterval: 10_000,
  });
  const columns: Column<AttemptSummary>[] = [
    {
      label: 'Outcome',
      isHeader: true,
      render: (attempt) => (
        <Anchor component="button" type="button" onClick={() => setOpened(attempt)}>
          <AttemptStatus attempt={attempt} />
        </Anchor>
      ),
    },
    {
      label: 'Endpoint',
      render: ({ webhook_id }) => (
        <Anchor component={Link} to={`/webhooks/${webhook_id}`} style={{ overflowWrap: 'anywhere' }}>
          {endpointName(webhook_id)}
        </Anchor>
      ),
    },
    { label: 'Attempt', render: ({ attempt }) => attempt },
    { label: 'When', render: ({ created_at }) => <Ago at={created_at} /> },
    { label: 'Again', render: (attempt) => <Resend attempt={attempt} /> },
  ];
  return (
    <Section title="Deliveries">
      <Loaded query={query}>
        {({ data, waiting }) => (
          <Stack gap="md">
            {waiting.map(({ webhook_id, status, attempts, next_attempt_at }) => (
              <Group key={webhook_id} gap="xs">
                <StatusBadge tone="active">{inWords(status)}</StatusBadge>
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  for {endpointName(webhook_id)}, {attempts} attempts so far
                  {next_attempt_at !== null && (
                    <>
                      , next <Ago at={next_attempt_at} isDue />
                    </>
                  )}
                </Text>
              </Group>
            ))}
            {data.length === 0 ? (
              <Text c="dimmed">{waiting.length === 0 ? 'No endpoint gets this event.' : 'No attempt yet.'}</Text>
            ) : (
              <DataTable caption="Attempts" columns={columns} rows={data} keyOf={({ id }) => id} />
            )}
          </Stack>
        )}
      </Loaded>
      {opened && <ShownAttempt attempt={opened} close={() => setOpened(null)} />}
    </Section>
  );
}
