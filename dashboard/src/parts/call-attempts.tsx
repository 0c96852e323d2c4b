import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { CriticalEntry } from './critical-result.tsx';
import { orderNotesQuery } from './order-notes.ts';
import { Time } from './time.tsx';

/** A note that begins so tells of a call that reached nobody. The service keeps such a call only as a note. */
const BEGINNING = 'Critical result, nobody was reached yet: ';
/** The notes of the order have the others. */
const SHOWN = 3;

export const noteOfAttempt = (text: string): string => `${BEGINNING}${text}`;

type Props = {
  entry: CriticalEntry;
  /** The orders of all entries that the page shows, whose notes are read together. */
  orders: string[];
};

/** Who tried to call about a critical result and reached nobody, the newest first. */
export function CallAttempts({ entry: { order_id, received_at }, orders }: Props) {
  // What people do here is read again at once.
  const { data } = useQuery({ ...orderNotesQuery(orders), staleTime: 60_000 });
  const attempts = (data?.data ?? []).filter(
    ({ text, created_at, ...note }) =>
      note.order_id === order_id && text.startsWith(BEGINNING) && Date.parse(created_at) >= Date.parse(received_at),
  );
  if (attempts.length === 0) return null;
  return (
    <Stack gap={2} mt="md">
      {attempts.slice(0, SHOWN).map(({ id, author, created_at, text }) => (
        <Text key={id} size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {author} reached nobody, <Time at={created_at} />: {text.slice(BEGINNING.length)}
        </Text>
      ))}
      {attempts.length > SHOWN && (
        <Text size="sm" c="dimmed">
          {`${attempts.length - SHOWN} earlier: see the notes of the order.`}
        </Text>
      )}
    </Stack>
  );
}
