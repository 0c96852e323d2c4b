import { StatusBadge, type Tone } from './status-badge.tsx';

export const MESSAGE_STATES = ['failed', 'received', 'applied', 'discarded'] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

const SHOWN: Record<MessageState, [Tone, string]> = {
  failed: ['warning', 'To repair'],
  received: ['active', 'Not read'],
  applied: ['good', 'Applied'],
  discarded: ['quiet', 'Discarded'],
};

export const messageStateInWords = (state: MessageState): string => SHOWN[state][1];

type BadgeProps = { state: MessageState; reason?: string | null };

/** The state of a message of a laboratory. One that somebody mended is not thrown away: its new version counts. */
export function MessageStateBadge({ state, reason = null }: BadgeProps) {
  const [tone, words] = SHOWN[state];
  return (
    <StatusBadge tone={tone}>
      {state === 'discarded' && reason === 'repaired' ? 'Replaced by a mended one' : words}
    </StatusBadge>
  );
}
