import type { TeamCtx, TxCtx } from '../../context.ts';
import { publishEvent } from '../../events/publish.ts';
import type { LoadedOrder } from '../orders/load-order.ts';
import { resultCritical } from './events.ts';

/** Publishes an event about a critical value of an order. The event contains ids but not the value. */
export async function publishCritical(
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
