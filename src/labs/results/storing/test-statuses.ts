// Derives the statuses of the ordered tests. A laboratory reports each test separately, so the report of an order is
// final when all its tests are final.
import type { Analyte } from '../../catalogue/analytes.ts';
import type { OrderedTest } from '../../catalogue/ordered-tests.ts';
import type { StoredReport, RejectedTests, TestStatuses } from '../stored-report.ts';
import type { ReportedTest } from '../lab-report.ts';
import { deferredTests, deferralOf, rejectionCodeOf } from './rejected-samples.ts';

type Status = ReportedTest['status'];
type Values = Pick<StoredReport, 'results' | 'missing_results' | 'withdrawn'>;

/**
 * What we know after one more report. `tests` has the status of each ordered test. `awaitsOthers` is true if the report
 * states that results of further tests will come.
 */
export type AfterReport = { tests: TestStatuses; awaitsOthers: boolean };

/**
 * Returns the statuses of the tests after one more report. If the report calls a final test preliminary, the report has
 * arrived late, and the test stays final.
 */
export function testsAfter(before: TestStatuses, reported: ReportedTest[], ordered: OrderedTest[]): AfterReport {
  const named = reported.map((test) => namedBy(test, ordered));
  const known = new Set(named.flat());
  const reportedStatuses = new Map<OrderedTest, Status[]>();
  let awaitsOthers = false;
  for (const [at, test] of reported.entries()) {
    const own = named[at] as OrderedTest[];
    const of = [...own, ...spokenFor(test, own, ordered).filter((each) => !known.has(each))];
    for (const each of of) reportedStatuses.set(each, [...(reportedStatuses.get(each) ?? []), test.status]);
    if (of.length === 0 && test.status === 'partial') awaitsOthers = true;
  }
  const tests = { ...before };
  for (const [{ marker_id }, statuses] of reportedStatuses) {
    const status = RANKED.find((each) => statuses.includes(each)) as Status;
    if (status !== 'partial' || !isDone(before[marker_id])) tests[marker_id] = status;
  }
  return { tests, awaitsOthers };
}

/**
 * Returns for each test the reason why its samples were rejected, or why they delay the test. A test that has got
 * values since then has no reason. If the laboratory reports several reasons for a delay, the last one replaces the
 * others.
 */
export function rejectedAfter(
  before: RejectedTests,
  reported: ReportedTest[],
  { tests, ordered }: { tests: TestStatuses; ordered: OrderedTest[] },
): RejectedTests {
  const rejected = new Map(Object.entries(before));
  for (const test of reported) {
    const code = rejectionCodeOf(test) ?? deferralOf(test);
    for (const { marker_id } of testsMeantBy(test, ordered)) {
      const marker = String(marker_id);
      if (code !== null) rejected.set(marker, code);
      else if (tests[marker] !== 'cancelled') rejected.delete(marker);
    }
  }
  const deferred = deferredTests(Object.fromEntries(rejected));
  return Object.fromEntries(
    [...rejected].filter(([marker]) => tests[marker] === (deferred.has(Number(marker)) ? 'partial' : 'cancelled')),
  );
}

/**
 * Returns whether the order will get no results, because each ordered test was cancelled, or because all its required
 * values are missing.
 */
export function haveAllFailed(tests: TestStatuses, values: Values, ordered: OrderedTest[]): boolean {
  // The results contain notes of the laboratory too, but a note is not a value.
  const hasValue = values.results.some(
    ({ source_markers, loinc, provider_id }) => source_markers ?? loinc ?? provider_id,
  );
  if (ordered.length === 0 || hasValue || values.withdrawn.length > 0) return false;
  const missing = new Set(values.missing_results.map(({ key }) => key.split('#')[0] as string));
  return ordered.every(({ marker_id, analytes }) => {
    const required = analytes.filter((analyte) => analyte.required);
    return tests[marker_id] === 'cancelled' || (required.length > 0 && required.every(({ slug }) => missing.has(slug)));
  });
}

/** If a report contains several statuses for one test, we use the status that comes first in this list. */
const RANKED = ['partial', 'final', 'cancelled'] as const satisfies Status[];

const isDone = (status: Status | undefined): boolean => status === 'final' || status === 'cancelled';

/**
 * Finds the ordered test to which a part of a report belongs. Laboratories repeat their own code of the test more
 * reliably than our number, so we compare the code first, and then our number. If there is no number either and the
 * order has only one test, the part belongs to that test.
 */
function namedBy({ codes, names }: ReportedTest, ordered: OrderedTest[]): OrderedTest[] {
  const byCode = ordered.filter(({ provider_id }) => codes.includes(provider_id));
  if (byCode.length > 0) return byCode;
  const byPosition = typeof names === 'number' ? ordered.slice(names - 1, names) : [];
  return byPosition.length > 0 || ordered.length !== 1 ? byPosition : ordered;
}

/** Returns the ordered tests to which a part of a report belongs. */
export function testsMeantBy(test: ReportedTest, ordered: OrderedTest[]): OrderedTest[] {
  const own = namedBy(test, ordered);
  return [...own, ...spokenFor(test, own, ordered)];
}

/**
 * Returns further ordered tests to which a part of a report belongs. A laboratory may report several ordered tests as
 * one test. The part then belongs to each ordered test whose values it contains. If the part has no values and names
 * only the order, it belongs to all tests of the order.
 */
function spokenFor(
  { analytes, names, empty }: ReportedTest,
  own: OrderedTest[],
  ordered: OrderedTest[],
): OrderedTest[] {
  if (empty) return own.length === 0 && names === 'order' ? ordered : [];
  const others = analytes.filter((slug) => !own.some((test) => brings(test, slug)));
  return ordered.filter((test) => others.some((slug) => brings(test, slug)));
}

const brings = (test: OrderedTest, slug: string): boolean => test.analytes.some((analyte) => analyte.slug === slug);

/**
 * Returns whether each ordered test is final or cancelled. A test for which the laboratory reported no status counts as
 * final when all its required values are there and final.
 */
export function areAllReported({ tests, awaitsOthers }: AfterReport, values: Values, ordered: OrderedTest[]): boolean {
  if (awaitsOthers || !ordered.every(({ marker_id }) => tests[marker_id] === undefined || isDone(tests[marker_id])))
    return false;
  return haveFinalValues(
    ordered.filter(({ marker_id }) => tests[marker_id] === undefined),
    values,
  );
}

/** Returns whether all required values of these tests are there and final. */
export function haveFinalValues(tests: OrderedTest[], values: Values): boolean {
  const finalSlugs = new Set(
    [
      ...values.results.filter(({ status }) => status !== 'partial'),
      ...values.missing_results,
      ...values.withdrawn,
    ].map(({ key }) => key.split('#')[0] as string),
  );
  return tests.every(({ analytes }) => {
    const required = analytes.filter((analyte) => analyte.required);
    return required.length > 0 && required.every(({ slug }) => finalSlugs.has(slug));
  });
}

/**
 * Returns the analytes for which we expect no further value. `isCancelled` states whether all tests that contain the
 * analyte were cancelled.
 */
export function notExpected(
  analytes: Analyte[],
  { tests, complete }: { tests: TestStatuses; complete: boolean },
  ordered: OrderedTest[],
): { analyte: Analyte; isCancelled: boolean }[] {
  return analytes.flatMap((analyte) => {
    const statuses = ordered.filter((test) => brings(test, analyte.slug)).map(({ marker_id }) => tests[marker_id]);
    if (!complete && !statuses.every(isDone)) return [];
    return [{ analyte, isCancelled: statuses.every((status) => status === 'cancelled') }];
  });
}
