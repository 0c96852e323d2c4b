import type { KeptMissing, KeptResult, Withdrawn } from '../kept-report.ts';

/** What is known under one key of an order's report. */
export type Entry =
  { of: 'result'; entry: KeptResult } | { of: 'missing'; entry: KeptMissing } | { of: 'withdrawn'; entry: Withdrawn };

export const isPreliminary = (told: Entry): boolean => told.of === 'result' && told.entry.status === 'partial';

/** When the laboratory last said so; empty where it never did: a final report just does not have it. */
const reportedAt = ({ of, entry }: Entry): string =>
  entry.as_of?.reported_at ?? (of === 'result' ? entry.timestamp : entry.reported_at) ?? '';

const isUndated = ({ entry }: Entry): boolean => entry.as_of?.undated === true;

/**
 * Which of two words about one thing stands: what is final before what is preliminary, then what has a time of its result
 * (OBR-22) or corrects before what has none (record 395), then the later of these times, then that of the message (MSH-7), then
 * the arrival. Where a message has no time, nothing that arrives brings back
 * what was withdrawn.
 */
export function isNewer(told: Entry, known: Entry): boolean {
  if (isPreliminary(told) !== isPreliminary(known)) return isPreliminary(known) || reportedAt(known) === '';
  const [then, now] = [reportedAt(known), reportedAt(told)];
  if (then !== '' && isUndated(told) !== isUndated(known)) return isUndated(known);
  if (now !== then) return now > then;
  const [sentThen, sentNow] = [known.entry.as_of?.sent_at ?? null, told.entry.as_of?.sent_at ?? null];
  if (sentThen === null || sentNow === null) return known.of !== 'withdrawn' || told.of === 'withdrawn';
  return sentNow >= sentThen;
}
