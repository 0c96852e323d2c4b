import type { TeamCtx, TxCtx } from '../context.ts';
import { acknowledgeCritical } from '../labs/results/critical/decide-critical.ts';

/** Acknowledges the critical result of an order as a nurse does who has called the physician. Nobody signs it off. */
export async function acknowledge(ctx: TxCtx<TeamCtx>, orderId: string): Promise<void> {
  const entry = await ctx.db
    .selectFrom('critical_results')
    .select('id')
    .where('team_id', '=', ctx.team.id)
    .where('order_id', '=', orderId)
    .executeTakeFirst();
  if (!entry) return;
  await acknowledgeCritical(ctx, entry.id, {
    acknowledged_by: 'Dana Whitfield, RN',
    called_person: 'Ana Ruiz, MD',
    called_at: new Date().toISOString(),
    read_back: true,
    note: 'The physician repeats the test today. The sign-off is hers.',
  });
}
