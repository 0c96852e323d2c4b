import { sql } from 'kysely';
import type pg from 'pg';
import type { Db, Tx } from './open.ts';

/** What is destroyed by age is destroyed by the database's clock; a process further off than this leaves it alone. */
const MOST_OFF_SECONDS = 60;

/**
 * Throws where this process and its database do not agree on the time: one of the two clocks is wrong, and nobody can
 * tell which. Called before work that destroys by age: erasure, retention.
 */
export const refuseIfClockIsOff = (ctx: { db: Db | Tx }, now: () => number = Date.now): Promise<void> =>
  refuseIfOff(async () => (await sql<{ ms: number }>`${sql.raw(CLOCK)}`.execute(ctx.db)).rows, now);

/** The same on a connection of the owner's. */
export const refuseIfClockOfOwnerIsOff = (client: pg.Client, now: () => number = Date.now): Promise<void> =>
  refuseIfOff(async () => (await client.query<{ ms: number }>(CLOCK)).rows, now);

const CLOCK = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms';

async function refuseIfOff(ask: () => Promise<{ ms: number }[]>, now: () => number): Promise<void> {
  const before = now();
  const [answer] = await ask();
  const after = now();
  const database = answer?.ms ?? NaN;
  // The answer was made somewhere between: a slow round trip is no wrong clock.
  const off = database < before ? before - database : Math.max(0, database - after);
  if (!(off <= MOST_OFF_SECONDS * 1000)) {
    throw new Error(
      `The clocks of this process and of the database differ by ${Math.round(off / 1000)} seconds: ` +
        'nothing is erased or dropped until they agree.',
    );
  }
}
