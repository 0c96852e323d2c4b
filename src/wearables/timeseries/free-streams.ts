import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';

/**
 * Deletes streams of a user that have no samples. `among` are the ids of the streams that it may delete; null means all
 * streams. Never deletes a stream in `wanted`.
 *
 * Events name a group of streams by the number of its first stream (`source_id`). So the first stream of a group stays
 * as long as another stream of the group exists, even if it is empty. It gets the counts and versions of the deleted
 * streams of its group. Returns the empty streams that stay for this reason. The caller must be the user's only writer.
 */
export async function freeStreams(
  { db, team }: TxCtx<TeamCtx>,
  user: { id: string },
  { among, wanted }: { among: number[] | null; wanted: number[] },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with looked_at as (
      select id, version, sent_count, changed_at, id = any (${wanted}::bigint[]) as is_wanted,
             -- A scalar subquery uses the index for each stream, also if an empty partition has wrong statistics.
             coalesce((select true from ${sql.table('samples')} as samples
                        where stream_id = streams.id limit 1), false) as is_filled,
             min(id) over (partition by resource, provider, source_type, kind) as first
        from streams
       where user_id = ${user.id} and team_id = ${team.id} and (${among}::bigint[] is null or id = any (${among}))
    ), empty as materialized (
      select id, version, sent_count, changed_at, first, id = first and is_used as stays
        from (select *, bool_or(is_filled or is_wanted) over (partition by first) as is_used from looked_at) as each
       where not is_filled and not is_wanted
    ), freed as materialized (
      select * from empty where not stays
    ), notes as (
      delete from sample_notes where stream_id in (select id from freed)
    ), records as (
      delete from sample_records where stream_id in (select id from freed)
    ), taken_over as (
      update streams
         set version = greatest(streams.version, others.version),
             sent_count = streams.sent_count + others.sent_count,
             changed_at = greatest(streams.changed_at, others.changed_at)
        from (select first, max(version) as version, sum(sent_count)::bigint as sent_count,
                     max(changed_at) as changed_at
                from freed group by first) as others
       where streams.id = others.first and streams.user_id = ${user.id}
         and streams.id not in (select id from freed)
    ), deleted as (
      delete from streams where user_id = ${user.id} and team_id = ${team.id} and id in (select id from freed)
    )
    select id from empty where stays`.execute(db);
  return rows.map(({ id }) => id);
}
