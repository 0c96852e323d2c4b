import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { ALL_ENDPOINTS } from './tallies.ts';

/** Part of a range of time: attempts by how long they took (`durations.ts`), and how many of them succeeded. */
export type Slot = { start: string; succeeded: number; durations: number[] };

export type SlotsWanted = {
  /** Null: of all endpoints of the team. */
  webhook_id: string | null;
  /** Both are multiples of the interval since 1970. */
  from: string;
  to: string;
  seconds: number;
};

/** The slots of a range in which there were attempts, oldest first. What it reads is one row for each five minutes at most. */
export async function readTallies(ctx: TeamCtx, { webhook_id, from, to, seconds }: SlotsWanted): Promise<Slot[]> {
  const { rows } = await sql<Slot>`
    with tally as materialized (
      select date_bin(make_interval(secs => ${seconds}), started_at, timestamptz 'epoch') as start, succeeded, durations
        from delivery_tallies
       where team_id = ${ctx.team.id} and webhook_id = ${webhook_id ?? ALL_ENDPOINTS}
         and started_at >= ${from} and started_at < ${to}
    ), part as (
      select start, n, sum(count)::float8 as count
        from tally cross join lateral unnest(durations) with ordinality as part (count, n)
       group by start, n
    )
    select start, array_agg(count order by n) as durations,
           (select sum(succeeded)::float8 from tally where tally.start = part.start) as succeeded
      from part group by start order by start`.execute(ctx.db);
  return rows;
}
