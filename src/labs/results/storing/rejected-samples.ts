// What a rejected sample means for the tests that were to be made of it (record 358).
import type { RejectedTests } from '../kept-report.ts';
import type { LabReport, FailureType, Observation, ReportedTest } from '../report.ts';

type Rejection = { detail: string | null; failure: FailureType; words: string };

/** HL7 table 0490 (SPM-21), as far as such a sample brings no result: the others block the work on it. */
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

/** The rejection that leaves a test without a result; null where its samples were not rejected, or for another reason. */
export const rejectionOf = ({ rejected = [] }: Pick<ReportedTest, 'rejected'>): Rejection | null =>
  rejected.map((code) => REJECTIONS.get(code)).find((known) => known !== undefined) ?? null;

/** The code of that rejection. */
export const rejectionCodeOf = ({ rejected = [] }: Pick<ReportedTest, 'rejected'>): string | null =>
  rejected.find((code) => REJECTIONS.has(code)) ?? null;

/** What `status_detail` says of an order that failed by it. */
export const detailOfRejection = (code: string | undefined): string | null =>
  (code === undefined ? undefined : REJECTIONS.get(code))?.detail ?? null;

/** Codes of HL7 table 0490 by which a laboratory waits for something that somebody can tell it. */
const HELD: ReadonlyMap<string, string> = new Map([
  ['RD', 'The sample came without the date of collection.'],
  ['RA', 'The sample came without the id of the patient.'],
  ['RE', 'The sample came without the name of the patient.'],
  ['RS', 'The name of the patient is spelled otherwise on the sample.'],
]);

export const isRejectionCode = (code: string): boolean => REJECTIONS.has(code) || HELD.has(code);

/** By which nothing ends: somebody can mend what is wrong, or nobody here knows what the laboratory means to do. */
const isHold = (reason: string): boolean => !REJECTIONS.has(reason);

/** What a code says of a sample; a reason of the laboratory's own is told by its words. */
export const wordsOfRejection = (reason: string): string =>
  REJECTIONS.get(reason)?.words ?? HELD.get(reason) ?? `The laboratory has rejected the sample: ${reason}.`;

/** The reason by which a test is held up and not ended; null where there is none. */
export const holdOf = ({ status, rejected = [] }: Pick<ReportedTest, 'status' | 'rejected'>): string | null =>
  status === 'partial' ? (rejected.find(isHold) ?? null) : null;

/** The tests of these that wait for something about their samples, with the reason. */
export const heldTests = (rejected: RejectedTests): Map<number, string> =>
  new Map(Object.entries(rejected).flatMap(([marker, code]) => (isHold(code) ? [[Number(marker), code]] : [])));

/**
 * The report with each test as cancelled whose samples were rejected and that has no value: a laboratory may reject a sample
 * before it says anything else of its test. A test that has values was done in spite of it, which each of them says.
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
