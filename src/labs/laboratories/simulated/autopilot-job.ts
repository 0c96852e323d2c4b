import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { autopilotKind } from '../../orders/start-autopilot.ts';
import { lockOrderIfPresent } from '../../orders/load-order.ts';
import { progressOfOrder } from '../../orders/status/order-progress.ts';
import { pathTo } from '../../orders/status/steps-to-status.ts';
import { defineTeamJob } from '../../../tenancy/teams/define-team-job.ts';
import { endOf, startSimulation } from './simulate-order.ts';

/** The job that moves sandbox orders, if PHIAL_SANDBOX_AUTOPILOT_SECONDS is set. */
export const autopilot = defineTeamJob({ ...autopilotKind, run: (ctx, job) => runAutopilot(ctx, job) });

/**
 * Starts a simulation that moves a sandbox order one step every PHIAL_SANDBOX_AUTOPILOT_SECONDS, up to the last status
 * that the order can reach without a client.
 */
function runAutopilot(ctx: TeamCtx, job: { team_id: string; order_id: string }): Promise<void> {
  return inTransaction(ctx, async (tx) => {
    if (ctx.config.autopilotSeconds === null) return;
    const order = await lockOrderIfPresent(tx, job.order_id);
    if (!order) return;
    const path = pathTo(progressOfOrder(order), endOf(order.row), 'simulation');
    if (path.ok) await startSimulation(tx, order, path.steps, { delaySeconds: ctx.config.autopilotSeconds, flags: {} });
  });
}
