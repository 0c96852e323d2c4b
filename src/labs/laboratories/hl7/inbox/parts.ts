import type { LabReport } from '../../../results/report.ts';
import type { ReadResult } from '../messages/read-result.ts';
import type { Waiting } from '../messages/result-problem.ts';

/** What is kept of the parts that wait. */
const MOST_KEPT = 1_000;

/** For the operator, and for whoever has to map the codes. */
export const keptOf = (waits: Waiting[]): Pick<Waiting, 'reason' | 'segment' | 'number' | 'codes'>[] =>
  waits.slice(0, MOST_KEPT).map(({ reason, segment, number, codes }) => ({
    reason,
    segment,
    number,
    codes: codes.map((code) => code.slice(0, 60)),
  }));

/** Whether there is something beside what waits; a document that is broken has the values with it, where there are no others. */
export function tellsBeside({ report, document, hasDocument }: ReadResult): boolean {
  if (report === null) return false;
  if (report.observations.length > 0 || document !== null) return true;
  const isToldOf = ({
    stated_status,
    status,
    notes,
    rejected = [],
  }: NonNullable<LabReport['tests']>[number]): boolean =>
    stated_status === undefined && (status !== 'partial' || Boolean(notes) || rejected.length > 0);
  return !hasDocument && Boolean(report.tests?.some(isToldOf));
}

/** The same where what waits will never be told: each test is what the laboratory called it. */
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
