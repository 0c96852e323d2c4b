import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { newId } from '../../../ids.ts';
import { ReportRefused } from '../../results/report-bounds.ts';
import { lockOrder, type LoadedOrder } from '../../orders/load.ts';
import { hasLongHistory } from '../../orders/status/append-events.ts';
import { progressOfOrder } from '../../orders/status/progress.ts';
import { partsOf, type LowLevelStatus } from '../../orders/status/table.ts';
import { pathTo } from '../../orders/status/path.ts';
import { advance } from '../../orders/status/rules.ts';
import type { SimulationFlags } from './schemas.ts';
import { addStepJob, move, takeStep } from './simulation-step.ts';

type Flags = Static<typeof SimulationFlags>;
type Request = { finalStatus: string | null; delaySeconds: number; flags: Flags };

/** Walks a sandbox order to its final status: at once, or a step each `delaySeconds` by jobs that survive a crash. */
export function simulateOrder(ctx: TeamCtx, orderId: string, request: Request): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    if (ctx.config.environment !== 'sandbox') {
      throw new AppError('sandbox_only', 'Orders are simulated in the sandbox only.');
    }
    const order = await lockOrder(ctx, orderId);
    if (hasLongHistory(order))
      throw new AppError(
        'status_not_reachable',
        'This order has had as many statuses as one can be given. Take another one.',
      );
    const steps = stepsTo(order, request.finalStatus);
    await startSimulation(ctx, order, steps, request).catch(refuseOfFullOrder);
  });
}

/** A simulation never invents a patient: by itself an unregistered kit goes to its user's door and no further. */
function stepsTo(order: LoadedOrder, finalStatus: string | null): LowLevelStatus[] {
  const progress = progressOfOrder(order);
  const target = targetOf(order, finalStatus);
  // A correction may follow a correction; other statuses that the order has already need no step.
  if (finalStatus !== null && progress.last === target && advance(progress, target)) return [target];
  const path = pathTo(progress, target, 'simulation');
  if (path.ok) return path.steps;
  if (path.reason === 'registration_required') {
    throw new AppError(
      'registration_required',
      `This kit gets to ${target} only once it is registered: POST /v3/order/testkit/register first.`,
    );
  }
  throw new AppError('status_not_reachable', `No way leads from ${order.row.last_status} to ${finalStatus ?? target}.`);
}

/** A laboratory's report would wait for somebody to look at it; whoever simulates one is told at once. */
function refuseOfFullOrder(error: unknown): never {
  if (!(error instanceof ReportRefused) || error.code !== 'order_full') throw error;
  throw new AppError('status_not_reachable', 'This order has as many results as it can have. Take another one.');
}

/** Where an order gets to by itself. */
export const endOf = ({ method, patient_details }: LoadedOrder['row']): LowLevelStatus =>
  method === 'testkit' && patient_details === null ? 'with_customer' : 'completed';

function targetOf({ row }: LoadedOrder, finalStatus: string | null): LowLevelStatus {
  if (finalStatus === null) return endOf(row);
  const { method, low } = partsOf(finalStatus);
  if (method !== row.method) {
    throw new AppError(
      'status_not_reachable',
      `${finalStatus} is a status of ${method}, but this is an order by ${row.method}.`,
    );
  }
  return low;
}

/** A new simulation takes the place of an unfinished one. Without a delay nobody would see where it stands: it is not written. */
export async function startSimulation(
  ctx: TxCtx<TeamCtx>,
  locked: LoadedOrder,
  steps: LowLevelStatus[],
  { delaySeconds, flags }: Pick<Request, 'delaySeconds' | 'flags'>,
): Promise<void> {
  const { row } = locked;
  await ctx.db.deleteFrom('simulations').where('user_id', '=', row.user_id).where('order_id', '=', row.id).execute();
  if (delaySeconds === 0) return walk(ctx, locked, steps, flags);
  if (steps.length === 0) return;
  const simulation = {
    user_id: row.user_id,
    order_id: row.id,
    id: newId(),
    team_id: ctx.team.id,
    steps,
    next_step: 0,
    delay_seconds: delaySeconds,
    flags: JSON.stringify(flags),
    due_at: sql<string>`now()`,
  };
  await ctx.db.insertInto('simulations').values(simulation).execute();
  const job = { team_id: ctx.team.id, order_id: row.id, simulation_id: simulation.id };
  const { more } = await takeStep(ctx, locked, { ...job, step: 0 });
  if (more) await addStepJob(ctx, { ...job, step: 1 }, delaySeconds);
}

async function walk(ctx: TxCtx<TeamCtx>, locked: LoadedOrder, steps: LowLevelStatus[], flags: Flags): Promise<void> {
  let order: LoadedOrder | null = locked;
  for (const status of steps) {
    order = await move(ctx, order, status, flags);
    if (!order) return;
  }
}
