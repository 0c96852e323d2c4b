import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { publishEvent } from '../../../events/publish.ts';
import { matchReviewUpdated } from './events.ts';
import { worstOfReport } from './render.ts';
import type { Unmatched } from './load-unmatched.ts';

type ReviewDecision = {
  status: 'resolved' | 'pending_ops_review';
  accepted?: { user_id: string; order_id: string };
  note: string | null;
};

/**
 * Stores and publishes a decision about an unmatched report. Every decision goes through this function. The caller
 * holds the lock on the report's row.
 */
export async function recordDecision(
  ctx: TxCtx<TeamCtx>,
  unmatched: Unmatched,
  { status, accepted, note }: ReviewDecision,
): Promise<void> {
  const rowKey = { team_id: ctx.team.id, id: unmatched.id };
  const by = ctx.person?.name ?? null;
  await ctx.db
    .updateTable('unmatched_results')
    .set({ status, updated_at: sql<string>`now()`, reviewed_at: sql<string>`now()` })
    .set(accepted ?? {})
    .set({ decided_by: by === null ? null : ctx.cipher.sealText('unmatched_results.decided_by', rowKey, by) })
    .set(note === null ? {} : { note: ctx.cipher.sealText('unmatched_results.note', rowKey, note) })
    .where('team_id', '=', ctx.team.id)
    .where('id', '=', unmatched.id)
    .execute();
  const { id, decision_code, sub_reason_codes } = unmatched;
  const interpretation = worstOfReport(unmatched.report);
  const data = { id, status, decision_code, sub_reason_codes, interpretation };
  await publishEvent(ctx, matchReviewUpdated, { user: null, data });
}

export function refuseIfResolved({ status }: Unmatched): void {
  if (status !== 'resolved') return;
  throw new AppError('unmatched_result_resolved', 'A decision about this result was already made.');
}
