import { Anchor, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { AttemptStatus } from '../../parts/attempt.tsx';
import { hostAndEnd, useEndpointName } from '../../parts/endpoint-names.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import classes from './told.module.css';

/** What waits is mostly sent within seconds. A retry may wait for hours. */
const [SOON_MS, LATER_MS] = [3_000, 30_000];
const SOON_LOOKS = 20;

type ToldProps = {
  event: { id: string; event_type: string };
  /** What the event is, if its step does not say so. */
  label: string | null;
};

const read = (path: ReturnType<typeof useTeamPath>, event_id: string) =>
  unwrap(
    phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/event/{event_id}/attempt', {
      params: { path: { ...path, event_id }, query: { limit: 50 } },
    }),
  );
type Attempts = Awaited<ReturnType<typeof read>>;
type Attempt = Attempts['data'][number];

/** Whether the endpoints of the team got an event, in a line. It opens to the newest attempt at each. */
export function Told({ event, label }: ToldProps) {
  const path = useTeamPath();
  const { data } = useQuery({
    queryKey: ['event_attempts', path.team_id, event.id],
    queryFn: () => read(path, event.id),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      (data?.waiting.length ?? 0) === 0 ? false : dataUpdateCount < SOON_LOOKS ? SOON_MS : LATER_MS,
    // A plan without webhooks refuses this, and the status is still worth showing.
    retry: false,
  });
  if (!data)
    return label === null ? null : (
      <Text size="sm" c="dimmed">
        {label}
      </Text>
    );
  const newest = [...new Map(data.data.toReversed().map((attempt) => [attempt.webhook_id, attempt])).values()];
  return (
    <details className={classes['told']}>
      <summary>
        {label !== null && `${label}: `}
        <InShort newest={newest} waiting={data.waiting.length} />
      </summary>
      <ul>
        {newest.map((attempt) => (
          <li key={attempt.id}>
            <AtEndpoint attempt={attempt} />
          </li>
        ))}
        <li>
          <Anchor component={Link} to={`/events/${event.id}`} size="sm">
            {event.event_type}
          </Anchor>
        </li>
      </ul>
    </details>
  );
}

const endpoints = (count: number): string => (count === 1 ? '1 endpoint' : `${count} endpoints`);

function InShort({ newest, waiting }: { newest: Attempt[]; waiting: number }) {
  const failed = newest.filter(({ status }) => status !== 'succeeded');
  if (failed.length > 0)
    return (
      <StatusBadge tone={failed.some(({ status }) => status === 'exhausted') ? 'bad' : 'warning'}>
        {`${failed.length} of ${endpoints(newest.length)} failed`}
      </StatusBadge>
    );
  if (newest.length > 0) return `Told ${endpoints(newest.length)}`;
  return waiting > 0 ? 'Waits to be sent' : 'No endpoint gets it';
}

function AtEndpoint({ attempt }: { attempt: Attempt }) {
  const address = useEndpointName()(attempt.webhook_id);
  return (
    <Group gap={6}>
      <AttemptStatus attempt={attempt} />
      <Text size="sm" span title={address}>
        {hostAndEnd(address)}
      </Text>
    </Group>
  );
}
