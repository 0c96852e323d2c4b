import type { Static } from 'typebox';
import type { ReportedTest } from './lab-report.ts';
import type { BiomarkerResult, LabResults, MissingResult, PastResult as PastResultSchema } from './schemas.ts';

/**
 * The fields of every entry of a report. `key` identifies the entry in all versions of the report. `as_of` contains the
 * time of the result and the time of the message when the laboratory last reported the entry. Versions of early
 * releases lack these times. `undated` means that the result has no time of its own, so that `reported_at` is the time
 * of the message.
 */
type StoredEntry = { key: string; as_of?: { reported_at: string; sent_at: string | null; undated?: true } };

/** `sent_at` is the time at which the laboratory wrote the message with this value. */
export type PastResult = Static<typeof PastResultSchema> & { sent_at: string | null };
export type StoredResult = Omit<Static<typeof BiomarkerResult>, 'history'> & StoredEntry & { history: PastResult[] };
/**
 * `reported_at` is null if the laboratory did not report this result as missing. Then the final report simply does not
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
 * A value that the laboratory withdrew. The entry states what was measured, but not the value, because it may belong to
 * another person. Without the stored value, we can never show it. The entry also prevents an older message from
 * bringing the value back. In versions of early releases, the entry has only its key, or its key and name.
 */
export type Withdrawn = StoredEntry &
  Partial<Omit<Static<typeof MissingResult>, 'inferred_failure_type' | 'note' | 'history'>> & { reported_at: string };

/** The statuses that the laboratory reported for ordered tests. The keys are the ids of the markers. */
export type TestStatuses = Readonly<Record<string, ReportedTest['status']>>;
/**
 * The reasons why samples of ordered tests were rejected, or why they delay a test (HL7 table 0490). The keys are the
 * ids of the markers.
 */
export type RejectedTests = Readonly<Record<string, string>>;

/**
 * One complete version of an order's report. If a laboratory's message does not repeat a value, the new version copies
 * it from the version before.
 */
export type StoredReport = Pick<Static<typeof LabResults>, 'metadata'> & {
  results: StoredResult[];
  missing_results: StoredMissingResult[];
  withdrawn: Withdrawn[];
  tests: TestStatuses;
  rejected: RejectedTests;
  sample_information: NonNullable<Static<typeof LabResults>['sample_information']>;
};
