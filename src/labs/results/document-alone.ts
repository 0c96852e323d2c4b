import type { TeamCtx, TxCtx } from '../../context.ts';
import { orderedTestsOf } from '../catalogue/ordered-tests.ts';
import type { LoadedOrder } from '../orders/load.ts';
import { newestReport } from './newest-report.ts';
import type { LabReport } from './report.ts';
import { areSettled, testsAfter } from './storing/told-tests.ts';

/**
 * What a report tells that has a document and no values. 'values': a test is final, and its values stand in the document alone,
 * or so do all; they are not "not reported", somebody has to read them. 'tests': something else of tests. 'nothing': it repeats
 * what is known.
 */
export async function documentAlone(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  { tests }: LabReport,
): Promise<'values' | 'tests' | 'nothing'> {
  const before = await newestReport(ctx, order);
  if (!before) return 'values';
  const ordered = await orderedTestsOf(ctx, order.row.lab_test_id);
  const after = testsAfter(before.tests, tests ?? [], ordered).tests;
  const changed = ordered.filter(({ marker_id }) => after[marker_id] !== before.tests[marker_id]);
  const isFinal = changed.some((test) => after[test.marker_id] === 'final' && !areSettled([test], before));
  if (isFinal && before.status !== 'final') return 'values';
  return changed.length > 0 || tests?.some(({ notes }) => notes) ? 'tests' : 'nothing';
}
