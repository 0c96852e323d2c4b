import { sql } from 'kysely';
import { Type, type Static } from 'typebox';
import type { Ctx, TeamCtx } from '../context.ts';
import { addJob, addJobs, defineJob } from '../db/define-job.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { inTransaction } from '../db/transaction.ts';
import { ownerOf } from '../fair/round-robin.ts';
import { defineTeamJob } from '../tenancy/teams/define-team-job.ts';
import { Uuid } from '../wire/schema.ts';
import { STEPS } from './steps.ts';

const StepOfTeam = Type.Object({ team_id: Uuid, step: Type.Integer() });
type StepOfTeam = Static<typeof StepOfTeam>;

/** After this many failures of a step the clinic has failed, until somebody asks for it again. */
const MAX_FAILURES = 3;
const AGAIN_SECONDS = 2;
const OVERDUE_SECONDS = 60;
/** The most clinics that one run resumes. The next run finds the remaining ones. */
const AT_ONCE = 100;

/** The job for one step. It is a batch, so other teams do not wait for it. */
export const demoClinicStep = defineTeamJob({
  name: 'demo_clinic_step',
  payload: StepOfTeam,
  key: ({ team_id }) => `demo clinic ${team_id}`,
  class: 'queries',
  run: async (ctx, job) => {
    await ctx.batches
      .run(ownerOf(ctx.team), (giveWay) => takeStep({ ...ctx, giveWay }, job))
      .catch((error: unknown) => recordFailure(ctx, job, error));
  },
});

/** A job that runs every minute and finds the clinics whose job was lost, as that of a killed worker. */
export const demoClinicResumption = defineJob({
  name: 'resume_demo_clinics',
  payload: Type.Object({ overdue_seconds: Type.Integer() }),
  cron: { at: '* * * * *', payload: { overdue_seconds: OVERDUE_SECONDS } },
  run: (ctx, { overdue_seconds }) => resumeDemoClinics(ctx, overdue_seconds),
});

/**
 * Takes exactly this step if the clinic still waits for it, and adds the job of the next one. All of it is one
 * transaction. So a killed process leaves no half of a step, and a job that runs twice takes its step once.
 */
function takeStep(ctx: TeamCtx, { team_id, step }: StepOfTeam): Promise<void> {
  return inTransaction(ctx, async (tx) => {
    const clinic = await tx.db
      .selectFrom('demo_clinics')
      .select('adds_members')
      .where('team_id', '=', team_id)
      .where('state', '=', 'loading')
      .where('done', '=', step)
      .forUpdate()
      .executeTakeFirst();
    if (!clinic) return;
    const taken = STEPS[step];
    if (taken && (!taken.addsMembers || clinic.adds_members)) await taken.run(tx);
    const isLast = step + 1 >= STEPS.length;
    await tx.db
      .updateTable('demo_clinics')
      .set({
        done: step + 1,
        failures: 0,
        updated_at: sql<string>`now()`,
        ...(isLast && { state: 'loaded', ended_at: sql<string>`now()` }),
      })
      .where('team_id', '=', team_id)
      .execute();
    if (!isLast) await addJob(tx.db, demoClinicStep, { team_id, step: step + 1 });
  });
}

/** Counts a failure of a step. The step is tried again soon, until the clinic has failed. */
function recordFailure(ctx: TeamCtx, job: StepOfTeam, error: unknown): Promise<void> {
  ctx.log.error({ team_id: job.team_id, step: job.step, err: error }, 'a demo clinic step failed');
  return inTransaction(ctx, async ({ db }) => {
    const { rows } = await sql<{ state: string }>`
      update demo_clinics
         set failures = failures + 1, updated_at = now(),
             state = case when failures + 1 < ${MAX_FAILURES} then state else 'failed' end,
             ended_at = case when failures + 1 < ${MAX_FAILURES} then ended_at else now() end
       where team_id = ${job.team_id} and state = 'loading' and done = ${job.step} returning state`.execute(db);
    if (rows[0]?.state === 'loading') await addJob(db, demoClinicStep, job, { delaySeconds: AGAIN_SECONDS });
  });
}

/** Adds a job for every clinic that has not moved for a while, because the job of a killed worker stays locked. */
export function resumeDemoClinics(ctx: Ctx, overdueSeconds: number): Promise<void> {
  return inTransaction(acrossTeams(ctx), async ({ db }) => {
    const { rows } = await sql<StepOfTeam>`
      select team_id, done as step from demo_clinics join teams on teams.id = demo_clinics.team_id
       where state = 'loading' and updated_at < now() - make_interval(secs => ${overdueSeconds})
         and teams.deleted_at is null
       order by updated_at limit ${AT_ONCE}`.execute(db);
    await addJobs(
      db,
      demoClinicStep,
      rows.map((payload) => ({ payload })),
    );
  });
}
