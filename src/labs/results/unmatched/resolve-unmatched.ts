import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { findUnmatched, lockUnmatched } from './load-unmatched.ts';
import { renderUnmatched } from './render.ts';
import type { ResolveUnmatchedResult, UnmatchedResult } from './schemas.ts';
import { refuseIfResolved, recordDecision } from './record-decision.ts';

/**
 * Records that a report belongs to none of the team's orders, or that the team is unsure and the operator of the
 * service has to decide.
 */
export function resolveUnmatched(
  ctx: TeamCtx,
  id: string,
  { action, note = null }: Static<typeof ResolveUnmatchedResult>,
): Promise<Static<typeof UnmatchedResult>> {
  return inTransaction(ctx, async (ctx) => {
    const unmatched = await lockUnmatched(ctx, id);
    refuseIfResolved(unmatched);
    const status = action === 'reject' ? 'resolved' : 'pending_ops_review';
    if (status !== unmatched.status) await recordDecision(ctx, unmatched, { status, note });
    return renderUnmatched(await findUnmatched(ctx, id));
  });
}
