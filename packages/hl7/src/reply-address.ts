import type { Segment, Value } from './message.ts';

/** Returns fields 3 to 6 for the header of a reply to `header`: the sender and the receiver are exchanged. */
export function replyAddress(header: Segment | null): Record<number, Value> {
  const of = (field: number): string[] => (header?.fields[field]?.[0] ?? []).map((component) => component[0] ?? '');
  return { 3: of(5), 4: of(6), 5: of(3), 6: of(4) };
}
