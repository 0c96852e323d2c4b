import type { TeamCtx, TxCtx } from '../../context.ts';
import { orderedTestsOf, type OrderedTest } from '../catalogue/ordered-tests.ts';
import type { LoadedOrder } from '../orders/load.ts';
import { newestReport } from './newest-report.ts';
import type { LabReport } from './report.ts';
import { areSettled, testsAfter } from './storing/told-tests.ts';

/**
 * What a report tells that has a document and no values. 'values': a test is final, and its values stand in the document alone,
 * or so do all; they are not "not reported", somebody has to read them. 'tests': something else of tests, as that one is final
 * whose result is a document. 'nothing': it repeats what is known. `isKept`: the document is one that is served.
 */
export async function documentAlone(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  { report: { tests }, isKept }: { report: LabReport; isKept: boolean },
): Promise<'values' | 'tests' | 'nothing'> {
  const before = await newestReport(ctx, order);
  const ordered = await orderedTestsOf(ctx, order.row.lab_test_id);
  const after = testsAfter(before?.tests ?? {}, tests ?? [], ordered).tests;
  const hasResult = ({ is_document }: OrderedTest): boolean => is_document && isKept;
  const changed = ordered.filter(({ marker_id }) => after[marker_id] !== before?.tests[marker_id]);
  if (!before) {
    const told = changed.filter(({ marker_id }) => after[marker_id] !== 'cancelled');
    return told.length > 0 && told.every(hasResult) ? 'tests' : 'values';
  }
  const isFinal = changed.some(
    (test) => after[test.marker_id] === 'final' && !hasResult(test) && !areSettled([test], before),
  );
  if (isFinal && before.status !== 'final') return 'values';
  return changed.length > 0 || tests?.some(({ notes }) => notes) ? 'tests' : 'nothing';
}
