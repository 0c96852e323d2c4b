import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { PARTS } from './durations.ts';
import { ALL_ENDPOINTS } from './tallies.ts';

/**
 * Sums each bucket in a column of its own. With a row for each bucket, PostgreSQL would have to sort about a hundred
 * thousand rows for a month.
 */
const SUMS = sql.raw(Array.from({ length: PARTS }, (_, n) => `sum(durations[${n + 1}])`).join(', '));

/**
 * One of the equal intervals of a time range, with its attempts. `durations` has the number of attempts in
 * each bucket of durations (`durations.ts`). `succeeded` is the number of attempts that succeeded.
 */
export type Interval = { start: string; succeeded: number; durations: number[] };

export type IntervalsWanted = {
  /** Null means all endpoints of the team together. */
  webhook_id: string | null;
  /** `from` and `to` are a whole number of intervals of `seconds` after 1970. */
  from: string;
  to: string;
  seconds: number;
};

/**
 * Returns the intervals that have attempts, the oldest first. It reads at most one row for each five minutes.
 * PostgreSQL plans the statement at every execution. A plan from a time when the table was empty could read the rows of
 * all teams in the order of their times.
 */
export async function readTallies(
  ctx: TeamCtx,
  { webhook_id, from, to, seconds }: IntervalsWanted,
): Promise<Interval[]> {
  const { rows } = await sql<Interval>`
    select date_bin(make_interval(secs => ${seconds}), started_at, timestamptz 'epoch') as start,
           sum(succeeded)::float8 as succeeded, array[${SUMS}]::float8[] as durations
      from ${sql.table('delivery_tallies')}
     where team_id = ${ctx.team.id} and webhook_id = ${webhook_id ?? ALL_ENDPOINTS}
       and started_at >= ${from} and started_at < ${to}
     group by 1 order by 1`.execute(ctx.db);
  return rows;
}
