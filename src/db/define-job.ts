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
};

/** Background work with what it does. */
export type Job<T extends TObject = TObject> = JobKind<T> & {
  /** When it runs by itself: minute, hour, day, month and weekday in UTC, and the payload it then has. */
  cron?: { at: string; payload: Static<T> };
  run: (ctx: Ctx, payload: Static<T>) => Promise<void>;
  /** Waits for somebody outside, who may be slow, or computes for long: it has places of its own, and a team has its share of them. */
  waits?: true;
};

/** Declares a kind of background work whose doing stands in a room above those who ask for it. */
export const jobKind = <T extends TObject>(kind: JobKind<T>): JobKind<T> => kind;

/** Declares background work; `run` gets exactly what its payload promises. */
export const defineJob = <T extends TObject>(job: Job<T>): Job<T> => job;

type When = {
  /** Seconds from now; 0 where left out. */
  delaySeconds?: number;
  /** A waiting job with the same key is replaced instead of a second one being added. */
  key?: string;
  /** Lower ones run first; 0 where left out. What a team has much of gives way to what others have little of. */
  priority?: number;
};

/** Asks for background work in the caller's transaction: it runs exactly when the change it follows from is there. */
export async function addJob<T extends TObject>(
  tx: Tx,
  { name, payload: shape }: JobKind<T>,
  payload: Static<T>,
  { delaySeconds = 0, key, priority = 0 }: When = {},
): Promise<void> {
  if (!Value.Check(shape, payload)) throw new Error(`The payload of job ${name} breaks its shape.`);
  await sql`
    select graphile_worker.add_job(${name}, ${JSON.stringify(payload)}::json,
      run_at => now() + make_interval(secs => ${delaySeconds}), job_key => ${key ?? null},
      priority => ${priority}::integer)`.execute(tx);
}
