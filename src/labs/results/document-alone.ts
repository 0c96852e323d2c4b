import type { TeamCtx, TxCtx } from '../../context.ts';
import { orderedTestsOf, type OrderedTest } from '../catalogue/ordered-tests.ts';
import type { LoadedOrder } from '../orders/load-order.ts';
import { newestReport } from './newest-report.ts';
import type { LabReport } from './lab-report.ts';
import { haveFinalValues, testsAfter } from './storing/test-statuses.ts';

/**
 * Classifies a report that is a document without values. `isServed` is true if customers can get this document from us.
 * 'values': only the document contains the values of a final test, or all values. A person must read them there. So we
 * must not list these values as not reported.
 * 'tests': the report says something else that is new about a test. For example, it says that the test is final, and
 * the result of this test is a document.
 * 'nothing': the report only repeats what we have stored.
 */
export async function classifyDocumentReport(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  { report: { tests }, isServed }: { report: LabReport; isServed: boolean },
): Promise<'values' | 'tests' | 'nothing'> {
  const before = await newestReport(ctx, order);
  const ordered = await orderedTestsOf(ctx, order.row.lab_test_id);
  const after = testsAfter(before?.tests ?? {}, tests ?? [], ordered).tests;
  const hasResult = ({ is_document }: OrderedTest): boolean => is_document && isServed;
  const changed = ordered.filter(({ marker_id }) => after[marker_id] !== before?.tests[marker_id]);
  if (!before) {
    const reported = changed.filter(({ marker_id }) => after[marker_id] !== 'cancelled');
    return reported.length > 0 && reported.every(hasResult) ? 'tests' : 'values';
  }
  const isFinal = changed.some(
    (test) => after[test.marker_id] === 'final' && !hasResult(test) && !haveFinalValues([test], before),
  );
  if (isFinal && before.status !== 'final') return 'values';
  return changed.length > 0 || tests?.some(({ notes }) => notes) ? 'tests' : 'nothing';
}
