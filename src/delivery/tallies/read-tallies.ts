import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { PARTS } from './durations.ts';
import { ALL_ENDPOINTS } from './tallies.ts';

/** Each part by itself: as rows they would be sorted, a hundred thousand for a month. */
const SUMS = sql.raw(Array.from({ length: PARTS }, (_, n) => `sum(durations[${n + 1}])`).join(', '));

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

/**
 * The slots of a range in which there were attempts, oldest first. What it reads is one row for each five minutes at most. It is
 * planned each time: by a plan that was kept from when there were none, it might go through those of all teams along their ages.
 */
export async function readTallies(ctx: TeamCtx, { webhook_id, from, to, seconds }: SlotsWanted): Promise<Slot[]> {
  const { rows } = await sql<Slot>`
    select date_bin(make_interval(secs => ${seconds}), started_at, timestamptz 'epoch') as start,
           sum(succeeded)::float8 as succeeded, array[${SUMS}]::float8[] as durations
      from ${sql.table('delivery_tallies')}
     where team_id = ${ctx.team.id} and webhook_id = ${webhook_id ?? ALL_ENDPOINTS}
       and started_at >= ${from} and started_at < ${to}
     group by 1 order by 1`.execute(ctx.db);
  return rows;
}
