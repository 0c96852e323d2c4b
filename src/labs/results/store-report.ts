import { isDeepStrictEqual } from 'node:util';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { publishEvent } from '../../events/publish.ts';
import { analytesOf } from '../catalogue/analytes.ts';
import { orderedTestsOf } from '../catalogue/ordered-tests.ts';
import { changeOrder } from '../orders/change.ts';
import type { LoadedOrder } from '../orders/load.ts';
import { appendOrderEvents } from '../orders/status/append-events.ts';
import { describeReport } from './storing/describe-report.ts';
import { resultCritical } from './events.ts';
import { worstOf } from './interpretation/interpret.ts';
import type { KeptReport } from './kept-report.ts';
import { mergeValues, notReported } from './storing/merge-report.ts';
import { newestReport } from './newest-report.ts';
import type { LabReport } from './report.ts';
import { MOST_OF_REPORT, refuseOversize, ReportRefused } from './report-bounds.ts';
import { sealReport } from './sealed.ts';
import { areAllTold, notAwaited, testsAfter } from './storing/told-tests.ts';
import { withNotesOfTests } from './storing/notes-of-tests.ts';
import { statusesAfter } from './storing/statuses-after.ts';

/** `impossible`: the order as it stands takes no results, because it has ended or nobody has registered its kit. */
export type Stored = { order: LoadedOrder; outcome: 'stored' | 'unchanged' | 'impossible' };

/**
 * The one way by which results get to an order, whoever the laboratory is: the report becomes the order's next version
 * (one that corrects replaces nothing), the order gets its interpretation and status, and both are told. A report that
 * says nothing new changes nothing and tells nothing. The caller holds the order's row lock.
 * Throws ReportRefused for what is beyond all bounds.
 */
export async function storeReport(ctx: TxCtx<TeamCtx>, order: LoadedOrder, told: LabReport): Promise<Stored> {
  refuseOversize(told);
  const before = await newestReport(ctx, order);
  const analytes = await analytesOf(ctx, order.row.lab_test_id);
  const ordered = await orderedTestsOf(ctx, order.row.lab_test_id);
  const report = withNotesOfTests(told, before, ordered);
  const values = mergeValues(before, report, analytes);
  if (values.results.length + values.missing_results.length + values.withdrawn.length > MOST_OF_REPORT.values_of_order)
    throw new ReportRefused('order_full');
  const after = testsAfter(before?.tests ?? {}, report.tests ?? [], ordered);
  // Reports that were kept before tests were told apart have none.
  const isWhole = report.tests ? areAllTold(after, values, ordered) : report.status !== 'partial';
  const complete = before?.status === 'final' || isWhole;
  const { tests } = after;
  const missing_results = [
    ...values.missing_results,
    ...notReported(values, notAwaited(analytes, { tests, complete }, ordered)),
  ];
  const interpretation = worstOf(values.results.map((result) => result.interpretation));
  const status = complete ? 'final' : 'partial';
  const next: KeptReport = {
    ...values,
    missing_results,
    tests,
    ...describeReport(order, report, before, { status, interpretation }),
  };
  const isTold = before?.status === status && isDeepStrictEqual(contentOf(before), contentOf(next));
  if (isTold && (complete || isDeepStrictEqual(before.tests, tests))) return { order, outcome: 'unchanged' };
  // That a test of several is final now, with the values that it had, is kept and no news.
  const statuses = isTold ? [] : statusesAfter(order, complete);
  if (statuses === null || order.row.patient_details === null) return { order, outcome: 'impossible' };
  const created_at = await insertReport(
    ctx,
    order,
    { version: (before?.version ?? 0) + 1, status, interpretation },
    next,
  );
  const changed = await changeOrder(ctx, order, { interpretation, has_missing_results: missing_results.length > 0 });
  if (newlyCritical(next, before)) await tellCritical(ctx, order, status, created_at);
  return { order: await appendOrderEvents(ctx, changed, statuses), outcome: 'stored' };
}

const contentOf = ({ results, missing_results, withdrawn, sample_information }: KeptReport): unknown =>
  JSON.parse(
    JSON.stringify({
      results,
      missing_results,
      withdrawn,
      samples: Object.values(sample_information).map((sample) => ({ ...sample, date_reported: null })),
    }),
  );

async function insertReport(
  ctx: TxCtx<TeamCtx>,
  { row }: LoadedOrder,
  plain: { version: number; status: string; interpretation: string },
  report: KeptReport,
): Promise<string> {
  const place = { team_id: ctx.team.id, order_id: row.id, version: plain.version };
  const { created_at } = await ctx.db
    .insertInto('lab_results')
    .values({ ...place, ...plain, user_id: row.user_id, ...sealReport(ctx, place, report) })
    .returning('created_at')
    .executeTakeFirstOrThrow();
  return created_at;
}

/** A critical value is told once: again only when it is another value, or another analyte's. */
function newlyCritical(next: KeptReport, before: KeptReport | null): boolean {
  const told = new Set(criticalOf(before));
  return criticalOf(next).some((value) => !told.has(value));
}

const criticalOf = (report: KeptReport | null): string[] =>
  (report?.results ?? [])
    .filter(({ interpretation }) => interpretation === 'critical')
    .map(({ key, result, unit }) => JSON.stringify([key, result, unit]));

async function tellCritical(
  ctx: TxCtx<TeamCtx>,
  { row, user }: LoadedOrder,
  status: 'partial' | 'final',
  created_at: string,
): Promise<void> {
  await publishEvent(ctx, resultCritical, {
    user,
    data: {
      order_id: row.id,
      sample_id: row.sample_id ?? '',
      status,
      interpretation: 'critical',
      team_id: ctx.team.id,
      user_id: row.user_id,
      created_at,
      updated_at: created_at,
    },
  });
}
