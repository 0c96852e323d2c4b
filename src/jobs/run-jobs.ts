import { sql } from 'kysely';
import { run, Logger as WorkerLogger, type JobHelpers, type Runner, type TaskList } from 'graphile-worker';
import type pg from 'pg';
import { Type } from 'typebox';
import type { Ctx } from '../context.ts';
import { addJob, defineJob, type Job } from '../db/define-job.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { inTransaction } from '../db/transaction.ts';
import { isUnavailable } from '../db/session/unavailable.ts';
import { kindOfError, type Logger } from '../log.ts';
import { demoClinicResumption, demoClinicStep, resumeDemoClinics } from '../demo-clinic/load.ts';
import { schedulerCallResumption, schedulerCalls } from '../labs/appointments/scheduler-calls/make-scheduler-call.ts';
import { carrierScans } from '../labs/carriers/follow-scans.ts';
import { resendEvents, resendResumption } from '../labs/orders/messages/resend-events.ts';
import { autopilot } from '../labs/laboratories/simulated/autopilot-job.ts';
import {
  resumeSimulations,
  simulationResumption,
  simulationStep,
} from '../labs/laboratories/simulated/simulation-step.ts';
import { activationJobs } from '../labs/orders/under-way/activate.ts';
import { hl7Jobs } from '../labs/laboratories/hl7/hl7-jobs.ts';
import { labReportParsing } from '../labs/results/parser/run-parsing.ts';
import { continuousQueryJobs } from '../wearables/aggregate/continuous/jobs.ts';
import { pausing } from '../wearables/connections/pause-after-last-day.ts';
import { inboxWork } from '../wearables/hooks/inbox-work.ts';
import { pullJobs } from '../wearables/pulls/jobs.ts';
import { searchFilling } from '../users/search/fill.ts';
import { leavingOut } from '../totals/subtract-leaving-users.ts';
import { mailsOut } from '../mail/send-mails.ts';
import { signInMails } from '../tenancy/sign-in/mail-links.ts';
import { makePartitions } from '../delivery/partitions.ts';
import { fileImports } from '../wearables/files/run-imports.ts';
import { subscriptionJobs } from '../wearables/connections/subscriptions/jobs.ts';
import { zonesJob } from '../wearables/summaries/heart-rate-zones/compute-zones.ts';
import { tokenRevocation } from '../wearables/connections/tokens/revoke.ts';
import { endedAgreementJobs } from './erase-ended-agreements.ts';
import { teamErasureJobs } from './erase-teams.ts';
import { openJobPermits, MAX_JOBS } from './job-permits.ts';
import { withRepeatableEnds } from './repeatable-ends.ts';
import { userErasureJobs } from './erase-users.ts';
import { dropExpired } from './retention.ts';

const retention = defineJob({
  payload: Type.Object({}),
  name: 'drop_expired',
  cron: { at: '7 * * * *', payload: {} },
  run: async (ctx) => {
    await makePartitions(ctx);
    await dropExpired(ctx);
  },
});

/** Every kind of background job. */
export const jobs = [
  simulationStep,
  simulationResumption,
  autopilot,
  carrierScans,
  schedulerCalls,
  schedulerCallResumption,
  ...activationJobs,
  resendEvents,
  resendResumption,
  ...hl7Jobs,
  mailsOut,
  signInMails,
  tokenRevocation,
  ...userErasureJobs,
  ...endedAgreementJobs,
  ...teamErasureJobs,
  retention,
  leavingOut,
  searchFilling,
  fileImports,
  labReportParsing,
  pausing,
  ...pullJobs,
  ...continuousQueryJobs,
  zonesJob,
  inboxWork,
  ...subscriptionJobs,
  demoClinicStep,
  demoClinicResumption,
] as unknown as Job[];

/**
 * Returns the tasks that graphile-worker (the job queue) calls by name. Graphile-worker stores and logs the message of
 * an error, and such a message can quote a row. So we throw a new error that has only the kind of the original one.
 */
export function tasksOf(ctx: Ctx, permits = openJobPermits()): TaskList {
  const work = async (job: Job, payload: Record<string, never>): Promise<void> => {
    try {
      const run = (): Promise<void> => job.run(ctx, payload);
      await (ctx.traces ? ctx.traces.runJob(job.name, run) : run());
    } catch (error) {
      ctx.log.error({ err: error, job: job.name }, 'background work failed');
      // oxlint-disable-next-line eslint/preserve-caught-error -- the message must not be passed on
      throw new Error(kindOfError(error));
    }
  };
  return Object.fromEntries(
    jobs.map((job) => [
      job.name,
      async (payload: unknown, { job: asked }: JobHelpers) => {
        const given = payload as Record<string, never>;
        if (ctx.cipher.lacksKeys()) return postponeWithoutKeys(ctx, job, given, asked);
        const flags = Object.keys(asked.flags ?? {});
        if (!permits.take(flags)) return postpone(ctx, job, given, asked);
        try {
          await work(job, given);
        } finally {
          permits.leave(flags);
        }
      },
    ]),
  );
}

/** The jobs that run on a schedule, as a crontab for graphile-worker. */
export const crontab = jobs
  .flatMap(({ name, cron }) => (cron ? [`${cron.at} ${name} ${JSON.stringify(cron.payload)}`] : []))
  .join('\n');

/**
 * Puts a job back, because another process may have the encryption key that is missing here. Otherwise this process
 * would fail at every value under that key, until the queue gives the job up. A scheduled job need not be put back,
 * because it recurs.
 */
async function postponeWithoutKeys(
  ctx: Ctx,
  job: Job,
  payload: Record<string, never>,
  asked: QueuedJob,
): Promise<void> {
  if (!job.cron) await postpone(ctx, job, payload, { ...asked, run_at: new Date(Date.now() + WITHOUT_KEYS_MS) });
}

type QueuedJob = Pick<JobHelpers['job'], 'id' | 'key' | 'run_at'>;

const WITHOUT_KEYS_MS = 10_000;

/**
 * Puts a job back that the queue took although its last permit had just been used. If the same job was added again
 * meanwhile, it does nothing.
 */
async function postpone(
  ctx: Ctx,
  job: Job,
  payload: Record<string, never>,
  { id, key, run_at: runAt }: QueuedJob,
): Promise<void> {
  await inTransaction(acrossTeams(ctx), async ({ db }) => {
    const { rows } = await sql`select from graphile_worker.jobs where key = ${key} and id <> ${id}`.execute(db);
    if (rows.length > 0) return;
    await addJob(db, job, payload, { runAt, ...(key === null ? {} : { key }) });
  });
}

/** Runs the job queue until the process stops. It logs one line per run, which contains only ids. */
export async function runJobs(ctx: Ctx, pool: pg.Pool): Promise<Runner> {
  await makePartitions(ctx);
  await resumeSimulations(ctx.db, 0);
  await resumeDemoClinics(ctx, 0);
  const permits = openJobPermits();
  return run({
    pgPool: withRepeatableEnds(pool),
    concurrency: MAX_JOBS,
    forbiddenFlags: permits.taken,
    pollInterval: 1000,
    noHandleSignals: true,
    crontab,
    taskList: tasksOf(ctx, permits),
    logger: workerLogger(ctx.log),
  });
}

/**
 * Returns a logger for graphile-worker. Its messages quote errors and payloads after a colon or in quotes, and these
 * can contain personal data. So we log only the text before them.
 */
export function workerLogger(log: Logger): WorkerLogger {
  /** When we last logged that the database is unavailable. Each part of the queue reports it at each try. */
  let loggedAt = -Infinity;
  const hasBeenLogged = (): boolean => {
    if (performance.now() - loggedAt < LOGGED_FOR_MS) return true;
    loggedAt = performance.now();
    return false;
  };
  return new WorkerLogger(() => (level, message, meta) => {
    if (message.startsWith(SMALL_POOL)) return;
    const line = { job_message: message.split(/[:'"\n]/, 1)[0], err: meta?.['error'] };
    const isWarning = level === 'error' || level === 'warning';
    if (isWarning && isUnavailable(line.err) && hasBeenLogged()) return;
    if (level === 'error') log.error(line, 'the job queue reported an error');
    else if (level === 'warning') log.warn(line, 'the job queue reported a warning');
    else log.debug(line, 'the job queue reported a step');
  });
}

const LOGGED_FOR_MS = 60_000;
/**
 * Graphile-worker warns that its pool is smaller than the number of jobs. The smaller pool is enough, because jobs wait
 * mostly for other services or permits, and seldom for a connection.
 */
const SMALL_POOL = 'WARNING: having maxPoolSize';
