import { sql, type RawBuilder } from 'kysely';
import { Value } from 'typebox/value';
import type { Static, TObject } from 'typebox';
import type { Ctx } from '../context.ts';
import type { Tx } from './open.ts';
import { runAhead } from './transaction.ts';

/**
 * Classes of background work. Each has places of its own in a process (jobs/places.ts), so that no class waits behind another:
 * `calls` wait for somebody outside, who may be slow, `queries` compute for long, `pulls` read what providers keep of the past.
 */
export type JobClass = 'work' | 'calls' | 'queries' | 'pulls' | 'erasures';

/** The queue reads its rows in this order, so that classes with many rows are behind those with few. */
const PRIORITIES: Record<JobClass, number> = { work: 0, calls: 10, queries: 20, pulls: 30, erasures: 40 };

/** Background work as those who ask for it know it. */
export type JobKind<T extends TObject = TObject> = {
  name: string;
  /** Ids and numbers only: payloads lie in the queue unsealed, and its library quotes them in its messages. */
  payload: T;
  /** What a job is the only one of, whoever asks for it: one that waits is replaced instead of a second one being added. */
  key?: (payload: Static<T>) => string;
  /** Left out: `calls` where `placeOf` says whose place it takes, else `work`. */
  class?: JobClass;
  /** Whose share of the places of its class it takes; the team's that its payload names where left out. */
  placeOf?: (payload: Static<T>) => string;
};

/** Background work with what it does. */
export type Job<T extends TObject = TObject> = JobKind<T> & {
  /** When it runs by itself: minute, hour, day, month and weekday in UTC, and the payload it then has. */
  cron?: { at: string; payload: Static<T> };
  run: (ctx: Ctx, payload: Static<T>) => Promise<void>;
};

/** Declares a kind of background work whose doing stands in a room above those who ask for it. */
export const jobKind = <T extends TObject>(kind: JobKind<T>): JobKind<T> => kind;

/** Declares background work; `run` gets exactly what its payload promises. */
export const defineJob = <T extends TObject>(job: Job<T>): Job<T> => job;

type When = {
  /** Seconds from now; 0 where left out. */
  delaySeconds?: number;
  /** As the kind's own, where only one place asks for it. */
  key?: string;
  /** How many of its owner's wait already: each puts it a second behind what others ask for at this moment. */
  behind?: number;
  /** The moment at which one that was put off had its turn. */
  runAt?: Date;
  /** One with the same key that waits already keeps the moment at which it runs. */
  keepsMoment?: true;
};

/**
 * Jobs without a delay are told to the queue as due some minutes ago, less the seconds that they are behind: of those that wait
 * the queue takes the one that was due first. So whoever has few goes before whoever has many, and nobody waits for ever: what
 * is asked for that many seconds later is due later.
 */
const AHEAD_SECONDS = 400;

/** The flags of a job: its class, and within it its owner and its organisation. The queue leaves those whose places are taken. */
const flagOfOwner = (of: JobClass, owner: string): string => `${of} of ${owner}`;
const flagOfOrg = (of: JobClass, org: string): string => `${of} of organisation ${org}`;

const classOf = ({ class: said, placeOf }: Pick<JobKind, 'class' | 'placeOf'>): JobClass =>
  said ?? (placeOf ? 'calls' : 'work');

/** Asks for background work in the caller's transaction: it runs exactly when the change it follows from is there. */
export const addJob = <T extends TObject>(
  tx: Tx,
  kind: JobKind<T>,
  payload: Static<T>,
  when: When = {},
): Promise<void> => addJobs(tx, kind, [{ payload, ...when }]);

/** Asks for many jobs of a kind in one statement, in the caller's transaction; the one way into the queue. */
export async function addJobs<T extends TObject>(
  tx: Tx,
  kind: JobKind<T>,
  jobs: ({ payload: Static<T> } & When)[],
): Promise<void> {
  if (jobs.length === 0) return;
  const jobClass = classOf(kind as JobKind);
  const specs = jobs.map(({ payload, delaySeconds = 0, key, behind = 0, runAt = null, keepsMoment = false }) => {
    if (!Value.Check(kind.payload, payload)) throw new Error(`The payload of job ${kind.name} breaks its shape.`);
    const owner = kind.placeOf?.(payload) ?? (payload as { team_id?: string }).team_id ?? null;
    return {
      payload,
      owner,
      flag: owner === null ? null : flagOfOwner(jobClass, owner),
      key: key ?? kind.key?.(payload) ?? null,
      mode: keepsMoment ? 'preserve_run_at' : 'replace',
      run_at: runAt,
      later: delaySeconds > 0 ? delaySeconds : Math.min(behind, AHEAD_SECONDS) - AHEAD_SECONDS,
    };
  });
  // One that waits already keeps its turn where it would come later.
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
 * Asks for a job of each row of a query with the columns `payload`, JSON of the kind's shape, and `key`, as the kind makes it. One
 * with the same key that waits is put off to `delaySeconds` from now, and keeps a later moment. The statement travels with the next
 * one of the transaction, or with its commit.
 */
export const addJobsOf = <T extends TObject>(
  tx: Tx,
  kind: JobKind<T>,
  { rows, owner, delaySeconds }: { rows: RawBuilder<unknown>; owner: string; delaySeconds: number },
): Promise<void> => {
  const jobClass = classOf(kind as JobKind);
  return runAhead(
    tx,
    sql`
    select graphile_worker.add_job(${kind.name}, payload, job_key => asked.key, priority => ${PRIORITIES[jobClass]}::integer,
             run_at => greatest(now() + make_interval(secs => ${delaySeconds}::float8),
               (select run_at from graphile_worker.jobs as waiting
                 where waiting.key = asked.key and locked_at is null and attempts = 0)),
             flags => array_remove(array[${jobClass}, ${flagOfOwner(jobClass, owner)}, ${flagOfOrg(jobClass, '')} || teams.org_id], null))
      from (${rows}) as asked (payload, key) left join teams on teams.id = ${owner}::uuid`,
  );
};

/** Longer than any turn of what asks for itself again: a job that is locked for longer died with its process. */
const LONGEST_TURN_MINUTES = 30;

/**
 * Asks for a job that is the only one of its kind, unless it runs or is about to: what the clock asks for again and again
 * does not pile up. One that failed and waits for its next try begins anew.
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
           else locked_at > now() - make_interval(mins => ${LONGEST_TURN_MINUTES}) end`.execute(tx);
  if (rows.length === 0) await addJob(tx, kind, payload);
}
