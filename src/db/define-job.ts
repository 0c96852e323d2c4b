import { sql } from 'kysely';
import { Value } from 'typebox/value';
import type { Static, TObject } from 'typebox';
import type { Ctx } from '../context.ts';
import type { Tx } from './open.ts';

/** Background work as those who ask for it know it. */
export type JobKind<T extends TObject = TObject> = {
  name: string;
  /** Ids and numbers only: payloads lie in the queue unsealed, and its library quotes them in its messages. */
  payload: T;
  /** What a job is the only one of, whoever asks for it: one that waits is replaced instead of a second one being added. */
  key?: (payload: Static<T>) => string;
  /**
   * Waits for somebody outside, who may be slow, or computes for long: it takes one of the places for that, of which this
   * team has its share.
   */
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
  /** Lower ones run first; 0 where left out. What a team has much of gives way to what others have little of. */
  priority?: number;
  /** One with the same key that waits already keeps the moment at which it runs. */
  keepsMoment?: true;
};

/** A place that is taken, and the share of a team that is used up: the queue leaves jobs with these flags where they are. */
export const WAITS = 'waits';
export const flagOfTeam = (teamId: string): string => `team ${teamId}`;

/** All that is erased has the share of one team together: two jobs at a time in a process, in turn. */
export const ERASURES = 'erasures';

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
  const specs = jobs.map(({ payload, delaySeconds = 0, key, priority = 0, keepsMoment = false }) => {
    if (!Value.Check(kind.payload, payload)) throw new Error(`The payload of job ${kind.name} breaks its shape.`);
    const team = kind.placeOf?.(payload);
    const flags = team === undefined ? null : [WAITS, flagOfTeam(team)];
    const mode = keepsMoment ? 'preserve_run_at' : 'replace';
    return { payload, delay_seconds: delaySeconds, key: key ?? kind.key?.(payload) ?? null, priority, flags, mode };
  });
  await sql`
    select graphile_worker.add_job(${kind.name}, payload, run_at => now() + make_interval(secs => delay_seconds),
             job_key => key, priority => priority, flags => flags, job_key_mode => mode)
      from json_to_recordset(${JSON.stringify(specs)}::json)
        as spec (payload json, delay_seconds float8, key text, priority integer, flags text[], mode text)`.execute(tx);
}

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
