import type { TeamCtx } from '../../context.ts';
import type { LoadedOrder } from '../orders/load-order.ts';
import type { StoredReport } from './stored-report.ts';
import { openReport } from './sealed.ts';

export type NewestReport = StoredReport & { version: number; status: string };

/**
 * Finds the newest version of an order's report, which contains everything that the laboratory has reported so far.
 * Returns null before the first report. We store older versions too, but never read them.
 */
export async function newestReport(ctx: TeamCtx, { row }: LoadedOrder): Promise<NewestReport | null> {
  const newest = await ctx.db
    .selectFrom('lab_results')
    .select(['team_id', 'order_id', 'version', 'status'])
    .select(['metadata', 'results', 'missing_results', 'sample_information'])
    .where('user_id', '=', row.user_id)
    .where('order_id', '=', row.id)
    .where('team_id', '=', ctx.team.id)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest ? { ...openReport(ctx, newest), version: newest.version, status: newest.status } : null;
}
