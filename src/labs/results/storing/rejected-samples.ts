// What a rejected sample means for the tests that were to be made of it (record 358).
import type { LabReport, FailureType, ReportedTest } from '../report.ts';

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

/**
 * The report with each test as cancelled whose samples were rejected and that has no value: a laboratory may reject a sample
 * before it says anything else of its test. A test that has values was done in spite of it.
 */
export function withRejections(report: LabReport): LabReport {
  const valued = new Set(
    report.observations
      .filter(({ status }) => status !== 'not_obtained' && status !== 'withdrawn')
      .map(({ analyte_slug }) => analyte_slug),
  );
  const failed = new Map<string, FailureType>();
  const tests = report.tests?.map((test): ReportedTest => {
    const rejection = rejectionOf(test);
    const isDone = test.analytes.some((slug) => valued.has(slug)) || test.has_document || test.stated_status;
    if (rejection === null || isDone) return { ...test, rejected: [] };
    for (const slug of test.analytes) failed.set(slug, rejection.failure);
    return { ...test, status: 'cancelled' };
  });
  if (!tests) return report;
  const observations = report.observations.map((observation) => {
    const failure = observation.analyte_slug === null ? undefined : failed.get(observation.analyte_slug);
    if (observation.status !== 'not_obtained' || observation.failure !== null || !failure) return observation;
    return { ...observation, failure };
  });
  return { ...report, tests, observations };
}
