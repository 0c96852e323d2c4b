import { Text } from '@mantine/core';
import { AttemptStatus } from '../../parts/attempt.tsx';
import { useNewestAttempt } from '../../parts/endpoint-health.tsx';
import { Ago } from '../../parts/time.tsx';

/** What the endpoint answered to the newest attempt. */
export function LastResponse({ endpoint: { id } }: { endpoint: { id: string } }) {
  const newest = useNewestAttempt(id);
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
