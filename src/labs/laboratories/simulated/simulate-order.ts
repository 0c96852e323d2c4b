import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { newId } from '../../../ids.ts';
import { ReportRefused } from '../../results/report-bounds.ts';
import { lockOrder, type LoadedOrder } from '../../orders/load-order.ts';
import { hasLongHistory } from '../../orders/status/append-events.ts';
import { progressOfOrder } from '../../orders/status/order-progress.ts';
import { partsOf, type LowLevelStatus } from '../../orders/status/statuses.ts';
import { pathTo } from '../../orders/status/steps-to-status.ts';
import { advance } from '../../orders/status/status-rules.ts';
import type { SimulationFlags } from './schemas.ts';
import { addStepJob, move, takeStep } from './simulation-step.ts';

type Flags = Static<typeof SimulationFlags>;
type Request = { finalStatus: string | null; delaySeconds: number; flags: Flags };

/**
 * Moves a sandbox order to its final status. Without a delay, this happens at once. With `delaySeconds`, a job takes
 * one step at a time. After a crash, the remaining jobs still run.
 */
export function simulateOrder(ctx: TeamCtx, orderId: string, request: Request): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    if (ctx.config.environment !== 'sandbox') {
      throw new AppError('sandbox_only', 'Orders are simulated in the sandbox only.');
    }
    const order = await lockOrder(ctx, orderId);
    if (hasLongHistory(order))
      throw new AppError(
        'status_not_reachable',
        'This order has had as many statuses as an order can have. Use another order.',
      );
    const steps = stepsTo(order, request.finalStatus);
    await startSimulation(ctx, order, steps, request).catch(refuseOfFullOrder);
  });
}

/**
 * Returns the statuses up to the final status, in sequence. A simulation never invents a patient. So for a kit that
 * nobody has registered, it ends when the kit is with the customer.
 */
function stepsTo(order: LoadedOrder, finalStatus: string | null): LowLevelStatus[] {
  const progress = progressOfOrder(order);
  const target = targetOf(order, finalStatus);
  // One correction may follow another. The order then has all other statuses already, so this is the only step.
  if (finalStatus !== null && progress.last === target && advance(progress, target)) return [target];
  const path = pathTo(progress, target, 'simulation');
  if (path.ok) return path.steps;
  if (path.reason === 'registration_required') {
    throw new AppError(
      'registration_required',
      `This kit must be registered before it can reach ${target}: POST /v3/order/testkit/register first.`,
    );
  }
  throw new AppError(
    'status_not_reachable',
    `No path leads from ${order.row.last_status} to ${finalStatus ?? target}.`,
  );
}

/**
 * Throws the error for an order that has the most results that we store. The report of a real laboratory would wait for
 * repair. The client of a simulation gets the error at once.
 */
function refuseOfFullOrder(error: unknown): never {
  if (!(error instanceof ReportRefused) || error.code !== 'order_full') throw error;
  throw new AppError('status_not_reachable', 'This order has as many results as an order can have. Use another order.');
}

/** Returns the last status that an order reaches without a client. */
export const endOf = ({ method, patient_details }: LoadedOrder['row']): LowLevelStatus =>
  method === 'testkit' && patient_details === null ? 'with_customer' : 'completed';

function targetOf({ row }: LoadedOrder, finalStatus: string | null): LowLevelStatus {
  if (finalStatus === null) return endOf(row);
  const { method, low } = partsOf(finalStatus);
  if (method !== row.method) {
    throw new AppError(
      'status_not_reachable',
      `${finalStatus} is a status of the method ${method}, but the method of this order is ${row.method}.`,
    );
  }
  return low;
}

/**
 * Starts a simulation and replaces an unfinished one. Without a delay, all steps run in this transaction, so we store
 * no row for the simulation.
 */
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
