// Chooses the samples that a query uses. In a series that adds up, for example steps, sources complement each other
// (additive.ts). In other series, for example heart rates, the query uses the best source of each time slot. A slot is
// an hour, or as long as the groups if they are shorter.
import { sql, type RawBuilder } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { aheadOf, localTimeOfSample } from '../columns/local-time.ts';
import type { QueryScope } from '../query-scope.ts';
import { additiveSamples } from './additive.ts';
import type { SampleSelection, SourceColumn } from './counted-rows.ts';
import { rank, type Ranked } from '../../rank.ts';

type Expression = RawBuilder<unknown>;
type Stream = {
  id: string;
  provider: string;
  source_type: string;
  app_id: string | null;
  device_id: string | null;
  kind: string;
};

export async function countedSamples(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  asked: SampleSelection,
  scope: QueryScope,
): Promise<Expression> {
  const streams = await findStreams(ctx, asked, scope);
  const sources = sourcesOf(streams);
  if (streams.every(({ position }) => position === 1)) {
    return sql`${sources}, counted as (select * from ${samplesOf(scope)})`;
  }
  if (asked.series.additive !== null) return sql`${sources}, ${additiveSamples(asked.series.additive, scope)}`;
  const { slotMinutes } = asked;
  const hasGroups = streams.some(({ rank_group }) => rank_group > 0);
  const counted = hasGroups
    ? sql`counted as (${bestOfEachGroup})`
    : sql`best as materialized (${bestPositions}), counted as (${bestOfEachSlot})`;
  return sql`${sources}, measured as not materialized (
      select *, ${slotOf(slotMinutes, scope)} as slot from ${samplesOf(scope)}
    ), ${counted}`;
}

/** Returns the user's streams that the query reads, the best ones first. */
async function findStreams(
  { db }: TeamCtx | TxCtx<TeamCtx>,
  { series, type, apart, sourceFilter }: SampleSelection,
  { userId, teamId, providers }: QueryScope,
): Promise<Ranked<Stream>[]> {
  const { rows } = await sql<Stream>`
    select id, provider, source_type, app_id, device_id, kind from streams
     where user_id = ${userId} and team_id = ${teamId} and resource = ${series.name}
       ${type === null ? sql`` : sql`and kind = ${type}`}${sourceFilter ? sql` and ${sourceFilter}` : sql``}`.execute(
    db,
  );
  // Samples have no workout and no sport. If a query groups by these columns, all samples are in one group.
  const columns = [...apart, ...(type === null ? ['kind' as const] : [])].filter(
    (column): column is Exclude<SourceColumn, 'workout_id' | 'sport'> => column !== 'workout_id' && column !== 'sport',
  );
  return rank(rows, providers, (stream) => JSON.stringify(columns.map((column) => stream[column])));
}

const sourcesOf = (streams: Ranked<Stream>[]): Expression => {
  const of = <T>(value: (stream: Ranked<Stream>) => T): T[] => streams.map(value);
  return sql`
    recursive sources as (
      select * from unnest(
        ${of(({ id }) => id)}::bigint[], ${of((each) => each.provider)}::text[],
        ${of((each) => each.source_type)}::text[], ${of((each) => each.app_id)}::text[],
        ${of((each) => each.device_id)}::uuid[], ${of(({ kind }) => kind)}::text[],
        ${of(({ rank_group }) => rank_group)}::integer[], ${of(({ position }) => position)}::integer[]
      ) as s (stream_id, provider, source_type, app_id, device_id, kind, rank_group, position)
    )`;
};

/**
 * Returns SQL for the samples of the timeframe's days, with their source. `offset 0` makes PostgreSQL compute each
 * local time only once.
 */
const samplesOf = ({ from, until, timeZone }: QueryScope): Expression => sql`(
      select * from (
        select stream_id, provider, source_type, app_id, device_id, kind, rank_group, position, at, value, duration_ms,
               timezone_offset, extra, ${localTimeOfSample(timeZone)} as local_at
          from sources join samples using (stream_id)
         where at >= ${from}::timestamptz - interval '1 day' and at < ${until}::timestamptz + interval '1 day'
        offset 0
      ) as local
       where local_at >= ${from}::timestamp and local_at < ${until}::timestamp
    ) as of_days`;

/** In seconds, more than any offset of a clock from UTC. */
const FURTHEST_AHEAD_S = 100_000;

/**
 * Returns SQL for the time slot of a sample. When clocks are put back, they show an hour twice, and these are two
 * slots. So the slot depends on the local time and on the offset. Both are in one number, so that one search finds a
 * slot.
 */
const slotOf = (minutes: number, { from }: QueryScope): Expression => sql`
  (floor(date_part('epoch', local_at - ${from}::timestamp) / ${sql.lit(minutes * 60)})
     * ${sql.lit(2 * FURTHEST_AHEAD_S)}
   + ${aheadOf(sql`local_at`, sql`at`)})`;

const bestOfEachGroup = sql`
  select * from (select *, min(position) over (partition by rank_group, slot) as best from measured) as candidates
   where position = best`;

/**
 * SQL for two arrays. `slots` has the time slots in ascending order, without those in which only the last source has
 * samples. `positions` has the position of the best source for each of these slots.
 */
const bestPositions = sql`
  select array_agg(slot order by slot) as slots, array_agg(position order by slot) as positions
    from (select slot, min(position) as position
            from measured where position < (select count(*) from sources) group by slot) as candidates`;

/**
 * SQL for the rows that count. Rows of the best source always count. Rows of the last source count if no other source
 * has samples in the slot. `best` is one row with two arrays, and not a table to join: the planner expects one row for
 * a user, so with a join it would search all positions for each sample.
 */
const bestOfEachSlot = sql`
  select * from measured where position = 1 or position = coalesce(
    case when (select slots from best)[width_bucket(slot, (select slots from best))] = slot
         then (select positions from best)[width_bucket(slot, (select slots from best))] end,
    (select count(*) from sources))`;
