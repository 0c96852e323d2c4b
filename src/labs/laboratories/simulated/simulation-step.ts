import { sql } from 'kysely';
import { Type, type Static } from 'typebox';
import type { Ctx, TeamCtx, TxCtx } from '../../../context.ts';
import { addJob, defineJob } from '../../../db/define-job.ts';
import type { Db } from '../../../db/open.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { loadOrder, lockOrderIfPresent } from '../../orders/load.ts';
import { progressOfOrder } from '../../orders/status/progress.ts';
import type { LowLevelStatus } from '../../orders/status/table.ts';
import { advance } from '../../orders/status/rules.ts';
import { analytesOf } from '../../catalogue/analytes.ts';
import { findTeamScope } from '../../../tenancy/teams/scope.ts';
import { resumeKind } from '../../../users/delete.ts';
import { Uuid } from '../../../wire/schema.ts';
import { applyNews } from '../apply-news.ts';
import type { LabOrder } from '../news.ts';
import type { SimulationFlags } from './schemas.ts';
import { simulatedLaboratory } from './laboratory.ts';

const SimulationStep = Type.Object({ team_id: Uuid, order_id: Uuid, simulation_id: Uuid, step: Type.Integer() });
export type SimulationStep = Static<typeof SimulationStep>;

/** One step of a simulation: ids, and the one step that may be taken. */
export const simulationStep = defineJob({
  name: 'simulation_step',
  payload: SimulationStep,
  run: (ctx, job) => runSimulationStep(ctx, job),
});

const OVERDUE_SECONDS = 30;

/** Looks each minute for steps whose job was lost. */
export const simulationResumption = defineJob({
  ...resumeKind,
  cron: { at: '* * * * *', payload: { overdue_seconds: OVERDUE_SECONDS } },
  run: (ctx, { overdue_seconds }) => resumeSimulations(ctx.db, overdue_seconds),
});

/**
 * Takes exactly the step named, if the simulation still waits for it, and says whether more are to come. The counter
 * moves in the transaction that writes the event, so a step is taken once however often its job runs.
 */
export async function takeStep(
  ctx: TxCtx<TeamCtx>,
  { order_id, simulation_id, step }: SimulationStep,
): Promise<boolean> {
  if (!(await lockOrderIfPresent(ctx, order_id))) return false;
  const simulation = await ctx.db
    .selectFrom('simulations')
    .select(['steps', 'flags', 'delay_seconds', 'user_id'])
    .where('team_id', '=', ctx.team.id)
    .where('order_id', '=', order_id)
    .where('id', '=', simulation_id)
    .where('next_step', '=', step)
    .forUpdate()
    .executeTakeFirst();
  if (!simulation) return false;
  const order = await loadOrder(ctx, order_id);
  const status = simulation.steps[step] as LowLevelStatus;
  // The order may have ended since the steps were chosen.
  const allowed = advance(progressOfOrder(order), status) !== null;
  if (allowed) {
    const labOrder = await labOrderOf(ctx, order);
    await applyNews(
      ctx,
      order_id,
      simulatedLaboratory.newsAt(status, labOrder, simulation.flags as Static<typeof SimulationFlags>),
    );
  }
  const more = allowed && step + 1 < simulation.steps.length;
  if (more) {
    await ctx.db
      .updateTable('simulations')
      .set({ next_step: step + 1, due_at: sql<string>`now() + make_interval(secs => delay_seconds)` })
      .where('user_id', '=', simulation.user_id)
      .where('order_id', '=', order_id)
      .execute();
  } else {
    await ctx.db
      .deleteFrom('simulations')
      .where('user_id', '=', simulation.user_id)
      .where('order_id', '=', order_id)
      .execute();
  }
  return more;
}

async function labOrderOf(
  ctx: TxCtx<TeamCtx>,
  { row, labTest }: Awaited<ReturnType<typeof loadOrder>>,
): Promise<LabOrder> {
  const { reports } = await ctx.db
    .selectFrom('lab_results')
    .select((eb) => eb.fn.countAll<number>().as('reports'))
    .where('user_id', '=', row.user_id)
    .where('order_id', '=', row.id)
    .executeTakeFirstOrThrow();
  const lab = await ctx.db
    .selectFrom('labs')
    .select(['slug', 'name', 'clia_number'])
    .where('id', '=', labTest.lab?.id ?? 0)
    .executeTakeFirstOrThrow();
  return { row, reports, lab, analytes: await analytesOf(ctx, row.lab_test_id) };
}

/** The job: one step, and the next one's job in the same transaction. */
export function runSimulationStep(ctx: Ctx, job: SimulationStep): Promise<void> {
  return inTransaction(ctx, async (tx) => {
    const team = await findTeamScope(tx, job.team_id);
    if (!team) return;
    const inside: TxCtx<TeamCtx> = { ...tx, team };
    const more = await takeStep(inside, job);
    if (!more) return;
    const { delay_seconds } = await tx.db
      .selectFrom('simulations')
      .select('delay_seconds')
      .where('team_id', '=', team.id)
      .where('order_id', '=', job.order_id)
      .executeTakeFirstOrThrow();
    await addJob(tx.db, simulationStep, { ...job, step: job.step + 1 }, { delaySeconds: delay_seconds });
  });
}

/**
 * A killed worker keeps its job locked for hours: whatever is overdue gets a new job; the counter makes that harmless,
 * and the key keeps jobs from gathering. Orders of users that are scheduled for deletion wait for the undo.
 */
export async function resumeSimulations(db: Db, overdueSeconds: number): Promise<void> {
  await sql`
    select graphile_worker.add_job(${simulationStep.name},
      json_build_object('team_id', simulations.team_id, 'order_id', order_id, 'simulation_id', simulations.id, 'step', next_step),
      job_key => 'simulation ' || simulations.id || ' step ' || next_step)
      from simulations join users on users.id = simulations.user_id
     where users.deleted_at is null and due_at < now() - make_interval(secs => ${overdueSeconds})`.execute(db);
}
