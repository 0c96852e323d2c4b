import { sql, type RawBuilder } from 'kysely';
import { Value } from 'typebox/value';
import type { Static, TObject } from 'typebox';
import type { Ctx } from '../context.ts';
import type { Tx } from './open-database.ts';
import { sendWithNext } from './transaction.ts';

/**
 * Classes of background work. Each class has its own permits in a process (jobs/job-permits.ts), so a class with many
 * jobs does not delay the others. Jobs of `calls` wait for an external system, which may be slow. Jobs of `queries`
 * compute for a long time. Jobs of `pulls` import the past data of providers.
 */
export type JobClass = 'work' | 'calls' | 'queries' | 'pulls' | 'erasures';

/** The queue reads its rows in this order. Classes with few jobs come first, and classes with many jobs come last. */
const PRIORITIES: Record<JobClass, number> = { work: 0, calls: 10, queries: 20, pulls: 30, erasures: 40 };

/** A kind of background work, without its function. A module that requests the work needs only the kind. */
export type JobKind<T extends TObject = TObject> = {
  name: string;
  /**
   * The payload may contain only ids and numbers. The queue stores it unencrypted, and its library quotes it in
   * messages.
   */
  payload: T;
  /** Makes the key of a job. If a job with the same key is waiting, the new job replaces it. */
  key?: (payload: Static<T>) => string;
  /** Default: `calls` if the kind has `ownerOf`, otherwise `work`. */
  class?: JobClass;
  /** Returns the id of the owner whose share of the permits the job uses. Default: the team in the payload. */
  ownerOf?: (payload: Static<T>) => string;
};

/** A kind of background work with its function. */
export type Job<T extends TObject = TObject> = JobKind<T> & {
  /** Set for a recurring job: minute, hour, day, month and weekday in UTC, and the payload of each run. */
  cron?: { at: string; payload: Static<T> };
  run: (ctx: Ctx, payload: Static<T>) => Promise<void>;
};

/**
 * Declares a kind of background work. A module may import only lower modules. So a module uses this to request work
 * whose function is in a higher module.
 */
export const jobKind = <T extends TObject>(kind: JobKind<T>): JobKind<T> => kind;

/** Declares background work with its function. `run` gets a payload that matches the schema. */
export const defineJob = <T extends TObject>(job: Job<T>): Job<T> => job;

type JobSchedule = {
  /** Seconds from now. Default: 0. */
  delaySeconds?: number;
  /** Overrides the key that the kind makes, for a caller that needs another key. */
  key?: string;
  /**
   * How many jobs of the same owner are waiting. For each of them, this job is due one second later, so that jobs of
   * other owners come first.
   */
  behind?: number;
  /** The time at which a deferred job was originally due. */
  runAt?: Date;
  /** If a job with the same key is waiting, it keeps its due time. */
  shouldPreserveRunAt?: true;
};

/**
 * The queue takes the job with the earliest due time. A job without a delay gets a due time that is this many seconds
 * in the past, plus a second for each waiting job of its owner (`behind`). So an owner with few waiting jobs comes
 * before an owner with many. No job waits forever, because jobs that are requested 400 seconds later always come after
 * it.
 */
const AHEAD_SECONDS = 400;

/**
 * Each job has two flags: its class with its owner, and its class with its organisation. The queue skips jobs with a
 * flag for which no permit is free.
 */
const flagOfOwner = (of: JobClass, owner: string): string => `${of} of ${owner}`;
const flagOfOrg = (of: JobClass, org: string): string => `${of} of organisation ${org}`;

const classOf = ({ class: said, ownerOf }: Pick<JobKind, 'class' | 'ownerOf'>): JobClass =>
  said ?? (ownerOf ? 'calls' : 'work');

/** Requests background work in the caller's transaction. The job runs only if the transaction commits. */
export const addJob = <T extends TObject>(
  tx: Tx,
  kind: JobKind<T>,
  payload: Static<T>,
  when: JobSchedule = {},
): Promise<void> => addJobs(tx, kind, [{ payload, ...when }]);

/** Requests many jobs of a kind in one statement, in the caller's transaction. */
export async function addJobs<T extends TObject>(
  tx: Tx,
  kind: JobKind<T>,
  jobs: ({ payload: Static<T> } & JobSchedule)[],
): Promise<void> {
  if (jobs.length === 0) return;
  const jobClass = classOf(kind as JobKind);
  const specs = jobs.map(
    ({ payload, delaySeconds = 0, key, behind = 0, runAt = null, shouldPreserveRunAt = false }) => {
      if (!Value.Check(kind.payload, payload))
        throw new Error(`The payload of job ${kind.name} does not match its schema.`);
      const owner = kind.ownerOf?.(payload) ?? (payload as { team_id?: string }).team_id ?? null;
      return {
        payload,
        owner,
        flag: owner === null ? null : flagOfOwner(jobClass, owner),
        key: key ?? kind.key?.(payload) ?? null,
        mode: shouldPreserveRunAt ? 'preserve_run_at' : 'replace',
        run_at: runAt,
        later: delaySeconds > 0 ? delaySeconds : Math.min(behind, AHEAD_SECONDS) - AHEAD_SECONDS,
      };
    },
  );
  // A waiting job keeps its due time if the new one would be later.
  await sql`
    select graphile_worker.add_job(${kind.name}, payload, job_key => spec.key, priority => ${PRIORITIES[jobClass]},
             run_at => coalesce(spec.run_at, least(now() + make_interval(secs => later),
               case when later <= 0 then (select run_at from graphile_worker.jobs as waiting
                                           where waiting.key = spec.key and locked_at is null) end)),
             flags => array_remove(array[${jobClass}, flag, ${flagOfOrg(jobClass, '')} || teams.org_id], null),
             job_key_mode => mode)
      from json_to_recordset(${JSON.stringify(specs)}::json)
        as spec (payload json, owner text, flag text, key text, mode text, run_at timestamptz, later float8)
      left join teams on teams.id::text = spec.owner`.execute(tx);
}

/**
 * Requests one job for each row of a query. The query has the columns `payload` (JSON of the kind's schema) and `key`
 * (as the kind makes it). If a job with the same key is waiting, its due time becomes `delaySeconds` from now, unless
 * it is later already. The statement needs no round trip of its own: we send it with the next statement of the
 * transaction, or with its commit.
 */
export const addJobsOf = <T extends TObject>(
  tx: Tx,
  kind: JobKind<T>,
  { rows, owner, delaySeconds }: { rows: RawBuilder<unknown>; owner: string; delaySeconds: number },
): Promise<void> => {
  const jobClass = classOf(kind as JobKind);
  return sendWithNext(
    tx,
    sql`
    select graphile_worker.add_job(${kind.name}, payload, job_key => asked.key,
             priority => ${PRIORITIES[jobClass]}::integer,
             run_at => greatest(now() + make_interval(secs => ${delaySeconds}::float8),
               (select run_at from graphile_worker.jobs as waiting
                 where waiting.key = asked.key and locked_at is null and attempts = 0)),
             flags => array_remove(
               array[${jobClass}, ${flagOfOwner(jobClass, owner)}, ${flagOfOrg(jobClass, '')} || teams.org_id], null))
      from (${rows}) as asked (payload, key) left join teams on teams.id = ${owner}::uuid`,
  );
};

/** No job that requests itself again runs this long. If a job is locked for longer, its process has died. */
const LONGEST_RUN_MINUTES = 30;

/**
 * Requests a recurring job, of which only one may exist. If such a job is running or about to run, the function does
 * nothing, so these jobs do not accumulate. If the job failed and waits for its next try, it runs now.
 */
export async function addJobUnlessThere<T extends TObject>(
  tx: Tx,
  kind: JobKind<T>,
  payload: Static<T>,
): Promise<void> {
  const { rows } = await sql`
    select from graphile_worker.jobs
     where task_identifier = ${kind.name}
       and case when locked_at is null then attempts = 0
           else locked_at > now() - make_interval(mins => ${LONGEST_RUN_MINUTES}) end`.execute(tx);
  if (rows.length === 0) await addJob(tx, kind, payload);
}
