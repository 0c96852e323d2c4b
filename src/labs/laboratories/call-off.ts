// What will not be done: a laboratory has called it off, or refused it and somebody has given it up.
import type { TeamCtx, TxCtx } from '../../context.ts';
import { orderedTestsOf } from '../catalogue/ordered-tests.ts';
import type { LoadedOrder } from '../orders/load.ts';
import { progressOfOrder } from '../orders/status/progress.ts';
import { advance } from '../orders/status/rules.ts';
import { isOpen, type LowLevelStatus } from '../orders/status/table.ts';
import type { ToldTests } from '../results/kept-report.ts';
import { newestReport } from '../results/newest-report.ts';
import type { ReportedTest } from '../results/report.ts';
import { storeReport } from '../results/store-report.ts';
import { applyNews } from './apply-news.ts';

/** Of these the first that may come next is what an order becomes that will not be done. */
const CALLED_OFF: readonly LowLevelStatus[] = ['do_not_process', 'cancelled', 'sample_error'];

/** `under_way`: it cannot be called off as it stands. `ended`: it had ended before, and nothing changes. */
export type CalledOff = 'called_off' | 'under_way' | 'ended';

/** The caller holds the order's row lock, here and below. */
export async function callOffOrder(ctx: TxCtx<TeamCtx>, order: LoadedOrder): Promise<CalledOff> {
  if (!isOpen(order.row.last_low_level_status)) return 'ended';
  const status = CALLED_OFF.find((each) => advance(progressOfOrder(order), each));
  if (status === undefined) return 'under_way';
  await applyNews(ctx, order, { status });
  return 'called_off';
}

type By = { laboratory: { name: string; clia_number: string | null }; at: Date };

/** Whether no test of an order is left to be done when those at these places, from 1, are not. */
export async function leavesNone(ctx: TeamCtx, order: LoadedOrder, places: number[]): Promise<boolean> {
  const [ordered, told] = [await orderedTestsOf(ctx, order.row.lab_test_id), await testsOf(ctx, order)];
  return ordered.every(({ marker_id }, at) => places.includes(at + 1) || told[marker_id] === 'cancelled');
}

/**
 * The tests at these places fail, and the others, of which there are some, go on: the order stays where it is while they are
 * to come, and is complete where they have. `under_way` also where one of these tests has its result.
 */
export async function callOffTests(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  places: number[],
  { laboratory: { name, clia_number }, at }: By,
): Promise<CalledOff> {
  if (!isOpen(order.row.last_low_level_status)) return 'ended';
  const ordered = await orderedTestsOf(ctx, order.row.lab_test_id);
  const told = await testsOf(ctx, order);
  if (ordered.some(({ marker_id }, at) => places.includes(at + 1) && told[marker_id] === 'final')) return 'under_way';
  const reported_at = { timestamp: at.toISOString(), timezone_offset: 0 };
  const stored = await storeReport(
    ctx,
    order,
    {
      status: 'partial',
      tests: places.map(cancelledAt),
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
    { keepsStatus: true },
  );
  return stored.outcome === 'impossible' ? 'under_way' : 'called_off';
}

const testsOf = async (ctx: TeamCtx, order: LoadedOrder): Promise<ToldTests> =>
  (await newestReport(ctx, order))?.tests ?? {};

const cancelledAt = (place: number): ReportedTest => ({
  status: 'cancelled',
  names: place,
  codes: [],
  analytes: [],
  empty: true,
});
