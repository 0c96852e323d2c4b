import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { autopilotKind } from '../../orders/autopilot.ts';
import { lockOrderIfPresent } from '../../orders/load.ts';
import { progressOfOrder } from '../../orders/status/progress.ts';
import { pathTo } from '../../orders/status/path.ts';
import { defineTeamJob } from '../../../tenancy/teams/define-team-job.ts';
import { endOf, startSimulation } from './simulate-order.ts';

/** Walks orders on where PHIAL_SANDBOX_AUTOPILOT_SECONDS is set. */
export const autopilot = defineTeamJob({ ...autopilotKind, run: (ctx, job) => runAutopilot(ctx, job) });

/** Moves a sandbox order as far as it goes by itself, a step each PHIAL_SANDBOX_AUTOPILOT_SECONDS. */
function runAutopilot(ctx: TeamCtx, job: { team_id: string; order_id: string }): Promise<void> {
  return inTransaction(ctx, async (tx) => {
    if (ctx.config.autopilotSeconds === null) return;
    const order = await lockOrderIfPresent(tx, job.order_id);
    if (!order) return;
    const path = pathTo(progressOfOrder(order), endOf(order.row), 'simulation');
    if (path.ok) await startSimulation(tx, order, path.steps, { delaySeconds: ctx.config.autopilotSeconds, flags: {} });
  });
}
