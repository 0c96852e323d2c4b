import type { LabReport } from '../../../results/lab-report.ts';
import type { ReadResult } from '../messages/read-result.ts';
import type { WaitingPart } from '../messages/result-problem.ts';

/** The most waiting parts that we store for a message. */
const MAX_STORED = 1_000;

/**
 * Returns the fields of waiting parts that we store for the operator. They name the laboratory's codes, so the operator
 * sees which code lacks a mapping.
 */
export const storedWaitsOf = (waits: WaitingPart[]): Pick<WaitingPart, 'reason' | 'segment' | 'number' | 'codes'>[] =>
  waits.slice(0, MAX_STORED).map(({ reason, segment, number, codes }) => ({
    reason,
    segment,
    number,
    codes: codes.map((code) => code.slice(0, 60)),
  }));

/**
 * Returns whether the message has usable content besides the waiting parts. If the document is broken and no segment
 * has values, the values may be in the document. Then the function returns false.
 */
export function hasOtherContent({ report, document, hasDocument }: ReadResult): boolean {
  if (report === null) return false;
  if (report.observations.length > 0 || document !== null) return true;
  const isReported = ({
    stated_status,
    status,
    notes,
    rejected = [],
  }: NonNullable<LabReport['tests']>[number]): boolean =>
    stated_status === undefined && (status !== 'partial' || Boolean(notes) || rejected.length > 0);
  return !hasDocument && Boolean(report.tests?.some(isReported));
}

/**
 * Removes the waiting parts from a result, because nobody will repair them. Each test gets the status that the
 * laboratory reported.
 */
export function withoutWaiting(result: ReadResult): ReadResult {
  const { report } = result;
  const tests = report?.tests
    ?.filter(({ stated_status }) => stated_status !== null)
    .map(({ stated_status, ...test }) => ({ ...test, status: stated_status ?? test.status }));
  if (!report || !tests) return { ...result, waits: [] };
  const isPartial = tests.some(({ status }) => status === 'partial');
  const set_aside = Boolean(report.tests?.some(({ stated_status }) => stated_status !== undefined));
  return { ...result, waits: [], report: { ...report, tests, set_aside, status: isPartial ? 'partial' : 'final' } };
}
