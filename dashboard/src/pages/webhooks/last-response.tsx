import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { AttemptStatus } from '../../parts/attempt.tsx';
import { Ago } from '../../parts/time.tsx';

/** What the endpoint answered to the newest attempt. */
export function LastResponse({ endpoint: { id: webhook_id } }: { endpoint: { id: string } }) {
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
  const newest = data?.data[0];
  if (!newest) return '–';
  return (
    <>
      <AttemptStatus attempt={newest} />
      <Text size="sm" c="dimmed">
        <Ago at={newest.created_at} />
      </Text>
    </>
  );
}
