import { isDeepStrictEqual } from 'node:util';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { analytesOf } from '../catalogue/analytes.ts';
import { orderedTestsOf, type OrderedTest } from '../catalogue/ordered-tests.ts';
import { changeOrder } from '../orders/change.ts';
import type { LoadedOrder } from '../orders/load.ts';
import { appendOrderEvents, publishOrderEvents } from '../orders/status/append-events.ts';
import { isOpen } from '../orders/status/table.ts';
import { makeRedraw } from '../orders/under-way/redraw.ts';
import { describeReport } from './storing/describe-report.ts';
import { worstOf, type Interpretation } from './interpretation/interpret.ts';
import type { KeptReport, RejectedTests } from './kept-report.ts';
import { heldUp, mergeValues, notReported, SET_ASIDE } from './storing/merge-report.ts';
import { newestReport, type NewestReport } from './newest-report.ts';
import type { LabReport } from './report.ts';
import { MOST_OF_REPORT, refuseOversize, ReportRefused } from './report-bounds.ts';
import { sealReport } from './sealed.ts';
import { detailOfRejection, rejectionOf, withRejections } from './storing/rejected-samples.ts';
import { areAllTold, haveAllFailed, meantBy, notAwaited, rejectedAfter, testsAfter } from './storing/told-tests.ts';
import { withNotesOfTests } from './storing/notes-of-tests.ts';
import { tellCritical } from './tell-critical.ts';
import { statusesAfter, type Reach } from './storing/statuses-after.ts';

/** `impossible`: the order as it stands takes no results, because it has ended or nobody has registered its kit. */
export type Stored = {
  order: LoadedOrder;
  outcome: 'stored' | 'unchanged' | 'impossible';
  /** Something in the report is older than what is stored of the same, and is kept behind it. */
  superseded: boolean;
};

/**
 * By a person: it is for an order that may have ended, which keeps its status then. Keeps its status: nothing came of the order,
 * which stays where it is while more is to come.
 */
type Decided = { byPerson?: boolean; keepsStatus?: boolean };

/**
 * The one way by which results get to an order, whoever the laboratory is: the report becomes the order's next version
 * (one that corrects replaces nothing), the order gets its interpretation and status, and both are told. A report that
 * says nothing new changes nothing and tells nothing. The caller holds the order's row lock.
 * Throws ReportRefused for what is beyond all bounds.
 */
export async function storeReport(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  told: LabReport,
  decided: Decided = {},
): Promise<Stored> {
  refuseOversize(told);
  const before = await newestReport(ctx, order);
  const after = await reportAfter(ctx, order, { told, before });
  const { next, superseded, reach } = after;
  const isTold = before?.status === statusOf(reach) && isDeepStrictEqual(contentOf(before), contentOf(next));
  if (isTold && (reach !== 'partial' || isDeepStrictEqual(before.tests, next.tests))) {
    await keepBehind(ctx, order, { before, next });
    return { order, outcome: 'unchanged', superseded };
  }
  // That a test of several is final now, with the values that it had, is kept and no news.
  const stays = isTold || (decided.keepsStatus && reach === 'partial');
  const statuses = stays ? [] : (statusesAfter(order, reach) ?? (decided.byPerson && hasEnded(order) ? [] : null));
  if (statuses === null || order.row.patient_details === null) return { order, outcome: 'impossible', superseded };
  const { interpretation, status } = after;
  const version = { version: (before?.version ?? 0) + 1, status, interpretation };
  const created_at = await insertReport(ctx, order, version, next);
  const has_missing_results = next.missing_results.length + next.withdrawn.length > 0;
  const changed = await changeOrder(ctx, order, { interpretation, has_missing_results });
  if (newlyCritical(next, before)) await tellCritical(ctx, order, status, created_at);
  if (decided.keepsStatus && statuses.length === 0) await publishOrderEvents(ctx, changed, changed.events.slice(-1));
  const moved = await appendOrderEvents(ctx, changed, statuses);
  const isRedrawn = typeof reach === 'object' && reach.failed === 'redrawn' && statuses.length > 0;
  return { order: isRedrawn ? await makeRedraw(ctx, moved) : moved, outcome: 'stored', superseded };
}

const statusOf = (reach: Reach): 'partial' | 'final' => (reach === 'partial' ? 'partial' : 'final');

type After = {
  next: KeptReport;
  superseded: boolean;
  reach: Reach;
  status: 'partial' | 'final';
  interpretation: Interpretation;
};

/** What is known of the order with one more report, and how far that takes it. */
async function reportAfter(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  { told, before }: { told: LabReport; before: NewestReport | null },
): Promise<After> {
  const analytes = await analytesOf(ctx, order.row.lab_test_id);
  const ordered = await orderedTestsOf(ctx, order.row.lab_test_id);
  const report = withNotesOfTests(withRejections(told), before, ordered);
  const { superseded, ...values } = mergeValues(before, report, analytes);
  if (sizeOf(values) > MOST_OF_REPORT.values_of_order) throw new ReportRefused('order_full');
  const after = testsAfter(before?.tests ?? {}, report.tests ?? [], ordered);
  // Reports that were kept before tests were told apart have none.
  const isWhole = report.tests ? areAllTold(after, values, ordered) : report.status !== 'partial';
  const complete = before?.status === 'final' || isWhole;
  const { tests } = after;
  const rejected = rejectedAfter(before?.rejected ?? {}, report.tests ?? [], { tests, ordered });
  const setAside = setAsideAfter(before, report, ordered);
  const expected = notAwaited(analytes, { tests, complete }, ordered).map((each) => ({
    ...each,
    isSetAside: setAside.has(each.analyte.slug),
  }));
  const missing_results = [
    ...values.missing_results,
    ...notReported(values, expected),
    ...heldUp(values, analytes, rejected),
  ];
  const interpretation = worstOf(values.results.map((result) => result.interpretation));
  const hasFailed = complete && report.tests !== null && haveAllFailed(tests, values, ordered);
  const reach = hasFailed ? failedBy(rejected) : complete ? 'complete' : 'partial';
  const status = statusOf(reach);
  const described = describeReport(order, report, before, { status, interpretation });
  const next = { ...values, missing_results, tests, rejected, ...described };
  return { next, superseded, reach, status, interpretation };
}

/** Analytes whose value may have stood in a part of a report that was discarded. */
function setAsideAfter(before: NewestReport | null, report: LabReport, ordered: OrderedTest[]): Set<string> {
  const known = (before?.missing_results ?? []).filter(({ note }) => note === SET_ASIDE).map(({ key }) => key);
  const tests = report.set_aside ? (report.tests ?? []).flatMap((test) => meantBy(test, ordered)) : [];
  return new Set([...known, ...tests.flatMap(({ analytes }) => analytes.map(({ slug }) => slug))]);
}

const sizeOf = ({
  results,
  missing_results,
  withdrawn,
}: Pick<KeptReport, 'results' | 'missing_results' | 'withdrawn'>): number =>
  [...results, ...missing_results].reduce((sum, { history }) => sum + 1 + history.length, withdrawn.length);

const hasEnded = ({ row }: LoadedOrder): boolean => !isOpen(row.last_low_level_status);

function failedBy(rejected: RejectedTests): Reach {
  const code = Object.values(rejected).find((each) => rejectionOf({ rejected: [each] }) !== null);
  return code === undefined ? { failed: 'called_off' } : { failed: 'redrawn', detail: detailOfRejection(code) };
}

/** What a reader is told, without what stands behind it. */
const contentOf = ({ results, missing_results, withdrawn, sample_information }: KeptReport): unknown =>
  plainOf({
    results: results.map((result) => ({ ...result, as_of: null, history: null })),
    missing_results: missing_results.map((missing) => ({ ...missing, as_of: null, history: null })),
    withdrawn: withdrawn.map((entry) => ({ ...entry, as_of: null })),
    samples: Object.values(sample_information).map((sample) => ({ ...sample, date_reported: null })),
  });

const plainOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/**
 * What came too late to change anything is kept with the newest version, as is that the same was said again: both decide what
 * of the next message is newer.
 */
async function keepBehind(
  ctx: TxCtx<TeamCtx>,
  { row }: LoadedOrder,
  { before, next }: { before: NewestReport; next: KeptReport },
): Promise<void> {
  const behind = ({ results, missing_results, withdrawn }: KeptReport): unknown =>
    plainOf({ results, missing_results, withdrawn });
  if (isDeepStrictEqual(behind(before), behind(next))) return;
  const place = { team_id: ctx.team.id, order_id: row.id, version: before.version };
  const { results, missing_results } = sealReport(ctx, place, next);
  await ctx.db
    .updateTable('lab_results')
    .set({ results, missing_results })
    .where('user_id', '=', row.user_id)
    .where('order_id', '=', row.id)
    .where('version', '=', before.version)
    .where('team_id', '=', ctx.team.id)
    .execute();
}

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
