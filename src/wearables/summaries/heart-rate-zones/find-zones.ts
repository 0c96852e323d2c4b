// Computes heart-rate zones from samples. A workout may have a hundred thousand samples, so the database adds up the
// times in the zones. The rules are those of zones.ts.
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { prioritiesOf } from '../../priorities/list.ts';
import { rankFor, type Source } from '../../rank.ts';
import { EDGES, highestRate, LAST_EDGE, LONGEST_RATE_S } from './zones.ts';

/** The most heart rates of a workout, as for points. A day with one a second has fewer. */
export const MAX_RATES = 100_000;

/** How many sources we read, the best ones first. In each minute, the best source that measured counts. */
const MAX_SOURCES = 4;
const MINUTE_S = 60;

/** The user's streams of heart rates, and the team's order of providers. */
export type HeartRates = { streams: (Source & { id: number })[]; providers: string[] };

export async function findHeartRates(ctx: TxCtx<TeamCtx>, user: { id: string }): Promise<HeartRates> {
  const { rows: streams } = await sql<HeartRates['streams'][number]>`
    select id, provider, source_type, app_id, device_id from streams
     where user_id = ${user.id} and team_id = ${ctx.team.id} and resource = 'heartrate'`.execute(ctx.db);
  return { streams, providers: streams.length > 1 ? await prioritiesOf(ctx, 'timeseries') : [] };
}

type Session = Source & { start_at: string; end_at: string };

/**
 * The streams with heart rates of a session, the best first. `begin` is the time of the first rate in seconds since
 * 1970.
 */
export type RatesOfSession = { streamIds: number[]; begin: number };

/**
 * Returns the best sources that have heart rates between two moments, in the order of aggregates (rank.ts). Among
 * equally good ones, the source of the workout comes first. Returns null if no source has any.
 */
export async function findRatesOrNull(
  { db }: TxCtx<TeamCtx>,
  { streams, providers }: HeartRates,
  { start_at, end_at, ...own }: Session,
): Promise<RatesOfSession | null> {
  const ids = rankFor(own, streams, providers).map(({ id }) => id);
  const { rows } = await sql<RatesOfSession>`
    select array_agg(id order by position) as "streamIds",
           min((select extract(epoch from at)::float8 from samples
                 where stream_id = id and at >= ${start_at} and at < ${end_at} order by at limit 1)) as begin
      from (select id, position from unnest(${ids}::bigint[]) with ordinality as stream (id, position)
             where exists (select from samples
                            where stream_id = id and at >= ${start_at} and at < ${end_at} and value > 0)
             order by position limit ${MAX_SOURCES}) as best
    having count(*) > 0`.execute(db);
  return rows[0] ?? null;
}

const secondsIn = (zone: number) => sql`coalesce(sum(lasts) filter (where zone = ${sql.lit(zone)}), 0)`;

/**
 * Returns the seconds in each zone of a session, from its first `most` heart rates, by the rules of `zonesOf`. Also
 * returns the number of these rates. In each minute, the best source that measured counts. So if a person puts on a
 * chest strap late, the rates of the watch count until then.
 */
export async function sumZones(
  { db }: TxCtx<TeamCtx>,
  { start_at, end_at }: Session,
  { rates: { streamIds, begin }, birthDate, most }: { rates: RatesOfSession; birthDate: string | null; most: number },
): Promise<{ count: number; zones: number[] | null }> {
  const { rows } = await sql<{ count: number; is_measured: boolean; zones: number[] }>`
    with measured as (
      select at, value, position,
             min(position) filter (where value > 0) over (partition by floor(at / ${MINUTE_S}::float8)) as best
        from (select extract(epoch from rates.at)::float8 as at, rates.value, stream.position
                from unnest(${streamIds}::bigint[]) with ordinality as stream (id, position)
               cross join lateral (select at, value from samples
                                    where stream_id = stream.id and at >= ${start_at} and at < ${end_at}
                                    order by at limit ${most}) as rates
               order by 1 limit ${most}) as first
    )
    select (select count(*) from measured)::integer as count, coalesce(bool_or(value > 0), false) as is_measured,
           array[${sql.join([0, 1, 2, 3, 4, 5].map(secondsIn))}] as zones
      from (
        select value,
               least(greatest(coalesce(lead(at) over (order by at), ${Date.parse(end_at) / 1_000}::float8) - at, 0),
                            ${LONGEST_RATE_S}::float8) as lasts,
               case when value <= 0 then null
                    when part > ${LAST_EDGE}::float8 then ${EDGES.length + 1}::integer
                    else ${sql.join(
                      EDGES.map((edge) => sql`(part >= ${edge}::float8)::integer`),
                      sql` + `,
                    )} end as zone
          from (
            select at, value, value / ${highestRate(birthDate, begin)}::float8 as part
              from measured where position = coalesce(best, position)) as rates
      ) as lasting`.execute(db);
  const { count, is_measured, zones } = rows[0]!;
  return { count, zones: is_measured ? zones.map((seconds) => Math.round(seconds)) : null };
}
