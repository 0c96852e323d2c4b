import { isDeepStrictEqual } from 'node:util';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { analytesOf } from '../catalogue/analytes.ts';
import { orderedTestsOf, type OrderedTest } from '../catalogue/ordered-tests.ts';
import { changeOrder } from '../orders/change-order.ts';
import type { LoadedOrder } from '../orders/load-order.ts';
import { appendOrderEvents, publishOrderEvents } from '../orders/status/append-events.ts';
import { storeSpecimenNumbers } from '../orders/name-words.ts';
import { isOpen } from '../orders/status/statuses.ts';
import { makeRedraw } from '../orders/under-way/make-redraw.ts';
import { describeReport } from './storing/describe-report.ts';
import { worstOf, type Interpretation } from './interpretation/interpret.ts';
import type { StoredReport, RejectedTests } from './stored-report.ts';
import { deferredResults, mergeValues, notReported, SET_ASIDE } from './storing/merge-report.ts';
import { newestReport, type NewestReport } from './newest-report.ts';
import type { LabReport } from './lab-report.ts';
import { MAX_OF_REPORT, refuseOversize, ReportRefused } from './report-bounds.ts';
import { sealReport } from './sealed.ts';
import { detailOfRejection, rejectionOf, withRejections } from './storing/rejected-samples.ts';
import {
  areAllReported,
  haveAllFailed,
  testsMeantBy,
  notExpected,
  rejectedAfter,
  testsAfter,
} from './storing/test-statuses.ts';
import { withNotesOfTests } from './storing/notes-of-tests.ts';
import { criticalMarkersOf } from './critical/markers.ts';
import { publishCritical } from './publish-critical.ts';
import { statusesAfter, type Reach } from './storing/statuses-after.ts';

/**
 * The outcome of storing a report. `impossible`: the order cannot take results in its current state, for example
 * because it has ended, or because nobody has registered its kit.
 */
export type StoreOutcome = {
  order: LoadedOrder;
  outcome: 'stored' | 'unchanged' | 'impossible';
  /**
   * True if the report contains a value that is older than the stored value with the same key. We add the older value
   * to the history.
   */
  superseded: boolean;
};

/**
 * `byPerson`: a person has decided that the report belongs to this order. If the order has ended, it then keeps its
 * status. `shouldRetainStatus`: the report is no reason to change the status of the order. The status still changes if
 * we expect no further results.
 */
type StoreOptions = { byPerson?: boolean; shouldRetainStatus?: boolean };

/**
 * Stores a report of results for an order. Reports of every kind of laboratory go through this function. A report
 * becomes a new version and replaces no earlier version, even if it is a correction. The order gets a new
 * interpretation and status, and we publish events. If the report contains nothing new, nothing changes and we publish
 * nothing. The caller holds the lock on the order's row. Throws ReportRefused if the report exceeds the bounds.
 */
export async function storeReport(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  reported: LabReport,
  decided: StoreOptions = {},
): Promise<StoreOutcome> {
  refuseOversize(reported);
  const before = await newestReport(ctx, order);
  const after = await reportAfter(ctx, order, { reported, before });
  const { next, superseded, reach } = after;
  const isUnchanged = before?.status === statusOf(reach) && isDeepStrictEqual(contentOf(before), contentOf(next));
  if (isUnchanged && (reach !== 'partial' || isDeepStrictEqual(before.tests, next.tests))) {
    await storeLateValues(ctx, order, { before, next });
    return { order, outcome: 'unchanged', superseded };
  }
  // A report of several tests may differ from the stored one only in that a test is final now. Then we store the new
  // status of the test, but publish nothing.
  const stays = isUnchanged || (decided.shouldRetainStatus && reach === 'partial');
  const statuses = stays ? [] : (statusesAfter(order, reach) ?? (decided.byPerson && hasEnded(order) ? [] : null));
  if (statuses === null || order.row.patient_details === null) return { order, outcome: 'impossible', superseded };
  const { interpretation, status } = after;
  const version = { version: (before?.version ?? 0) + 1, status, interpretation };
  const created_at = await insertReport(ctx, order, version, next);
  await storeSpecimenNumbers(ctx, order.row, numbersOf(next));
  const has_missing_results = next.missing_results.length + next.withdrawn.length > 0;
  const changed = await changeOrder(ctx, order, { interpretation, has_missing_results });
  if (newlyCritical(next, before))
    await publishCritical(ctx, order, {
      result_status: status,
      version: version.version,
      markers: criticalMarkersOf(next.results),
      created_at,
    });
  if (decided.shouldRetainStatus && statuses.length === 0)
    await publishOrderEvents(ctx, changed, changed.events.slice(-1));
  const moved = await appendOrderEvents(ctx, changed, statuses);
  const isRedrawn = typeof reach === 'object' && reach.failed === 'redrawn' && statuses.length > 0;
  return { order: isRedrawn ? await makeRedraw(ctx, moved) : moved, outcome: 'stored', superseded };
}

/** The numbers under which the laboratory knows the samples. */
const numbersOf = ({ metadata, sample_information }: StoredReport): string[] => [
  metadata.specimen_number,
  ...Object.values(sample_information).flatMap(({ sample_id }) => sample_id ?? []),
];

const statusOf = (reach: Reach): 'partial' | 'final' => (reach === 'partial' ? 'partial' : 'final');

type After = {
  next: StoredReport;
  superseded: boolean;
  reach: Reach;
  status: 'partial' | 'final';
  interpretation: Interpretation;
};

/**
 * Returns what the order's report contains after this report, and whether the order is then partial, complete or
 * failed.
 */
async function reportAfter(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  { reported, before }: { reported: LabReport; before: NewestReport | null },
): Promise<After> {
  const analytes = await analytesOf(ctx, order.row.lab_test_id);
  const ordered = await orderedTestsOf(ctx, order.row.lab_test_id);
  const report = withNotesOfTests(withRejections(reported), before, ordered);
  const { superseded, ...values } = mergeValues(before, report, analytes);
  if (sizeOf(values) > MAX_OF_REPORT.values_of_order) throw new ReportRefused('order_full');
  const after = testsAfter(before?.tests ?? {}, report.tests ?? [], ordered);
  // A report of an early release has no tests. Then the status of the entire report applies.
  const isWhole = report.tests ? areAllReported(after, values, ordered) : report.status !== 'partial';
  const complete = before?.status === 'final' || isWhole;
  const { tests } = after;
  const rejected = rejectedAfter(before?.rejected ?? {}, report.tests ?? [], { tests, ordered });
  const discarded = discardedAfter(before, report, ordered);
  const expected = notExpected(analytes, { tests, complete }, ordered).map((each) => ({
    ...each,
    isSetAside: discarded.has(each.analyte.slug),
  }));
  const missing_results = [
    ...values.missing_results,
    ...notReported(values, expected),
    ...deferredResults(values, analytes, rejected),
  ];
  const interpretation = worstOf(values.results.map((result) => result.interpretation));
  const hasFailed = complete && report.tests !== null && haveAllFailed(tests, values, ordered);
  const reach = hasFailed ? failedBy(rejected) : complete ? 'complete' : 'partial';
  const status = statusOf(reach);
  const described = describeReport(order, report, before, { status, interpretation });
  const next = { ...values, missing_results, tests, rejected, ...described };
  return { next, superseded, reach, status, interpretation };
}

/** Returns the slugs of analytes whose value may have been in a part of a report that we discarded. */
function discardedAfter(before: NewestReport | null, report: LabReport, ordered: OrderedTest[]): Set<string> {
  const known = (before?.missing_results ?? []).filter(({ note }) => note === SET_ASIDE).map(({ key }) => key);
  const tests = report.set_aside ? (report.tests ?? []).flatMap((test) => testsMeantBy(test, ordered)) : [];
  return new Set([...known, ...tests.flatMap(({ analytes }) => analytes.map(({ slug }) => slug))]);
}

const sizeOf = ({
  results,
  missing_results,
  withdrawn,
}: Pick<StoredReport, 'results' | 'missing_results' | 'withdrawn'>): number =>
  [...results, ...missing_results].reduce((sum, { history }) => sum + 1 + history.length, withdrawn.length);

const hasEnded = ({ row }: LoadedOrder): boolean => !isOpen(row.last_low_level_status);

function failedBy(rejected: RejectedTests): Reach {
  const code = Object.values(rejected).find((each) => rejectionOf({ rejected: [each] }) !== null);
  return code === undefined ? { failed: 'called_off' } : { failed: 'redrawn', detail: detailOfRejection(code) };
}

/** Returns the part of a report that customers see, without the history and without the times of messages. */
const contentOf = ({ results, missing_results, withdrawn, sample_information }: StoredReport): unknown =>
  plainOf({
    results: results.map((result) => ({ ...result, as_of: null, history: null })),
    missing_results: missing_results.map((missing) => ({ ...missing, as_of: null, history: null })),
    withdrawn: withdrawn.map((entry) => ({ ...entry, as_of: null })),
    samples: Object.values(sample_information).map((sample) => ({ ...sample, date_reported: null })),
  });

const plainOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/**
 * Updates the newest version if the report brought only old or repeated values. Customers see no difference. But we
 * need these values and their times to decide whether a value in the next message is newer.
 */
async function storeLateValues(
  ctx: TxCtx<TeamCtx>,
  { row }: LoadedOrder,
  { before, next }: { before: NewestReport; next: StoredReport },
): Promise<void> {
  const behind = ({ results, missing_results, withdrawn }: StoredReport): unknown =>
    plainOf({ results, missing_results, withdrawn });
  if (isDeepStrictEqual(behind(before), behind(next))) return;
  const rowKey = { team_id: ctx.team.id, order_id: row.id, version: before.version };
  const { results, missing_results } = sealReport(ctx, rowKey, next);
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
  report: StoredReport,
): Promise<string> {
  const rowKey = { team_id: ctx.team.id, order_id: row.id, version: plain.version };
  const { created_at } = await ctx.db
    .insertInto('lab_results')
    .values({
      ...rowKey,
      ...plain,
      user_id: row.user_id,
      ...sealReport(ctx, rowKey, report),
      ...(ctx.happenedAt !== undefined && { created_at: ctx.happenedAt }),
    })
    .returning('created_at')
    .executeTakeFirstOrThrow();
  return created_at;
}

/**
 * Returns whether the report contains a critical value that we have not published yet. If a critical value of an
 * analyte changes to another critical value, we publish it again.
 */
function newlyCritical(next: StoredReport, before: StoredReport | null): boolean {
  const known = new Set(criticalOf(before));
  return criticalOf(next).some((value) => !known.has(value));
}

const criticalOf = (report: StoredReport | null): string[] =>
  (report?.results ?? [])
    .filter(({ interpretation }) => interpretation === 'critical')
    .map(({ key, result, unit }) => JSON.stringify([key, result, unit]));
