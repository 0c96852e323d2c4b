import { run, Logger as WorkerLogger, type Runner, type TaskList } from 'graphile-worker';
import type pg from 'pg';
import type { Ctx } from '../context.ts';
import type { Logger } from '../log.ts';
import { AUTOPILOT_JOB } from '../labs/orders/autopilot.ts';
import { runAutopilot } from '../labs/laboratories/simulated/autopilot.ts';
import {
  resumeSimulations,
  runSimulationStep,
  SIMULATION_STEP_JOB,
  type SimulationStep,
} from '../labs/laboratories/simulated/simulation-step.ts';
import { RESUME_JOB } from '../users/delete.ts';
import { purgeDeletedUsers } from '../users/purge.ts';
import { dropExpired } from './retention.ts';

const OVERDUE_SECONDS = 30;

/** Every kind of background work by its name. */
export const tasksOf = (ctx: Ctx): TaskList => ({
  [SIMULATION_STEP_JOB]: (payload) => runSimulationStep(ctx, payload as SimulationStep),
  [AUTOPILOT_JOB]: (payload) => runAutopilot(ctx, payload as { team_id: string; order_id: string }),
  [RESUME_JOB]: (payload) =>
    resumeSimulations(ctx.db, (payload as { overdue_seconds?: number }).overdue_seconds ?? OVERDUE_SECONDS),
  purge_deleted_users: async () => {
    await purgeDeletedUsers(ctx, new Date());
  },
  drop_expired: () => dropExpired(ctx, new Date()),
});

const CRONTAB = `
* * * * * ${RESUME_JOB}
*/10 * * * * purge_deleted_users
7 * * * * drop_expired
`;

/** Works the job queue until stopped. Each run is one log line with ids only. */
export async function runJobs(ctx: Ctx, pool: pg.Pool): Promise<Runner> {
  await dropExpired(ctx, new Date());
  await resumeSimulations(ctx.db, 0);
  return run({
    pgPool: pool,
    concurrency: 4,
    pollInterval: 1000,
    noHandleSignals: true,
    crontab: CRONTAB,
    taskList: tasksOf(ctx),
    logger: workerLogger(ctx.log),
  });
}

/** The library quotes payloads of failed jobs in its messages; those carry ids only. */
export const workerLogger = (log: Logger): WorkerLogger =>
  new WorkerLogger(() => (level, message) => {
    if (level === 'error') log.error({ job_message: message }, 'background work');
    else if (level === 'warning') log.warn({ job_message: message }, 'background work');
    else log.debug({ job_message: message }, 'background work');
  });
