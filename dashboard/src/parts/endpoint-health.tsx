import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../api/client.ts';
import { useTeamPath } from '../api/session.tsx';
import { formatCount } from './figure-tile.tsx';
import { useReadAfter } from './read-after.ts';
import { StatusBadge } from './status-badge.tsx';
import { Time } from './time.tsx';

const DAY_MS = 86_400_000;

/** The figures of an endpoint in the last 24 hours. */
export function useEndpointFigures(webhook_id: string) {
  const path = useTeamPath();
  return useQuery({
    queryKey: ['endpoint_figures', path.team_id, webhook_id],
    queryFn: () =>
      unwrap(
        phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}/metrics', {
          params: {
            path: { ...path, webhook_id },
            query: { since: new Date(Date.now() - DAY_MS).toISOString(), interval: '1h' },
          },
        }),
      ),
    refetchInterval: 30_000,
  });
}

/** The newest attempt at an endpoint. */
export function useNewestAttempt(webhook_id: string) {
  const path = useTeamPath();
  const { data } = useQuery({
    queryKey: ['attempts', path.team_id, webhook_id, 'newest'],
    queryFn: () =>
      unwrap(
        phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}/attempt', {
          params: { path: { ...path, webhook_id }, query: { limit: 1 } },
        }),
      ),
    refetchInterval: 30_000,
  });
  return data?.data[0];
}

/** Whether an attempt was made that no figure has yet: workers write their counts every ten seconds. */
export function useIsCounting(webhook_id: string): boolean {
  const { data } = useEndpointFigures(webhook_id);
  const newest = useNewestAttempt(webhook_id);
  const isNew = newest !== undefined && Date.parse(newest.created_at) > Date.now() - DAY_MS;
  const isCounting = isNew && data?.total.attempts === 0;
  useReadAfter(isCounting ? newest.id : undefined, 'endpoint_figures');
  return isCounting;
}

type Endpoint = { id: string; disabled: boolean | null; failing_since: string | null };

/** Whether an endpoint accepts what it is sent. */
export function Health({ endpoint: { id, disabled, failing_since } }: { endpoint: Endpoint }) {
  const { data } = useEndpointFigures(id);
  const isCounting = useIsCounting(id);
  if (disabled) return <StatusBadge tone="bad">Disabled</StatusBadge>;
  if (!data) return null;
  const { attempts, failed } = data.total;
  if (failing_since !== null)
    return (
      <Group gap={6} component="span">
        <StatusBadge tone="bad">Failing</StatusBadge>
        <Text size="sm" c="dimmed" component="span">
          since <Time at={failing_since} />, {formatCount(failed)} of {formatCount(attempts)} failed
        </Text>
      </Group>
    );
  if (isCounting) return <StatusBadge tone="quiet">Is being counted</StatusBadge>;
  if (attempts === 0) return <StatusBadge tone="quiet">Nothing sent</StatusBadge>;
  return (
    <Group gap={6} component="span">
      {failed === 0 ? (
        <StatusBadge tone="good">Healthy</StatusBadge>
      ) : (
        <StatusBadge tone={failed === attempts ? 'bad' : 'warning'}>
          {failed === attempts ? 'Failing' : 'Some fail'}
        </StatusBadge>
      )}
      <Text size="sm" c="dimmed" component="span">
        {failed === 0 ? `${formatCount(attempts)} sent` : `${formatCount(failed)} of ${formatCount(attempts)} failed`}
      </Text>
    </Group>
  );
}
