import type { TeamCtx, TxCtx } from '../context.ts';
import { lockOrder } from '../labs/orders/load-order.ts';
import { simulateReport } from '../labs/laboratories/simulated/simulate-report.ts';
import type { Interpretation } from '../labs/results/interpretation/interpret.ts';
import { storeReport } from '../labs/results/store-report.ts';
import { findLabTestOrNull, importAtLaboratory, type Patient } from './place-order.ts';

/** Its standard lab test has cholesterol, thyroid and blood sugar. */
const METHOD = 'at_home_phlebotomy';
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The results of a patient who gets better, by the number of days that have passed since the draw. */
const PAST: readonly { days: number; interpretation: Interpretation }[] = [
  { days: 330, interpretation: 'abnormal' },
  { days: 250, interpretation: 'abnormal' },
  { days: 170, interpretation: 'abnormal' },
  { days: 100, interpretation: 'normal' },
  { days: 30, interpretation: 'normal' },
];

/**
 * Gives a patient results of the same markers over a year. The orders are imported ones, which a laboratory had
 * already, so its reports may have dates before the orders.
 */
export async function addPastResults(ctx: TxCtx<TeamCtx>, patient: Patient): Promise<void> {
  const lab_test_id = await findLabTestOrNull(ctx, METHOD);
  if (lab_test_id === null) return;
  for (const { days, interpretation } of PAST) {
    const drawn = Date.now() - days * DAY_MS;
    const reported = drawn + 30 * HOUR_MS;
    const placed = { ...ctx, happenedAt: new Date(drawn).toISOString() };
    const id = await importAtLaboratory(placed, patient, { method: METHOD, lab_test_id });
    const after = { ...ctx, happenedAt: new Date(reported).toISOString() };
    const order = await lockOrder(after, id);
    const report = await simulateReport(after, order, { interpretation }, 'final');
    await storeReport(after, order, {
      ...report,
      collected_at: inUtc(drawn),
      received_at: inUtc(drawn + 8 * HOUR_MS),
      reported_at: inUtc(reported),
    });
    await ctx.giveWay?.();
  }
}

const inUtc = (at: number): { timestamp: string; timezone_offset: number } => ({
  timestamp: new Date(at).toISOString(),
  timezone_offset: 0,
});
