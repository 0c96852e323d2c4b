import { sql } from 'kysely';
import { Type, type Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { addJob, addJobs, defineJob } from '../../../db/define-job.ts';
import type { Db } from '../../../db/open.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { isAppointmentStep, simulateAppointment } from '../../appointments/simulate.ts';
import { lockOrderIfPresent, type LoadedOrder } from '../../orders/load.ts';
import { progressOfOrder } from '../../orders/status/progress.ts';
import type { LowLevelStatus } from '../../orders/status/table.ts';
import { advance } from '../../orders/status/rules.ts';
import { defineTeamJob } from '../../../tenancy/teams/define-team-job.ts';
import { resumeKind } from '../../../users/delete.ts';
import { Uuid } from '../../../wire/schema.ts';
import type { SimulationFlags } from './schemas.ts';
import { simulateLaboratory } from './laboratory.ts';

const SimulationStep = Type.Object({ team_id: Uuid, order_id: Uuid, simulation_id: Uuid, step: Type.Integer() });
export type SimulationStep = Static<typeof SimulationStep>;

/** One step of a simulation: ids, and the one step that may be taken. */
export const simulationStep = defineTeamJob({
  name: 'simulation_step',
  payload: SimulationStep,
  run: (ctx, job) => runSimulationStep(ctx, job),
});

const OVERDUE_SECONDS = 30;
/** Those of teams with few come first; the next look finds the others. */
const AT_ONCE = 1_000;

/** Looks each minute for steps whose job was lost. */
export const simulationResumption = defineJob({
  ...resumeKind,
  cron: { at: '* * * * *', payload: { overdue_seconds: OVERDUE_SECONDS } },
  run: (ctx, { overdue_seconds }) => resumeSimulations(ctx.db, overdue_seconds),
});

/**
 * Takes exactly the step named, if the simulation still waits for it, and says whether more are to come. The counter
 * moves in the transaction that writes the event, so a step is taken once however often its job runs. `locked` is the
 * order as it is under its lock.
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
 * Its appointment brings an order to some statuses, the laboratory to the others; null where the order cannot get there, as it
 * may have ended since the steps were chosen.
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

/** Asks for a step's job; it takes one of the places that its team has. */
export const addStepJob = (ctx: TxCtx<TeamCtx>, job: SimulationStep, delaySeconds: number): Promise<void> =>
  addJob(ctx.db, simulationStep, job, { delaySeconds });

/** The job: one step, and the next one's job in the same transaction. */
function runSimulationStep(ctx: TeamCtx, job: SimulationStep): Promise<void> {
  return inTransaction(ctx, async (tx) => {
    const locked = await lockOrderIfPresent(tx, job.order_id);
    if (!locked) return;
    const { more, delaySeconds } = await takeStep(tx, locked, job);
    if (more) await addStepJob(tx, { ...job, step: job.step + 1 }, delaySeconds);
  });
}

/**
 * A killed worker keeps its job locked for hours: whatever is overdue gets a new job; the counter makes that harmless,
 * and the key keeps jobs from gathering. Orders of users that are scheduled for deletion wait for the undo.
 */
export async function resumeSimulations(db: Db, overdueSeconds: number): Promise<void> {
  await acrossTeams({ db })
    .db.transaction()
    .execute(async (tx) => {
      const { rows } = await sql<SimulationStep & { turn: number }>`
        select simulations.team_id, order_id, simulations.id as simulation_id, next_step as step,
               row_number() over (partition by simulations.team_id order by due_at)::integer as turn
          from simulations join users on users.id = simulations.user_id
         where users.deleted_at is null and due_at < now() - make_interval(secs => ${overdueSeconds})
         order by turn, due_at limit ${AT_ONCE}`.execute(tx);
      const jobs = rows.map(({ turn, ...payload }) => ({
        payload,
        behind: turn,
        key: `simulation ${payload.simulation_id} step ${payload.step}`,
      }));
      await addJobs(tx, simulationStep, jobs);
    });
}
