import { sql } from 'kysely';
import type pg from 'pg';
import type { Db, Tx } from './open-database.ts';

/**
 * Erasure and retention use the clock of the database. If the clock of a process differs by more than this, the process
 * erases nothing.
 */
const MAX_OFF_SECONDS = 60;

/**
 * Throws if the clocks of this process and of its database differ too much. One of the two is wrong, and we cannot know
 * which. Erasure and retention call it before they destroy data by its age.
 */
export const refuseIfClockIsOff = (ctx: { db: Db | Tx }, now: () => number = Date.now): Promise<void> =>
  refuseIfOff(async () => (await sql<{ ms: number }>`${sql.raw(CLOCK)}`.execute(ctx.db)).rows, now);

/** The same check for a connection of the owner role. */
export const refuseIfClockOfOwnerIsOff = (client: pg.Client, now: () => number = Date.now): Promise<void> =>
  refuseIfOff(async () => (await client.query<{ ms: number }>(CLOCK)).rows, now);

const CLOCK = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms';

async function refuseIfOff(ask: () => Promise<{ ms: number }[]>, now: () => number): Promise<void> {
  const before = now();
  const [response] = await ask();
  const after = now();
  const database = response?.ms ?? NaN;
  // The database read its clock between `before` and `after`. We compare with both, so that a slow round trip does not
  // look like a wrong clock.
  const off = database < before ? before - database : Math.max(0, database - after);
  if (!(off <= MAX_OFF_SECONDS * 1000)) {
    throw new Error(
      `The clocks of this process and of the database differ by ${Math.round(off / 1000)} seconds: ` +
        'nothing is erased or dropped until they agree.',
    );
  }
}
