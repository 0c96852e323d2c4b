// Counts the records of a file that we do not store, by type and reason. Responses show these counts with the import.
import { isKnownName } from './known-names/is-known-name.ts';

/** The reasons why we do not store a record. */
export const SKIP_REASONS = ['not_kept', 'unreadable', 'impossible', 'empty'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/**
 * `type` is the name of a series or summary, or the name in the file for this kind of record. If the file has a name
 * that we do not know, `type` is `other`, because a person may have chosen the name.
 */
export type Skipped = { type: string; reason: SkipReason; records: number };

/** The type of records whose name is not known, and of further types if the list is full. */
const OTHER = 'other';
/** The most types in the list. Apple's Health app has some 200 types of records. */
const MAX_TYPES = 200;

/**
 * Adds to the counts. A type without a known name counts as `other`, and so does a further type if the list is full.
 */
export function addSkipped(counts: Skipped[], { type, reason, records }: Skipped): void {
  const ofName = (name: string): Skipped | undefined =>
    counts.find((each) => each.type === name && each.reason === reason);
  const named = isKnownName(type) ? type : OTHER;
  const known = ofName(named) ?? (counts.length >= MAX_TYPES ? ofName(OTHER) : undefined);
  if (known) known.records += records;
  else counts.push({ type: counts.length >= MAX_TYPES ? OTHER : named, reason, records });
}

/**
 * Whether a value has the shape of `Skipped`. The value comes from the parser process, and a malicious file may have
 * taken control of that process.
 */
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
