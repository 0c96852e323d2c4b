// Zones of heart rates that came as samples. The database adds them up by the rules of zones.ts: a workout may have a hundred
// thousand of them.
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { prioritiesOf } from '../../priorities/list.ts';
import { rankFor, type Source } from '../../rank.ts';
import { EDGES, highestRate, LAST_EDGE, LONGEST_HOLD_S } from './zones.ts';

/** More than a day at one a second, as of points. */
export const MOST_RATES = 100_000;

/** What a user has of heart rates, and which providers the team prefers. */
export type HeartRates = { streams: (Source & { id: number })[]; providers: string[] };

export async function findHeartRates(ctx: TxCtx<TeamCtx>, user: { id: string }): Promise<HeartRates> {
  const { rows: streams } = await sql<HeartRates['streams'][number]>`
    select id, provider, source_type, app_id, device_id from streams
     where user_id = ${user.id} and team_id = ${ctx.team.id} and resource = 'heartrate'`.execute(ctx.db);
  return { streams, providers: streams.length > 1 ? await prioritiesOf(ctx, 'timeseries') : [] };
}

type Session = Source & { start_at: string; end_at: string };

/** The heart rates of a session, and when they begin, in seconds since 1970. */
export type RatesOfSession = { streamId: number; begin: number };

/**
 * Where the heart rates between two moments are: of the best source that tells of them, as aggregates choose it, and of equally
 * good ones that of the workout. Null where no heart beat was measured.
 */
export async function findRatesOrNull(
  { db }: TxCtx<TeamCtx>,
  { streams, providers }: HeartRates,
  { start_at, end_at, ...own }: Session,
): Promise<RatesOfSession | null> {
  const ids = rankFor(own, streams, providers).map(({ id }) => id);
  const { rows } = await sql<RatesOfSession>`
    select id as "streamId", (select extract(epoch from at)::float8 from samples
                               where stream_id = id and at >= ${start_at} and at < ${end_at} order by at limit 1) as begin
      from (select id from unnest(${ids}::bigint[]) with ordinality as stream (id, place)
             where exists (select from samples where stream_id = id and at >= ${start_at} and at < ${end_at} and value > 0)
             order by place limit 1) as best`.execute(db);
  return rows[0] ?? null;
}

/**
 * Seconds in the zones of a session by the first `most` of its heart rates, as `zonesOf` tells them, and how many rates these were.
 */
export async function sumZones(
  { db }: TxCtx<TeamCtx>,
  { start_at, end_at }: Session,
  { rates: { streamId, begin }, birthDate, most }: { rates: RatesOfSession; birthDate: string | null; most: number },
): Promise<{ count: number; zones: number[] | null }> {
  const { rows } = await sql<{ count: number; is_measured: boolean; zones: number[] }>`
    select count(*)::integer as count, coalesce(bool_or(value > 0), false) as is_measured,
           array[${sql.join([0, 1, 2, 3, 4, 5].map((zone) => sql`coalesce(sum(lasts) filter (where zone = ${sql.lit(zone)}), 0)`))}] as zones
      from (
        select value, least(greatest(coalesce(lead(at) over (order by at), ${Date.parse(end_at) / 1_000}::float8) - at, 0),
                            ${LONGEST_HOLD_S}::float8) as lasts,
               case when value <= 0 then null
                    when part > ${LAST_EDGE}::float8 then ${EDGES.length + 1}::integer
                    else ${sql.join(
                      EDGES.map((edge) => sql`(part >= ${edge}::float8)::integer`),
                      sql` + `,
                    )} end as zone
          from (
            select extract(epoch from at)::float8 as at, value, value / ${highestRate(birthDate, begin)}::float8 as part
              from samples
             where stream_id = ${streamId} and at >= ${start_at} and at < ${end_at}
             order by at limit ${most}) as rates
      ) as held`.execute(db);
  const { count, is_measured, zones } = rows[0]!;
  return { count, zones: is_measured ? zones.map((seconds) => Math.round(seconds)) : null };
}
