import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';

const MONTHS_AHEAD = 2;

/** Creates the partitions of the next months (UTC). The current day is taken from the clock of the database. */
export async function makePartitions({ db }: Ctx): Promise<void> {
  await sql`
    select ensure_sample_partitions(
      current_date, (current_date + make_interval(months => ${MONTHS_AHEAD}))::date)`.execute(db);
}
