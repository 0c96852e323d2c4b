import type { Static } from 'typebox';
import type { ReportedTest } from './lab-report.ts';
import type { BiomarkerResult, LabResults, MissingResult, PastResult as PastResultSchema } from './schemas.ts';

/**
 * The fields of every entry of a report. `key` identifies the entry in all versions of the report. `as_of` says when
 * the laboratory last reported the entry: the time of the result, and the time of the message. With `undated` the
 * result has no time of its own, and `reported_at` is the time of the message. Versions of early releases lack `as_of`.
 */
type StoredEntry = { key: string; as_of?: { reported_at: string; sent_at: string | null; undated?: true } };

/** `sent_at` is the time at which the laboratory wrote the message with this value. */
export type PastResult = Static<typeof PastResultSchema> & { sent_at: string | null };
export type StoredResult = Omit<Static<typeof BiomarkerResult>, 'history'> & StoredEntry & { history: PastResult[] };
/**
 * `reported_at` is null if the laboratory did not say that this result is missing. The final report then just does not
 * contain it.
 */
export type StoredMissingResult = Omit<Static<typeof MissingResult>, 'history'> &
  StoredEntry & {
    history: PastResult[];
    reported_at: string | null;
    /** True if we still expect the value: its test waits until a problem with the sample is solved. */
    is_held?: true;
  };
/**
 * A value that the laboratory withdrew. The entry states what was measured. It does not contain the value itself: the
 * value may belong to another person, and we must not show it by mistake. The entry also prevents an older message from
 * bringing the value back. In versions of early releases, the entry has only its key, or its key and name.
 */
export type Withdrawn = StoredEntry &
  Partial<Omit<Static<typeof MissingResult>, 'inferred_failure_type' | 'note' | 'history'>> & { reported_at: string };

/** The statuses that the laboratory reported for ordered tests. The keys are the ids of the markers. */
export type TestStatuses = Readonly<Record<string, ReportedTest['status']>>;
/**
 * For each ordered test, the reason why its samples were rejected, or why they delay the test (HL7 table 0490). The
 * keys are the ids of the markers.
 */
export type RejectedTests = Readonly<Record<string, string>>;

/**
 * One complete version of an order's report. A laboratory's message may omit values that it reported before. The new
 * version then copies them from the version before.
 */
export type StoredReport = Pick<Static<typeof LabResults>, 'metadata'> & {
  results: StoredResult[];
  missing_results: StoredMissingResult[];
  withdrawn: Withdrawn[];
  tests: TestStatuses;
  rejected: RejectedTests;
  sample_information: NonNullable<Static<typeof LabResults>['sample_information']>;
};
