// Ends orders and tests that the laboratory will not perform. Either the laboratory cancelled them, or it refused them
// and somebody decided not to send them again.
import type { TeamCtx, TxCtx } from '../../context.ts';
import { orderedTestsOf } from '../catalogue/ordered-tests.ts';
import type { LoadedOrder } from '../orders/load-order.ts';
import { progressOfOrder } from '../orders/status/order-progress.ts';
import { advance } from '../orders/status/status-rules.ts';
import { isOpen, type LowLevelStatus } from '../orders/status/statuses.ts';
import type { TestStatuses } from '../results/stored-report.ts';
import { newestReport } from '../results/newest-report.ts';
import type { ReportedTest } from '../results/lab-report.ts';
import { storeReport } from '../results/store-report.ts';
import { applyLabUpdate } from './apply-lab-update.ts';

/**
 * The statuses that an order can get if the laboratory will not perform it. The order gets the first one that the
 * status table allows.
 */
const CALLED_OFF: readonly LowLevelStatus[] = ['do_not_process', 'cancelled', 'sample_error'];

/**
 * `under_way`: the order has a status in which it cannot be called off. `ended`: the order had already ended, and
 * nothing changes.
 */
export type CalledOff = 'called_off' | 'under_way' | 'ended';

/** Ends an order. The caller must hold the row lock of the order, also for `callOffTests`. */
export async function callOffOrder(ctx: TxCtx<TeamCtx>, order: LoadedOrder): Promise<CalledOff> {
  if (!isOpen(order.row.last_low_level_status)) return 'ended';
  const status = CALLED_OFF.find((each) => advance(progressOfOrder(order), each));
  if (status === undefined) return 'under_way';
  await applyLabUpdate(ctx, order, { status });
  return 'called_off';
}

type CalledOffBy = { laboratory: { name: string; clia_number: string | null }; at: Date };

/**
 * Returns whether no test of the order remains after the tests at these positions are cancelled. Positions begin at 1.
 */
export async function cancelsEveryTest(ctx: TeamCtx, order: LoadedOrder, positions: number[]): Promise<boolean> {
  const [ordered, statuses] = [await orderedTestsOf(ctx, order.row.lab_test_id), await testsOf(ctx, order)];
  return ordered.every(({ marker_id }, at) => positions.includes(at + 1) || statuses[marker_id] === 'cancelled');
}

/**
 * Cancels the tests at these positions. At least one other test must remain. If all remaining tests have results, the
 * order completes. Otherwise it keeps its status. If one of the tests at these positions already has its result, the
 * function cancels nothing and returns `under_way`.
 */
export async function callOffTests(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  positions: number[],
  { laboratory: { name, clia_number }, at }: CalledOffBy,
): Promise<CalledOff> {
  if (!isOpen(order.row.last_low_level_status)) return 'ended';
  const ordered = await orderedTestsOf(ctx, order.row.lab_test_id);
  const statuses = await testsOf(ctx, order);
  if (ordered.some(({ marker_id }, at) => positions.includes(at + 1) && statuses[marker_id] === 'final'))
    return 'under_way';
  const reported_at = { timestamp: at.toISOString(), timezone_offset: 0 };
  const stored = await storeReport(
    ctx,
    order,
    {
      status: 'partial',
      tests: positions.map(cancelledAt),
      placer_number: null,
      filler_number: null,
      accession_number: null,
      account_number: null,
      collected_at: null,
      received_at: null,
      reported_at,
      patient: null,
      provider: null,
      laboratory: { name, clia_number },
      performing_laboratories: {},
      samples: [],
      observations: [],
    },
    { shouldRetainStatus: true },
  );
  return stored.outcome === 'impossible' ? 'under_way' : 'called_off';
}

const testsOf = async (ctx: TeamCtx, order: LoadedOrder): Promise<TestStatuses> =>
  (await newestReport(ctx, order))?.tests ?? {};

const cancelledAt = (position: number): ReportedTest => ({
  status: 'cancelled',
  names: position,
  codes: [],
  analytes: [],
  empty: true,
});
