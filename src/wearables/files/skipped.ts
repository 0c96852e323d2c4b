// Counts the records of a file that we do not store, by type and reason. An import shows these counts.
import { isKnownName } from './known-names/is-known-name.ts';

/** The reasons for which we do not store a record. */
export const SKIP_REASONS = ['not_kept', 'unreadable', 'impossible', 'empty'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/**
 * `type` is the file's name for the kind of record, if this is a known name, or the name of the series or summary. We
 * count all other records as `other`.
 */
export type Skipped = { type: string; reason: SkipReason; records: number };

/** The type of records without a known name. If the list is full, records of further types also get this type. */
const OTHER = 'other';
/** The most types in the list. Apple's Health app has some 200 types of records. */
const MOST_TYPES = 200;

/** Adds to the counts. Counts a type without a known name, and a type for which the list has no space, as `other`. */
export function addSkipped(counts: Skipped[], { type, reason, records }: Skipped): void {
  const ofName = (name: string): Skipped | undefined =>
    counts.find((each) => each.type === name && each.reason === reason);
  const named = isKnownName(type) ? type : OTHER;
  const known = ofName(named) ?? (counts.length >= MOST_TYPES ? ofName(OTHER) : undefined);
  if (known) known.records += records;
  else counts.push({ type: counts.length >= MOST_TYPES ? OTHER : named, reason, records });
}

/** Whether a value is such a count. The parser process has read an untrusted file, so its output is untrusted too. */
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
