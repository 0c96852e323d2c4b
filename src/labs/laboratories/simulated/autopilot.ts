import type { Ctx } from '../../../context.ts';
import { defineJob } from '../../../db/define-job.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { autopilotKind } from '../../orders/autopilot.ts';
import { lockOrderIfPresent } from '../../orders/load.ts';
import { progressOfOrder } from '../../orders/status/progress.ts';
import { pathTo } from '../../orders/status/path.ts';
import { findTeamScope, forTeam } from '../../../tenancy/teams/scope.ts';
import { startSimulation } from './simulate-order.ts';

/** Walks orders on where PHIAL_SANDBOX_AUTOPILOT_SECONDS is set. */
export const autopilot = defineJob({ ...autopilotKind, run: (ctx, job) => runAutopilot(ctx, job) });

/** Moves a sandbox order as far as it goes by itself, a step each PHIAL_SANDBOX_AUTOPILOT_SECONDS. */
function runAutopilot(ctx: Ctx, job: { team_id: string; order_id: string }): Promise<void> {
  return inTransaction(ctx, async (tx) => {
    const team = await findTeamScope(tx, job.team_id);
    if (!team || ctx.config.autopilotSeconds === null) return;
    const inside = forTeam(tx, team);
    const order = await lockOrderIfPresent(inside, job.order_id);
    if (!order) return;
    const target = order.row.patient_details === null ? 'with_customer' : 'completed';
    const path = pathTo(progressOfOrder(order), target);
    if (path.ok)
      await startSimulation(inside, order, path.steps, { delaySeconds: ctx.config.autopilotSeconds, flags: {} });
  });
}
