import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { prioritiesOf } from '../../priorities/list.ts';
import { rankFor, type Source } from '../../rank.ts';
import type { Rates } from './zones.ts';

/** More than a day at one a second, as of points. */
const MOST_RATES = 100_000;

/** What a user has of heart rates, and which providers the team prefers. */
export type HeartRates = { streams: (Source & { id: number })[]; providers: string[] };

export async function findHeartRates(ctx: TxCtx<TeamCtx>, user: { id: string }): Promise<HeartRates> {
  const { rows: streams } = await sql<HeartRates['streams'][number]>`
    select id, provider, source_type, app_id, device_id from streams
     where user_id = ${user.id} and team_id = ${ctx.team.id} and resource = 'heartrate'`.execute(ctx.db);
  return { streams, providers: streams.length > 1 ? await prioritiesOf(ctx, 'timeseries') : [] };
}

/**
 * Heart rates that came as samples between two moments, of the best source that tells of them: as aggregates choose it, and of
 * equally good ones that of the workout.
 */
export async function findRates(
  { db }: TxCtx<TeamCtx>,
  { streams, providers }: HeartRates,
  { start_at, end_at, ...own }: Source & { start_at: string; end_at: string },
): Promise<Rates> {
  const ids = rankFor(own, streams, providers).map(({ id }) => id);
  const { rows } = await sql<{ time: number[] | null; heartrate: number[] | null }>`
    select array_agg(extract(epoch from at)::float8 order by at) as time, array_agg(value order by at) as heartrate
      from (
        select at, value from samples
         where stream_id = (select id from unnest(${ids}::bigint[]) with ordinality as stream (id, place)
                             where exists (select from samples where stream_id = id and at >= ${start_at} and at < ${end_at} and value > 0)
                             order by place limit 1)
           and at >= ${start_at} and at < ${end_at}
         order by at limit ${MOST_RATES}) as rates`.execute(db);
  return { time: rows[0]?.time ?? [], heartrate: rows[0]?.heartrate ?? [] };
}
