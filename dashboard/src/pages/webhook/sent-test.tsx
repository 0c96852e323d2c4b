import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useTeamPath } from '../../api/session.tsx';
import { AttemptStatus } from '../../parts/attempt.tsx';
import { useFiguresAfter } from './figures-after.ts';

const EVENT_ATTEMPTS = '/v1/org/{org_id}/team/{team_id}/{environment}/event/{event_id}/attempt';
const AGAIN_MS = 1_000;
/** A test that an endpoint does not get within this many looks waits for longer: the endpoint is disabled or busy. */
const MOST_LOOKS = 30;

/** Says what became of a test, once it is known, and has the page read again what the test changes. */
export function SentTest({ eventId }: { eventId: string }) {
  const path = { ...useTeamPath(), event_id: eventId };
  const query = useQuery({
    queryKey: ['event_attempts', path.team_id, eventId, 'test'],
    queryFn: () => unwrap(phial.GET(EVENT_ATTEMPTS, { params: { path } })),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      (data?.data.length ?? 0) > 0 || dataUpdateCount >= MOST_LOOKS ? false : AGAIN_MS,
  });
  const newest = query.data?.data[0];
  useEffect(() => {
    if (newest) void readAgain('attempts', 'webhook');
  }, [newest]);
  useFiguresAfter(newest?.id);
  if (!newest) return <Text size="sm">The test is sent. Its attempt appears beneath as soon as it was made.</Text>;
  return (
    <Group gap="xs">
      <Text size="sm">The test is sent:</Text>
      <AttemptStatus attempt={newest} />
    </Group>
  );
}
