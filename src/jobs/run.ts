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
import { schedulerCallResumption, schedulerCalls } from '../labs/appointments/calls/make-call.ts';
import { carrierScans } from '../labs/laboratories/carriers/follow-scans.ts';
import { resendEvents, resendResumption } from '../labs/orders/messages/resend.ts';
import { autopilot } from '../labs/laboratories/simulated/autopilot.ts';
import {
  resumeSimulations,
  simulationResumption,
  simulationStep,
} from '../labs/laboratories/simulated/simulation-step.ts';
import { activationJobs } from '../labs/orders/under-way/activate.ts';
import { hl7Jobs } from '../labs/laboratories/hl7/jobs.ts';
import { labReportParsing } from '../labs/results/parser/run-parsing.ts';
import { continuousQueryJobs } from '../wearables/aggregate/continuous/jobs.ts';
import { pausing } from '../wearables/connections/pause-after-last-day.ts';
import { inboxWork } from '../wearables/hooks/work.ts';
import { pullJobs } from '../wearables/pulls/jobs.ts';
import { leavingOut } from '../totals/leave-out.ts';
import { mailsOut } from '../mail/send-mails.ts';
import { makePartitions } from '../delivery/erase.ts';
import { fileImports } from '../wearables/files/run-imports.ts';
import { subscriptionJobs } from '../wearables/connections/subscriptions/jobs.ts';
import { zonesJob } from '../wearables/summaries/heart-rate-zones/compute-zones.ts';
import { tokenRevocation } from '../wearables/connections/tokens/revoke.ts';
import { endedAgreementJobs } from './erase-ended.ts';
import { teamErasureJobs } from './erase-teams.ts';
import { openPlaces, SLOTS } from './places.ts';
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

/** Every kind of background work. */
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
  tokenRevocation,
  ...userErasureJobs,
  ...endedAgreementJobs,
  ...teamErasureJobs,
  retention,
  leavingOut,
  fileImports,
  labReportParsing,
  pausing,
  ...pullJobs,
  ...continuousQueryJobs,
  zonesJob,
  inboxWork,
  ...subscriptionJobs,
] as unknown as Job[];

/**
 * What the queue's library calls by name. Its cron adds the time to a payload, which no job needs. The message of what
 * a job throws would be kept as its last_error and logged, and it can quote a row: only its kind goes on.
 */
export function tasksOf(ctx: Ctx, places = openPlaces()): TaskList {
  const work = async (job: Job, payload: Record<string, never>): Promise<void> => {
    try {
      await job.run(ctx, payload);
    } catch (error) {
      ctx.log.error({ err: error, job: job.name }, 'background work failed');
      // oxlint-disable-next-line eslint/preserve-caught-error -- its message is what has to stay behind
      throw new Error(kindOfError(error));
    }
  };
  return Object.fromEntries(
    jobs.map((job) => [
      job.name,
      async (payload: unknown, { job: asked }: JobHelpers) => {
        const given = payload as Record<string, never>;
        if (ctx.cipher.lacksKeys()) return leaveToOthers(ctx, job, given, asked);
        const flags = Object.keys(asked.flags ?? {});
        if (!places.take(flags)) return putOff(ctx, job, given, asked);
        try {
          await work(job, given);
        } finally {
          places.leave(flags);
        }
      },
    ]),
  );
}

/** Which of them run by themselves, as the library reads it. */
export const crontab = jobs
  .flatMap(({ name, cron }) => (cron ? [`${cron.at} ${name} ${JSON.stringify(cron.payload)}`] : []))
  .join('\n');

/**
 * A process that lacks an encryption key would fail at whatever is sealed under it, try after try, until it is given up: it
 * leaves the work to one that has the key. What the clock asks for is asked for again by itself.
 */
async function leaveToOthers(ctx: Ctx, job: Job, payload: Record<string, never>, asked: Asked): Promise<void> {
  if (!job.cron) await putOff(ctx, job, payload, { ...asked, run_at: new Date(Date.now() + WITHOUT_KEYS_MS) });
}

type Asked = Pick<JobHelpers['job'], 'id' | 'key' | 'run_at'>;

const WITHOUT_KEYS_MS = 10_000;

/** Asks again for a job that was taken in the moment in which the last place went, unless somebody else has meanwhile. */
async function putOff(
  ctx: Ctx,
  job: Job,
  payload: Record<string, never>,
  { id, key, run_at: runAt }: Asked,
): Promise<void> {
  await inTransaction(acrossTeams(ctx), async ({ db }) => {
    const { rows } = await sql`select from graphile_worker.jobs where key = ${key} and id <> ${id}`.execute(db);
    if (rows.length > 0) return;
    await addJob(db, job, payload, { runAt, ...(key === null ? {} : { key }) });
  });
}

/** Works the job queue until stopped. Each run is one log line with ids only. */
export async function runJobs(ctx: Ctx, pool: pg.Pool): Promise<Runner> {
  await makePartitions(ctx);
  await resumeSimulations(ctx.db, 0);
  const places = openPlaces();
  return run({
    pgPool: pool,
    concurrency: SLOTS,
    forbiddenFlags: places.taken,
    pollInterval: 1000,
    noHandleSignals: true,
    crontab,
    taskList: tasksOf(ctx, places),
    logger: workerLogger(ctx.log),
  });
}

/** The library quotes errors and payloads in its messages, after a colon or within quotes: what stands before is logged. */
export function workerLogger(log: Logger): WorkerLogger {
  /** When a database that is away was last told of: each part of the queue tells of it with each try. */
  let toldAt = -Infinity;
  const wasTold = (): boolean => {
    if (performance.now() - toldAt < TOLD_FOR_MS) return true;
    toldAt = performance.now();
    return false;
  };
  return new WorkerLogger(() => (level, message, meta) => {
    if (message.startsWith(SMALL_POOL)) return;
    const line = { job_message: message.split(/[:'"\n]/, 1)[0], err: meta?.['error'] };
    const isWarning = level === 'error' || level === 'warning';
    if (isWarning && isUnavailable(line.err) && wasTold()) return;
    if (level === 'error') log.error(line, 'background work');
    else if (level === 'warning') log.warn(line, 'background work');
    else log.debug(line, 'background work');
  });
}

const TOLD_FOR_MS = 60_000;
/** Jobs wait for somebody outside or for their turn more than for a connection. */
const SMALL_POOL = 'WARNING: having maxPoolSize';
