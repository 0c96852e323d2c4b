// What a laboratory has told of each test of an order: a report is final by its tests, since a laboratory reports each by
// itself (decision record 235).
import type { Analyte } from '../../catalogue/analytes.ts';
import type { OrderedTest } from '../../catalogue/ordered-tests.ts';
import type { KeptReport, RejectedTests, ToldTests } from '../kept-report.ts';
import type { ReportedTest } from '../report.ts';
import { heldTests, holdOf, rejectionCodeOf } from './rejected-samples.ts';

type Status = ReportedTest['status'];
type Values = Pick<KeptReport, 'results' | 'missing_results' | 'withdrawn'>;

/** What is known of each ordered test after one more report, and whether that tells of others that are still to come. */
export type AfterReport = { tests: ToldTests; awaitsOthers: boolean };

/** What is final stays so: a preliminary word of it came late. */
export function testsAfter(before: ToldTests, reported: ReportedTest[], ordered: OrderedTest[]): AfterReport {
  const named = reported.map((test) => namedBy(test, ordered));
  const known = new Set(named.flat());
  const told = new Map<OrderedTest, Status[]>();
  let awaitsOthers = false;
  for (const [at, test] of reported.entries()) {
    const own = named[at] as OrderedTest[];
    const of = [...own, ...spokenFor(test, own, ordered).filter((each) => !known.has(each))];
    for (const each of of) told.set(each, [...(told.get(each) ?? []), test.status]);
    if (of.length === 0 && test.status === 'partial') awaitsOthers = true;
  }
  const tests = { ...before };
  for (const [{ marker_id }, statuses] of told) {
    const status = RANKED.find((each) => statuses.includes(each)) as Status;
    if (status !== 'partial' || !isSettled(before[marker_id])) tests[marker_id] = status;
  }
  return { tests, awaitsOthers };
}

/**
 * Why the samples of ordered tests were rejected, or hold their tests up; nothing of a test that has values since. A hold is as the
 * laboratory last told it.
 */
export function rejectedAfter(
  before: RejectedTests,
  reported: ReportedTest[],
  { tests, ordered }: { tests: ToldTests; ordered: OrderedTest[] },
): RejectedTests {
  const rejected = new Map(Object.entries(before));
  for (const test of reported) {
    const code = rejectionCodeOf(test) ?? holdOf(test);
    for (const { marker_id } of meantBy(test, ordered)) {
      const marker = String(marker_id);
      if (code !== null) rejected.set(marker, code);
      else if (tests[marker] !== 'cancelled') rejected.delete(marker);
    }
  }
  const held = heldTests(Object.fromEntries(rejected));
  return Object.fromEntries(
    [...rejected].filter(([marker]) => tests[marker] === (held.has(Number(marker)) ? 'partial' : 'cancelled')),
  );
}

/** Whether every ordered test was cancelled, or has nothing but values that will not come: no result can come any more. */
export function haveAllFailed(tests: ToldTests, values: Values, ordered: OrderedTest[]): boolean {
  // Notes of the laboratory stand among the results, and are none.
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

/** Of several words about one test in a report the first of these counts. */
const RANKED = ['partial', 'final', 'cancelled'] as const satisfies Status[];

const isSettled = (status: Status | undefined): boolean => status === 'final' || status === 'cancelled';

/** By the test's own code, which laboratories repeat more faithfully than our number; else by that, or as the only one there is. */
function namedBy({ codes, names }: ReportedTest, ordered: OrderedTest[]): OrderedTest[] {
  const byCode = ordered.filter(({ provider_id }) => codes.includes(provider_id));
  if (byCode.length > 0) return byCode;
  const byPlace = typeof names === 'number' ? ordered.slice(names - 1, names) : [];
  return byPlace.length > 0 || ordered.length !== 1 ? byPlace : ordered;
}

/** The ordered tests of which a part of a report speaks. */
export function meantBy(test: ReportedTest, ordered: OrderedTest[]): OrderedTest[] {
  const own = namedBy(test, ordered);
  return [...own, ...spokenFor(test, own, ordered)];
}

/** Where a laboratory reports several ordered tests as one: those whose values it has there, or the whole order without any. */
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
 * Each ordered test is final or cancelled; of one of which nothing was said by itself, all that it requires has come and is
 * final.
 */
export function areAllTold({ tests, awaitsOthers }: AfterReport, values: Values, ordered: OrderedTest[]): boolean {
  if (awaitsOthers || !ordered.every(({ marker_id }) => tests[marker_id] === undefined || isSettled(tests[marker_id])))
    return false;
  return areSettled(
    ordered.filter(({ marker_id }) => tests[marker_id] === undefined),
    values,
  );
}

/** All that these tests require has come, and is final. */
export function areSettled(tests: OrderedTest[], values: Values): boolean {
  const settled = new Set(
    [
      ...values.results.filter(({ status }) => status !== 'partial'),
      ...values.missing_results,
      ...values.withdrawn,
    ].map(({ key }) => key.split('#')[0] as string),
  );
  return tests.every(({ analytes }) => {
    const required = analytes.filter((analyte) => analyte.required);
    return required.length > 0 && required.every(({ slug }) => settled.has(slug));
  });
}

/** Of which no value is awaited any more, with whether that is because each test that brings them was cancelled. */
export function notAwaited(
  analytes: Analyte[],
  { tests, complete }: { tests: ToldTests; complete: boolean },
  ordered: OrderedTest[],
): { analyte: Analyte; isCancelled: boolean }[] {
  return analytes.flatMap((analyte) => {
    const statuses = ordered.filter((test) => brings(test, analyte.slug)).map(({ marker_id }) => tests[marker_id]);
    if (!complete && !statuses.every(isSettled)) return [];
    return [{ analyte, isCancelled: statuses.every((status) => status === 'cancelled') }];
  });
}
