import type { TeamCtx } from '../../context.ts';
import type { LoadedOrder } from '../orders/load.ts';
import type { KeptReport } from './kept-report.ts';
import { openReport } from './sealed.ts';

/** The newest version of an order's report. */
export type NewestReport = KeptReport & { version: number; status: string };

/** What the laboratory has reported of an order so far; null before it has. Older versions are kept, and never read. */
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
