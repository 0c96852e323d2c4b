// Why an appointment ended without a draw, as its newest event says.
import { inWords } from './status-badge.tsx';

type Ended = { status: string; event_data: Record<string, unknown> | null };

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** The reason and the note of a cancellation. Lists leave the note out if their team shows the minimum of a patient. */
export function whyEnded({ status, event_data: data }: Ended): { reason: string | null; note: string | null } {
  if (status !== 'cancelled' || data === null) return { reason: null, note: null };
  const code = textOf(data['reason']) ?? textOf(data['refused']);
  return { reason: textOf(data['cancellation_reason']) ?? (code && inWords(code)), note: textOf(data['notes']) };
}

/** The same as facts with their labels. */
export function endFacts(appointment: Ended): [label: string, value: string | null][] {
  const { reason, note } = whyEnded(appointment);
  return [
    ['Cancelled because', reason],
    ['Note', note],
  ];
}
