import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { findUnmatched, lockUnmatched } from './load.ts';
import { renderUnmatched } from './render.ts';
import type { ResolveUnmatchedResult, UnmatchedResult } from './schemas.ts';
import { refuseIfResolved, settle } from './settle.ts';

/** Says that a report is of none of the team's orders, or leaves that to the operator of the service. */
export function resolveUnmatched(
  ctx: TeamCtx,
  id: string,
  { action, note = null }: Static<typeof ResolveUnmatchedResult>,
): Promise<Static<typeof UnmatchedResult>> {
  return inTransaction(ctx, async (ctx) => {
    const unmatched = await lockUnmatched(ctx, id);
    refuseIfResolved(unmatched);
    const status = action === 'reject' ? 'resolved' : 'pending_ops_review';
    if (status !== unmatched.status) await settle(ctx, unmatched, { status, note });
    return renderUnmatched(await findUnmatched(ctx, id));
  });
}
