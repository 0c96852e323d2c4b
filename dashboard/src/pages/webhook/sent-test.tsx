import { Group, Text } from '@mantine/core';
import { AttemptStatus } from '../../parts/attempt.tsx';
import { useMadeAttempt } from '../../parts/made-attempt.ts';

type Props = { eventId: string; webhookId: string };

/** Says what became of a test, once it is known. */
export function SentTest({ eventId: event_id, webhookId: webhook_id }: Props) {
  const made = useMadeAttempt({ event_id, webhook_id, before: 0 });
  if (!made) return <Text size="sm">The test is sent. Its attempt appears beneath as soon as it was made.</Text>;
  return (
    <Group gap="xs">
      <Text size="sm">The test is sent:</Text>
      <AttemptStatus attempt={made} />
    </Group>
  );
}
