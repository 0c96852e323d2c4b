import type { StoredMissingResult, StoredResult, Withdrawn } from '../stored-report.ts';

/** The entry that we store under one key of an order's report. */
export type Entry =
  | { of: 'result'; entry: StoredResult }
  | { of: 'missing'; entry: StoredMissingResult }
  | { of: 'withdrawn'; entry: Withdrawn };

export const isPreliminary = (value: Entry): boolean => value.of === 'result' && value.entry.status === 'partial';

/**
 * Returns the time at which the laboratory last reported this entry. Returns an empty text if it never did: the entry
 * says that the final report lacks a value.
 */
const reportedAt = ({ of, entry }: Entry): string =>
  entry.as_of?.reported_at ?? (of === 'result' ? entry.timestamp : entry.reported_at) ?? '';

const isUndated = ({ entry }: Entry): boolean => entry.as_of?.undated === true;

/**
 * Returns whether a reported entry replaces the known entry. The first rule that distinguishes the two decides:
 * 1. A final entry replaces a preliminary one. A preliminary entry never replaces a final one that the laboratory
 * reported.
 * 2. An entry that has its own time (OBR-22), or that corrects a value, replaces an entry without its own time.
 * 3. The entry with the later time of the result replaces the other.
 * 4. The entry with the later time of the message (MSH-7) replaces the other.
 * 5. The entry that arrives later replaces the other. But if one of the messages has no time, a withdrawn value stays
 * withdrawn.
 */
export function isNewer(reported: Entry, known: Entry): boolean {
  if (isPreliminary(reported) !== isPreliminary(known)) return isPreliminary(known) || reportedAt(known) === '';
  const [then, now] = [reportedAt(known), reportedAt(reported)];
  if (then !== '' && isUndated(reported) !== isUndated(known)) return isUndated(known);
  if (now !== then) return now > then;
  const [sentThen, sentNow] = [known.entry.as_of?.sent_at ?? null, reported.entry.as_of?.sent_at ?? null];
  if (sentThen === null || sentNow === null) return known.of !== 'withdrawn' || reported.of === 'withdrawn';
  return sentNow >= sentThen;
}
