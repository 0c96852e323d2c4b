import type { TeamCtx, TxCtx } from '../../../context.ts';
import { publishEvent } from '../../../events/publish.ts';
import { newId } from '../../../ids.ts';
import { refuseOversize } from '../report-bounds.ts';
import { findCandidates, type Candidate, type ReportOfLab } from './candidates.ts';
import { decide } from './decide.ts';
import { tellCritical } from '../tell-critical.ts';
import { matchReviewCreated } from './events.ts';
import { worstOfReport } from './render.ts';

/**
 * Takes a report of a laboratory for a team where none of the numbers issued to it leads to an order, or to one that has ended:
 * whoever it may be of, somebody decides. It waits with its candidates, and is told, as critical too where its order is known;
 * the same report again changes nothing. Throws ReportRefused for what is beyond all bounds.
 */
export async function receiveReport(ctx: TxCtx<TeamCtx>, from: ReportOfLab): Promise<'unmatched' | 'known_unmatched'> {
  refuseOversize(from.report);
  const isNew = await keep(ctx, from, await findCandidates(ctx, from));
  const { order, report } = from;
  if (isNew && order && worstOfReport(report) === 'critical')
    await tellCritical(ctx, order, report.status === 'partial' ? 'partial' : 'final', new Date().toISOString());
  return isNew ? 'unmatched' : 'known_unmatched';
}

async function keep(
  ctx: TxCtx<TeamCtx>,
  { lab_id, lab_account_id, report }: ReportOfLab,
  candidates: Candidate[],
): Promise<boolean> {
  const { cipher, team } = ctx;
  const place = { team_id: team.id, id: newId() };
  const kept = await ctx.db
    .insertInto('unmatched_results')
    .values({
      ...place,
      lab_id,
      lab_account_id,
      // The same report in a message that was written anew is the same.
      report_hash: cipher.lookupHash('lab_report', team.id, JSON.stringify({ ...report, message_at: undefined })),
      ...decide(candidates),
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
  const data = { ...kept, interpretation: worstOfReport(report) };
  await publishEvent(ctx, matchReviewCreated, { user: null, data: data as never });
  return true;
}
