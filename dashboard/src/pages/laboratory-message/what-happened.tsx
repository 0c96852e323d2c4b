import { Anchor, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { reasonInWords } from '../../parts/message-reasons.ts';
import type { MessageState } from '../../parts/message-state.tsx';
import type { Tone } from '../../parts/status-badge.tsx';
import type { Message } from './message-query.ts';
import { Notice } from './notice.tsx';

type Props = { message: Message; outcome: { id: string; state: MessageState; reason: string | null } };

const SHOWN: Record<MessageState, { tone: Tone; is: string }> = {
  applied: { tone: 'good', is: 'was applied' },
  failed: { tone: 'warning', is: 'still waits' },
  discarded: { tone: 'quiet', is: 'was discarded' },
  received: { tone: 'quiet', is: 'is about to be read' },
};

/** The outcome of a repair, of another try, or of a discard. */
export function WhatHappened({ message, outcome: { id, state, reason } }: Props) {
  const isReplaced = id !== message.id;
  const { tone, is } = SHOWN[state];
  return (
    <Notice tone={tone} title={`${isReplaced ? 'The mended message' : 'It'} ${is}`} role="status">
      {state === 'applied' && reason === null && <Text>What the laboratory reported is on the order now.</Text>}
      {state === 'discarded' && <Text>Nothing of it waits any more.</Text>}
      {reason !== null && state !== 'discarded' && <Text>{reasonInWords(reason)}.</Text>}
      <Group gap="md" mt="xs">
        {message.order_id !== null && (
          <Anchor component={Link} to={`/orders/${message.order_id}`}>
            Open the order
          </Anchor>
        )}
        {isReplaced && (
          <Anchor component={Link} to={`/laboratories/messages/${id}`}>
            {state === 'failed' ? 'Mend the new version' : 'The mended message'}
          </Anchor>
        )}
        <Anchor component={Link} to="/laboratories">
          All that wait
        </Anchor>
      </Group>
    </Notice>
  );
}
