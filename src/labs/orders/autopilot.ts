import type { TeamCtx, TxCtx } from '../../context.ts';
import { addJob } from '../../db/add-job.ts';

/** The job that walks a sandbox order on; what it does stands with the simulated laboratory. */
export const AUTOPILOT_JOB = 'autopilot';

/** Where the sandbox is told to move orders by itself: asks for it in the transaction that made or registered one. */
export async function startAutopilot(ctx: TxCtx<TeamCtx>, orderId: string): Promise<void> {
  if (ctx.config.environment !== 'sandbox' || ctx.config.autopilotSeconds === null) return;
  await addJob(ctx.db, AUTOPILOT_JOB, { team_id: ctx.team.id, order_id: orderId });
}
