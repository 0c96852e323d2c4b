// Derives from rejected samples which tests will get no result and which are delayed.
import type { RejectedTests } from '../stored-report.ts';
import type { LabReport, FailureType, Observation, ReportedTest } from '../lab-report.ts';

type Rejection = { detail: string | null; failure: FailureType; words: string };

/**
 * The codes of HL7 table 0490 (SPM-21) for a sample that gives no result. For example, QS means that there is too
 * little of it. All other codes only delay the work on a sample.
 */
const REJECTIONS: ReadonlyMap<string, Rejection> = new Map(
  Object.entries({
    QS: {
      detail: 'sample_quantity_not_sufficient',
      failure: 'quantity_not_sufficient_failure',
      words: 'The quantity of the sample was not sufficient.',
    },
    RN: { detail: 'sample_contaminated', failure: 'collection_process_failure', words: 'The sample was contaminated.' },
    RH: { detail: 'sample_hemolyzed', failure: 'collection_process_failure', words: 'The sample was hemolyzed.' },
    EX: { detail: 'sample_stability_exceeded', failure: 'drop_off_failure', words: 'The sample had expired.' },
    RR: {
      detail: 'sample_stability_exceeded',
      failure: 'drop_off_failure',
      words: 'The sample was stored improperly.',
    },
    RC: {
      detail: 'sample_improper_collection',
      failure: 'collection_process_failure',
      words: 'The sample was clotted.',
    },
    RB: { detail: null, failure: 'drop_off_failure', words: 'The container of the sample was broken.' },
    RM: { detail: null, failure: 'collection_process_failure', words: 'The label of the sample was not right.' },
    RI: { detail: null, failure: 'collection_process_failure', words: 'The sample could not be identified.' },
  }),
);

/**
 * Returns the rejection that leaves a test without a result. Returns null if the laboratory rejected no sample of the
 * test for such a reason.
 */
export const rejectionOf = ({ rejected = [] }: Pick<ReportedTest, 'rejected'>): Rejection | null =>
  rejected.map((code) => REJECTIONS.get(code)).find((known) => known !== undefined) ?? null;

/** Returns the code of the rejection that leaves a test without a result, or null. */
export const rejectionCodeOf = ({ rejected = [] }: Pick<ReportedTest, 'rejected'>): string | null =>
  rejected.find((code) => REJECTIONS.has(code)) ?? null;

/** Returns the `status_detail` of an order that failed because of a rejection with this code. */
export const detailOfRejection = (code: string | undefined): string | null =>
  (code === undefined ? undefined : REJECTIONS.get(code))?.detail ?? null;

/**
 * Codes of HL7 table 0490 for samples that lack information which a person can supply. The laboratory waits for this
 * information.
 */
const DEFERRALS: ReadonlyMap<string, string> = new Map([
  ['RD', 'The sample came without the date of collection.'],
  ['RA', 'The sample came without the id of the patient.'],
  ['RE', 'The sample came without the name of the patient.'],
  ['RS', 'The name of the patient is spelled otherwise on the sample.'],
]);

export const isRejectionCode = (code: string): boolean => REJECTIONS.has(code) || DEFERRALS.has(code);

/**
 * Returns whether this reason only delays a test. Either a person can solve the problem, or we do not know the code.
 */
const isDeferral = (reason: string): boolean => !REJECTIONS.has(reason);

/** Returns the reason of a rejection in words. A reason of the laboratory's own appears in the text without changes. */
export const wordsOfRejection = (reason: string): string =>
  REJECTIONS.get(reason)?.words ?? DEFERRALS.get(reason) ?? `The laboratory has rejected the sample: ${reason}.`;

/** Returns the reason that delays a test. Returns null if there is none. */
export const deferralOf = ({ status, rejected = [] }: Pick<ReportedTest, 'status' | 'rejected'>): string | null =>
  status === 'partial' ? (rejected.find(isDeferral) ?? null) : null;

/** Selects the tests that wait until a problem with their samples is solved, with the reason. */
export const deferredTests = (rejected: RejectedTests): Map<number, string> =>
  new Map(Object.entries(rejected).flatMap(([marker, code]) => (isDeferral(code) ? [[Number(marker), code]] : [])));

/**
 * Changes a report so that a test without values is cancelled if its samples were rejected. A laboratory may report the
 * rejection before anything else about the test. If the test has values, the laboratory performed it in spite of the
 * rejection. Then these values get the reason of the rejection as a note.
 */
export function withRejections(report: LabReport): LabReport {
  const hasValue = ({ status }: Observation): boolean => status !== 'not_obtained' && status !== 'withdrawn';
  const valued = new Set(report.observations.filter(hasValue).map(({ analyte_slug }) => analyte_slug));
  const failed = new Map<string, FailureType>();
  const doubtful = new Map<string, string>();
  const tests = report.tests?.map((test): ReportedTest => {
    const rejection = rejectionOf(test);
    const isDone = test.analytes.some((slug) => valued.has(slug)) || test.has_document || test.stated_status;
    if (isDone) {
      const [code] = test.rejected ?? [];
      if (code !== undefined) for (const slug of test.analytes) doubtful.set(slug, wordsOfRejection(code));
      return { ...test, rejected: [] };
    }
    if (rejection === null) return test;
    for (const slug of test.analytes) failed.set(slug, rejection.failure);
    return { ...test, status: 'cancelled' };
  });
  if (!tests) return report;
  const observations = report.observations.map((observation) => {
    const { analyte_slug, status, failure, notes } = observation;
    if (analyte_slug === null) return observation;
    const words = hasValue(observation) ? doubtful.get(analyte_slug) : undefined;
    if (words !== undefined) return { ...observation, notes: [notes, words].filter(Boolean).join('\n') };
    const ofSample = failed.get(analyte_slug);
    return status === 'not_obtained' && failure === null && ofSample
      ? { ...observation, failure: ofSample }
      : observation;
  });
  return { ...report, tests, observations };
}
