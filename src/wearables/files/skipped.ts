// What of a file is not stored. It is counted by type and reason, so that an import that leaves something out says what.
import { isKnownName } from './known-names/known.ts';

/** Why a record is not stored. */
export const SKIP_REASONS = ['not_kept', 'unreadable', 'impossible', 'empty'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/**
 * `type`: as the file names its kind of record, where that is a name that we know, or the name of the series or summary that it would have
 * been; `other` of all that has another name.
 */
export type Skipped = { type: string; reason: SkipReason; records: number };

/** What has no name that is known, or none in the list. */
const OTHER = 'other';
/** Apple's Health app has some 200 types of records. */
const MOST_TYPES = 200;

/** Adds to the counts; what has no known name, and what are too many, counts as `other`. */
export function addSkipped(counts: Skipped[], { type, reason, records }: Skipped): void {
  const ofName = (name: string): Skipped | undefined =>
    counts.find((each) => each.type === name && each.reason === reason);
  const named = isKnownName(type) ? type : OTHER;
  const known = ofName(named) ?? (counts.length >= MOST_TYPES ? ofName(OTHER) : undefined);
  if (known) known.records += records;
  else counts.push({ type: counts.length >= MOST_TYPES ? OTHER : named, reason, records });
}

/** Whether a value is such a count; a process that has read a stranger's file may write what it likes. */
export function isSkipped(value: unknown): value is Skipped {
  const { type, reason, records } = (value ?? {}) as Partial<Record<keyof Skipped, unknown>>;
  return (
    typeof type === 'string' &&
    SKIP_REASONS.includes(reason as SkipReason) &&
    Number.isSafeInteger(records) &&
    (records as number) > 0
  );
}

export const sumOf = (counts: Skipped[]): number => counts.reduce((sum, { records }) => sum + records, 0);
