// Which samples count. Of a series that adds up sources complement each other (additive.ts); of others the best source of each
// hour counts, whatever the query groups by, or of so many minutes where it groups by less (record 465).
import { sql, type RawBuilder } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { aheadOf, localTimeOfSample } from '../columns/local-time.ts';
import type { QueryScope } from '../scope.ts';
import { additiveSamples } from './additive.ts';
import type { SamplesAsked, SourceColumn } from './counted-rows.ts';
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
  asked: SamplesAsked,
  scope: QueryScope,
): Promise<Expression> {
  const streams = await findStreams(ctx, asked, scope);
  const sources = sourcesOf(streams);
  if (streams.every(({ place }) => place === 1)) {
    return sql`${sources}, counted as (select * from ${samplesOf(scope)})`;
  }
  if (asked.series.additive !== null) return sql`${sources}, ${additiveSamples(asked.series.additive, scope)}`;
  const { slotMinutes } = asked;
  const hasGroups = streams.some(({ rivals }) => rivals > 0);
  return sql`${sources}, measured as not materialized (
      select *, ${slotOf(slotMinutes, scope)} as slot from ${samplesOf(scope)}
    )${hasGroups ? sql`` : sql`, best as materialized (${bestPlaces})`}, counted as (${hasGroups ? bestOfEachGroup : bestOfEachSlot})`;
}

/** The user's streams that take part, the better ones before others. */
async function findStreams(
  { db }: TeamCtx | TxCtx<TeamCtx>,
  { series, type, apart, sourceFilter }: SamplesAsked,
  { userId, teamId, providers }: QueryScope,
): Promise<Ranked<Stream>[]> {
  const { rows } = await sql<Stream>`
    select id, provider, source_type, app_id, device_id, kind from streams
     where user_id = ${userId} and team_id = ${teamId} and resource = ${series.name}
       ${type === null ? sql`` : sql`and kind = ${type}`}${sourceFilter ? sql` and ${sourceFilter}` : sql``}`.execute(
    db,
  );
  // Samples know neither workout nor sport.
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
        ${of(({ id }) => id)}::bigint[], ${of((each) => each.provider)}::text[], ${of((each) => each.source_type)}::text[],
        ${of((each) => each.app_id)}::text[], ${of((each) => each.device_id)}::uuid[], ${of(({ kind }) => kind)}::text[],
        ${of(({ rivals }) => rivals)}::integer[], ${of(({ place }) => place)}::integer[]
      ) as s (stream_id, provider, source_type, app_id, device_id, kind, rivals, place)
    )`;
};

/** The columns of samples that are counted, with their source; `offset 0` has the local time of each computed once. */
const samplesOf = ({ from, until, timeZone }: QueryScope): Expression => sql`(
      select * from (
        select stream_id, provider, source_type, app_id, device_id, kind, rivals, place, at, value, duration_ms,
               timezone_offset, extra, ${localTimeOfSample(timeZone)} as local_at
          from sources join samples using (stream_id)
         where at >= ${from}::timestamptz - interval '1 day' and at < ${until}::timestamptz + interval '1 day'
        offset 0
      ) as local
       where local_at >= ${from}::timestamp and local_at < ${until}::timestamp
    ) as of_days`;

/** No clock is further ahead of UTC, or behind it, in seconds. */
const FURTHEST_AHEAD_S = 100_000;

/**
 * In which slot a sample lies: of the local clock, and of how far that is ahead of UTC, so that an hour which comes twice is two
 * slots. One number of both, so that a slot is found by one search.
 */
const slotOf = (minutes: number, { from }: QueryScope): Expression => sql`
  (floor(date_part('epoch', local_at - ${from}::timestamp) / ${sql.lit(minutes * 60)}) * ${sql.lit(2 * FURTHEST_AHEAD_S)}
   + ${aheadOf(sql`local_at`, sql`at`)})`;

const bestOfEachGroup = sql`
  select * from (select *, min(place) over (partition by rivals, slot) as best from measured) as told where place = best`;

/** The slots of which a source before the last one tells, in ascending order, and the place of the best of each. */
const bestPlaces = sql`
  select array_agg(slot order by slot) as slots, array_agg(place order by slot) as places
    from (select slot, min(place) as place from measured where place < (select count(*) from sources) group by slot) as told`;

/**
 * Rows of the best source count wherever they are, and those of the last one where none before it tells of the slot. The best places
 * are one row, and no table to join: of a single user the planner expects one row, and would choose anew for each sample.
 */
const bestOfEachSlot = sql`
  select * from measured where place = 1 or place = coalesce(
    case when (select slots from best)[width_bucket(slot, (select slots from best))] = slot
         then (select places from best)[width_bucket(slot, (select slots from best))] end,
    (select count(*) from sources))`;
