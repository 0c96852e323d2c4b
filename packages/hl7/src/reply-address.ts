import type { Segment, Value } from './message.ts';

/**
 * Returns MSH-3 to MSH-6 for a reply to the message of this header. The receiver becomes the sender, and the sender the
 * receiver.
 */
export function replyAddress(header: Segment | null): Record<number, Value> {
  const of = (field: number): string[] => (header?.fields[field]?.[0] ?? []).map((component) => component[0] ?? '');
  return { 3: of(5), 4: of(6), 5: of(3), 6: of(4) };
}
