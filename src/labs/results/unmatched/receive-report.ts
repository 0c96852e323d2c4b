import type { TeamCtx, TxCtx } from '../../../context.ts';
import { publishEvent } from '../../../events/publish.ts';
import { newId } from '../../../ids.ts';
import { refuseOversize } from '../report-bounds.ts';
import { findCandidates, type Candidate, type ReportOfLab } from './candidates.ts';
import { decide } from './decide.ts';
import { criticalMarkersOfReport } from '../critical/markers.ts';
import { publishCritical } from '../publish-critical.ts';
import { matchReviewCreated } from './events.ts';
import { worstOfReport } from './render.ts';

/**
 * Stores a report that matches no order of the team: no number of ours in it leads to an order, or the order has ended.
 * The report waits, with its candidate orders, until a person decides to which order it belongs. We publish an event.
 * If the report is critical and its order is known, we publish an event about the critical result too. If the same
 * report arrives again, nothing changes. Throws ReportRefused if the report exceeds the bounds.
 */
export async function receiveReport(ctx: TxCtx<TeamCtx>, from: ReportOfLab): Promise<'unmatched' | 'known_unmatched'> {
  refuseOversize(from.report);
  const isNew = await storeUnmatched(ctx, from, await findCandidates(ctx, from));
  const { order, report } = from;
  if (isNew && order && worstOfReport(report) === 'critical')
    await publishCritical(ctx, order, {
      result_status: report.status === 'partial' ? 'partial' : 'final',
      version: null,
      markers: criticalMarkersOfReport(report),
      created_at: new Date().toISOString(),
    });
  return isNew ? 'unmatched' : 'known_unmatched';
}

async function storeUnmatched(
  ctx: TxCtx<TeamCtx>,
  { lab_id, lab_account_id, report }: ReportOfLab,
  candidates: Candidate[],
): Promise<boolean> {
  const { cipher, team } = ctx;
  const rowKey = { team_id: team.id, id: newId() };
  const stored = await ctx.db
    .insertInto('unmatched_results')
    .values({
      ...rowKey,
      lab_id,
      lab_account_id,
      // The hash shows whether the same report arrives again. A repetition has another time of the message, so the hash
      // omits that time.
      report_hash: cipher.lookupHash('lab_report', team.id, JSON.stringify({ ...report, message_at: undefined })),
      ...decide(candidates),
      report: cipher.sealJson('unmatched_results.report', rowKey, report),
    })
    .onConflict((conflict) => conflict.columns(['team_id', 'lab_id', 'report_hash']).doNothing())
    .returning(['id', 'status', 'decision_code', 'sub_reason_codes'])
    .executeTakeFirst();
  if (!stored) return false;
  if (candidates.length > 0) {
    const rows = candidates.map((candidate) => ({
      ...candidate,
      team_id: team.id,
      unmatched_result_id: stored.id,
      marker_overlap: JSON.stringify(candidate.marker_overlap),
    }));
    await ctx.db.insertInto('unmatched_candidates').values(rows).execute();
  }
  const data = { ...stored, interpretation: worstOfReport(report) };
  await publishEvent(ctx, matchReviewCreated, { user: null, data: data as never });
  return true;
}
