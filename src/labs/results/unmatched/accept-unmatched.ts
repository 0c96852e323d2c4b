import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError, notFound } from '../../../errors.ts';
import { lockOrder } from '../../orders/load-order.ts';
import { renderOrder } from '../../orders/render.ts';
import type { Order } from '../../orders/schemas.ts';
import { ReportRefused } from '../report-bounds.ts';
import { storeReport } from '../store-report.ts';
import { lockUnmatched, type Unmatched } from './load-unmatched.ts';
import type { AcceptUnmatchedResult } from './schemas.ts';
import { refuseContradictions } from './refuse-contradictions.ts';
import { refuseIfResolved, recordDecision } from './record-decision.ts';

/**
 * `confirm_patient`: whether a person has confirmed that the report is of the order, although it contradicts it. If it
 * is undefined, nothing is compared, because the public interface has no such confirmation.
 */
type Accepted = Static<typeof AcceptUnmatchedResult> & { confirm_patient?: boolean };

/** Stores an unmatched report for the order that a person chose, as if the laboratory had named this order. */
export function acceptUnmatched(ctx: TeamCtx, id: string, accepted: Accepted): Promise<Static<typeof Order>> {
  return inTransaction(ctx, async (ctx) => {
    const unmatched = await lockUnmatched(ctx, id);
    refuseIfResolved(unmatched);
    const order = await lockOrder(ctx, orderOf(unmatched, accepted));
    const user = accepted.user_id?.toLowerCase() ?? order.row.user_id;
    if (order.row.user_id !== user) throw notFound('Order of this user');
    const { confirm_patient, note = null } = accepted;
    if (confirm_patient !== undefined) refuseContradictions(unmatched.report, order, { confirm_patient, note });
    const stored = await storeReport(ctx, order, unmatched.report, { byPerson: true }).catch((error: unknown) => {
      if (error instanceof ReportRefused) return null;
      throw error;
    });
    if (stored === null || stored.outcome === 'impossible') {
      throw new AppError(
        'order_takes_no_results',
        'This order cannot take results in its current state: its kit is not registered, or it has as ' +
          'many results as it can have.',
      );
    }
    await recordDecision(ctx, unmatched, {
      status: 'resolved',
      accepted: { user_id: user, order_id: order.row.id },
      note,
    });
    return renderOrder(stored.order, 'all');
  });
}

/**
 * Returns the order that the request names. If the request names none, returns the only candidate. Throws
 * unmatched_order_required if there is not exactly one candidate.
 */
function orderOf({ candidates }: Unmatched, { order_id, user_id }: Accepted): string {
  if (order_id) return order_id;
  const [only, ...others] = candidates.filter((candidate) => !user_id || candidate.user_id === user_id.toLowerCase());
  if (only?.order_id && others.length === 0) return only.order_id;
  throw new AppError(
    'unmatched_order_required',
    'Several orders or none are candidates. Send the order of this result in order_id.',
  );
}
