import { sql } from 'kysely';
import type { Ctx } from '../context.ts';

const DAYS_AHEAD = 3;

/** Creates the partitions of the next days (UTC). The current day is taken from the clock of the database. */
export async function makePartitions(ctx: Ctx): Promise<void> {
  await sql`
    select ensure_partitions((now() at time zone 'UTC')::date - 1,
        (now() at time zone 'UTC')::date + ${DAYS_AHEAD}::integer)`.execute(ctx.db);
}
