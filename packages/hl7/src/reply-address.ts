import type { Segment, Value } from './message.ts';

/** Fields 3 to 6 of a header that answers `header`: its receiver becomes the sender, its sender the receiver. */
export function replyAddress(header: Segment | null): Record<number, Value> {
  const of = (field: number): string[] => (header?.fields[field]?.[0] ?? []).map((component) => component[0] ?? '');
  return { 3: of(5), 4: of(6), 5: of(3), 6: of(4) };
}
