import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import type { Rates } from './zones.ts';

/** More than a day at one a second, as of points. */
const MOST_RATES = 100_000;

export type Span = { provider: string; source_type: string; start_at: string; end_at: string };

/** Heart rates that a source has told of the user as samples between two moments. */
export async function findRates(
  { db, team }: TxCtx<TeamCtx>,
  user: { id: string },
  { provider, source_type, start_at, end_at }: Span,
): Promise<Rates> {
  const { rows } = await sql<{ time: number[] | null; heartrate: number[] | null }>`
    select array_agg(extract(epoch from at)::float8 order by at) as time, array_agg(value order by at) as heartrate
      from (
        select at, value from samples
         where stream_id = (select id from streams
                             where user_id = ${user.id} and team_id = ${team.id} and resource = 'heartrate' and kind = ''
                               and provider = ${provider} and source_type = ${source_type})
           and at >= ${start_at} and at < ${end_at}
         order by at limit ${MOST_RATES}) as rates`.execute(db);
  return { time: rows[0]?.time ?? [], heartrate: rows[0]?.heartrate ?? [] };
}
