import type { Static } from 'typebox';
import type { ReportedTest } from './report.ts';
import type { BiomarkerResult, LabResults, MissingResult, PastResult as PastResultTold } from './schemas.ts';

/**
 * What tells an entry of a report from others of the same order, in every version, and when the laboratory last said it, by its
 * result and by its message. Early versions do not have those times. `undated`: it did not say when the result was reported,
 * and `reported_at` is that of the message.
 */
type Kept = { key: string; as_of?: { reported_at: string; sent_at: string | null; undated?: true } };

/** `sent_at` is when the message was written that told it. */
export type PastResult = Static<typeof PastResultTold> & { sent_at: string | null };
export type KeptResult = Omit<Static<typeof BiomarkerResult>, 'history'> & Kept & { history: PastResult[] };
/** `reported_at` is null where no laboratory said so: a final report just does not have it. */
export type KeptMissing = Omit<Static<typeof MissingResult>, 'history'> &
  Kept & {
    history: PastResult[];
    reported_at: string | null;
    /** It is still to come: its test waits for something about the sample. */
    is_held?: true;
  };
/**
 * What a laboratory took back: what it is and no value, which may have been somebody else's, so that none can be shown and an
 * older message does not bring it back. Versions of early releases have its key alone, or its name too.
 */
export type Withdrawn = Kept &
  Partial<Omit<Static<typeof MissingResult>, 'inferred_failure_type' | 'note' | 'history'>> & { reported_at: string };

/** What was told of ordered tests by themselves, by the ids of their markers. */
export type ToldTests = Readonly<Record<string, ReportedTest['status']>>;
/** Why the samples of ordered tests were rejected or hold them up (HL7 table 0490), by the ids of their markers. */
export type RejectedTests = Readonly<Record<string, string>>;

/** One version of what a laboratory reported of an order, whole: what it did not repeat is as in the version before. */
export type KeptReport = Pick<Static<typeof LabResults>, 'metadata'> & {
  results: KeptResult[];
  missing_results: KeptMissing[];
  withdrawn: Withdrawn[];
  tests: ToldTests;
  rejected: RejectedTests;
  sample_information: NonNullable<Static<typeof LabResults>['sample_information']>;
};
