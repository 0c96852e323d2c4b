import type { TeamCtx, TxCtx } from '../../../context.ts';
import { publishEvent } from '../../../events/publish.ts';
import { newId } from '../../../ids.ts';
import { lockOrderIfPresent, type LoadedOrder } from '../../orders/load.ts';
import { refuseOversize } from '../report-bounds.ts';
import { storeReport, type Stored } from '../store-report.ts';
import { findCandidates, type Candidate, type ReportOfLab } from './candidates.ts';
import { decide } from './decide.ts';
import { matchReviewCreated } from './events.ts';

/** What became of a report: of the order it names, or of the queue. */
export type Received = Stored['outcome'] | 'unmatched' | 'known_unmatched';

/**
 * Takes a report of a laboratory for a team. `orderId` is the order that the numbers issued to the laboratory lead to:
 * its placer number first, then the laboratory's filler or accession number; null where they lead nowhere. Nothing else
 * binds a report to an order by itself: whatever else it may be of, somebody decides. Throws ReportRefused for what is beyond
 * all bounds.
 */
export async function receiveReport(
  ctx: TxCtx<TeamCtx>,
  from: ReportOfLab,
  orderId: string | null,
): Promise<{ received: Received; order: LoadedOrder | null }> {
  refuseOversize(from.report);
  const order = orderId === null ? null : await lockOrderIfPresent(ctx, orderId);
  if (order && fits(order, from)) {
    const stored = await storeReport(ctx, order, from.report);
    if (stored.outcome !== 'impossible') return { received: stored.outcome, order: stored.order };
  }
  const candidates = await findCandidates(ctx, from, order);
  const owner = orderId === null || order ? null : await ownerOf(ctx, orderId);
  const isNew = await keep(ctx, from, { candidates, owner });
  return { received: isNew ? 'unmatched' : 'known_unmatched', order };
}

/** A number can be mistyped too: another laboratory's order, or one of somebody born on another day, is not meant. */
function fits({ labTest, row }: LoadedOrder, { lab_id, report }: ReportOfLab): boolean {
  const { dob = null } = report.patient ?? {};
  return (
    labTest.lab?.id === lab_id && (dob === null || row.patient_details === null || row.patient_details.dob === dob)
  );
}

async function ownerOf(ctx: TxCtx<TeamCtx>, orderId: string): Promise<string | null> {
  const order = await ctx.db
    .selectFrom('orders')
    .select('user_id')
    .where('team_id', '=', ctx.team.id)
    .where('id', '=', orderId)
    .executeTakeFirst();
  return order?.user_id ?? null;
}

async function keep(
  ctx: TxCtx<TeamCtx>,
  { lab_id, lab_account_id, report }: ReportOfLab,
  { candidates, owner }: { candidates: Candidate[]; owner: string | null },
): Promise<boolean> {
  const { cipher, team } = ctx;
  const place = { team_id: team.id, id: newId() };
  const kept = await ctx.db
    .insertInto('unmatched_results')
    .values({
      ...place,
      lab_id,
      lab_account_id,
      report_hash: cipher.lookupHash('lab_report', team.id, JSON.stringify(report)),
      ...decide(candidates),
      // Of a user who is to be erased: what comes now goes with the rest.
      user_id: owner,
      report: cipher.sealJson('unmatched_results.report', place, report),
    })
    .onConflict((conflict) => conflict.columns(['team_id', 'lab_id', 'report_hash']).doNothing())
    .returning(['id', 'status', 'decision_code', 'sub_reason_codes'])
    .executeTakeFirst();
  if (!kept) return false;
  if (candidates.length > 0) {
    const rows = candidates.map((candidate) => ({
      ...candidate,
      team_id: team.id,
      unmatched_result_id: kept.id,
      marker_overlap: JSON.stringify(candidate.marker_overlap),
    }));
    await ctx.db.insertInto('unmatched_candidates').values(rows).execute();
  }
  await publishEvent(ctx, matchReviewCreated, { user: null, data: kept as never });
  return true;
}
