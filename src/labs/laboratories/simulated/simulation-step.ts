import { sql } from 'kysely';
import { Type, type Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { addJob, addJobs, defineJob } from '../../../db/define-job.ts';
import type { Db } from '../../../db/open-database.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { isAppointmentStep, simulateAppointment } from '../../appointments/simulate.ts';
import { lockOrderIfPresent, type LoadedOrder } from '../../orders/load-order.ts';
import { progressOfOrder } from '../../orders/status/order-progress.ts';
import type { LowLevelStatus } from '../../orders/status/statuses.ts';
import { advance } from '../../orders/status/status-rules.ts';
import { defineTeamJob } from '../../../tenancy/teams/define-team-job.ts';
import { resumeKind } from '../../../users/delete.ts';
import { Uuid } from '../../../wire/schema.ts';
import type { SimulationFlags } from './schemas.ts';
import { simulateLaboratory } from './simulate-laboratory.ts';

const SimulationStep = Type.Object({ team_id: Uuid, order_id: Uuid, simulation_id: Uuid, step: Type.Integer() });
export type SimulationStep = Static<typeof SimulationStep>;

/** The job for one step of a simulation. The payload names the step, and the job takes no other. */
export const simulationStep = defineTeamJob({
  name: 'simulation_step',
  payload: SimulationStep,
  run: (ctx, job) => runSimulationStep(ctx, job),
});

const OVERDUE_SECONDS = 30;
/**
 * The most steps that one run resumes. Teams with few overdue steps come first. The next run finds the remaining steps.
 */
const AT_ONCE = 1_000;

/** A job that runs every minute and finds the steps whose job was lost. */
export const simulationResumption = defineJob({
  ...resumeKind,
  cron: { at: '* * * * *', payload: { overdue_seconds: OVERDUE_SECONDS } },
  run: (ctx, { overdue_seconds }) => resumeSimulations(ctx.db, overdue_seconds),
});

/**
 * Takes exactly this step if the simulation still waits for it. Returns whether more steps follow. The transaction that
 * writes the event also increases the simulation's counter of steps. So we take the step only once, however often its
 * job runs. `locked` is the order, which the caller has locked.
 */
export async function takeStep(
  ctx: TxCtx<TeamCtx>,
  locked: LoadedOrder,
  { simulation_id, step }: SimulationStep,
): Promise<{ more: boolean; delaySeconds: number }> {
  const { user_id, id: order_id } = locked.row;
  const simulation = await ctx.db
    .selectFrom('simulations')
    .select(['steps', 'flags', 'delay_seconds'])
    .where('user_id', '=', user_id)
    .where('order_id', '=', order_id)
    .where('id', '=', simulation_id)
    .where('next_step', '=', step)
    .executeTakeFirst();
  if (!simulation) return { more: false, delaySeconds: 0 };
  const status = simulation.steps[step] as LowLevelStatus;
  const moved = await move(ctx, locked, status, simulation.flags as Static<typeof SimulationFlags>);
  const more = moved !== null && step + 1 < simulation.steps.length;
  if (more) {
    await ctx.db
      .updateTable('simulations')
      .set({ next_step: step + 1, due_at: sql<string>`now() + make_interval(secs => delay_seconds)` })
      .where('user_id', '=', user_id)
      .where('order_id', '=', order_id)
      .execute();
  } else {
    await ctx.db.deleteFrom('simulations').where('user_id', '=', user_id).where('order_id', '=', order_id).execute();
  }
  return { more, delaySeconds: simulation.delay_seconds };
}

/**
 * Moves an order to a status. If the status follows from an appointment, the simulated scheduler moves the order.
 * Otherwise the simulated laboratory moves it. Returns null if the order cannot get the status, for example because it
 * has ended since the simulation chose the steps.
 */
export async function move(
  ctx: TxCtx<TeamCtx>,
  locked: LoadedOrder,
  status: LowLevelStatus,
  flags: Static<typeof SimulationFlags>,
): Promise<LoadedOrder | null> {
  if (advance(progressOfOrder(locked), status) === null) return null;
  if (isAppointmentStep(status)) return simulateAppointment(ctx, locked, status);
  return simulateLaboratory(ctx, locked, status, flags);
}

/** Adds the job of a step. We limit how many such jobs of a team run at a time. */
export const addStepJob = (ctx: TxCtx<TeamCtx>, job: SimulationStep, delaySeconds: number): Promise<void> =>
  addJob(ctx.db, simulationStep, job, { delaySeconds });

/** Runs the job of a step: takes the step, and adds the job of the next step in the same transaction. */
function runSimulationStep(ctx: TeamCtx, job: SimulationStep): Promise<void> {
  return inTransaction(ctx, async (tx) => {
    const locked = await lockOrderIfPresent(tx, job.order_id);
    if (!locked) return;
    const { more, delaySeconds } = await takeStep(tx, locked, job);
    if (more) await addStepJob(tx, { ...job, step: job.step + 1 }, delaySeconds);
  });
}

/**
 * Adds a new job for every overdue step, because the job of a killed worker stays locked for hours. If the old job runs
 * too, the simulation's counter of steps prevents a second step. The function skips orders of users who are scheduled
 * for deletion.
 */
export async function resumeSimulations(db: Db, overdueSeconds: number): Promise<void> {
  await acrossTeams({ db })
    .db.transaction()
    .execute(async (tx) => {
      const { rows } = await sql<SimulationStep & { round: number }>`
        select simulations.team_id, order_id, simulations.id as simulation_id, next_step as step,
               row_number() over (partition by simulations.team_id order by due_at)::integer as round
          from simulations join users on users.id = simulations.user_id
         where users.deleted_at is null and due_at < now() - make_interval(secs => ${overdueSeconds})
         order by round, due_at limit ${AT_ONCE}`.execute(tx);
      const jobs = rows.map(({ round, ...payload }) => ({
        payload,
        behind: round,
        key: `simulation ${payload.simulation_id} step ${payload.step}`,
      }));
      await addJobs(tx, simulationStep, jobs);
    });
}
