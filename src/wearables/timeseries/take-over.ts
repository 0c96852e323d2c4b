// A time has one sample of a series, provider and kind of device, whichever app or device tells of it: the one that told last.
import { sql } from 'kysely';
import type { Writer } from '../one-writer.ts';
import { isTold } from '../is-told.ts';
import { columnsOf, keyOf, type Row } from './sample-rows.ts';
import { NEXT_VERSION, sourceIdOf } from './streams.ts';

/** Samples that were another stream's, by their keys: whether what is told of them differs; and the versions of streams since. */
export type TakenOver = { differs: Map<string, boolean>; versions: Map<number, number> };

/**
 * Moves what streams beside have of the same times, with what is told now. The records that they were of go: it is the latest push that
 * says whose a sample is. `beside` has the streams of a place by each of them.
 */
export async function takeOver(
  ctx: Writer,
  rows: Row[],
  beside: ReadonlyMap<number, readonly number[]>,
): Promise<TakenOver> {
  const places = placesOf(rows, beside);
  const taken: TakenOver = { differs: new Map(), versions: new Map() };
  if (places.length === 0) return taken;
  const { stream_ids, ats, values, durations, offsets, extras } = columnsOf(rows);
  const answer = await sql<{ stream_id: number; at: string; differs: boolean; version: number }>`
    with sent as materialized (
      select * from unnest(${stream_ids}::bigint[], ${ats}::timestamptz[], ${values}::float8[], ${durations}::integer[],
                           ${offsets}::integer[], ${extras}::jsonb[])
                 as s (stream_id, at, value, duration_ms, timezone_offset, extra)
    ), places as (
      select * from unnest(${places.map(({ stream_id }) => stream_id)}::bigint[], ${places.map(({ place }) => place)}::bigint[]) as p (stream_id, place)
    ), times as materialized (
      select place, array_agg(distinct at) as ats, min(at) as first, max(at) as last
        from sent join places using (stream_id) group by 1
    ), stored as materialized (
      select place, stored.* from times join places using (place) cross join lateral (
        select stream_id, at, value, duration_ms, timezone_offset, extra from ${sql.table('samples')} as samples
         where samples.stream_id = places.stream_id and at = any (ats) and at between first and last limit ${rows.length}
      ) as stored
    ), found as materialized (
      select distinct on (sent.stream_id, sent.at) sent.*, stored.stream_id as other_id,
             (stored.value, stored.duration_ms, stored.timezone_offset, stored.extra)
               is distinct from (sent.value, sent.duration_ms, sent.timezone_offset, sent.extra) as differs
        from sent join places using (stream_id) join stored on stored.place = places.place and stored.at = sent.at
       -- Where both have the time, as only an edited database can, each keeps its own.
       where not exists (select from stored as own where own.stream_id = sent.stream_id and own.at = sent.at)
    ), moved as (
      update ${sql.table('samples')} as stored
         set stream_id = found.stream_id, value = found.value, duration_ms = found.duration_ms,
             timezone_offset = found.timezone_offset, extra = found.extra, rev = stored.rev + 1
        from found where stored.stream_id = other_id and stored.at = found.at
      returning stored.stream_id, stored.at, differs
    ), notes as (
      update sample_notes set stream_id = found.stream_id from found
       where sample_notes.stream_id = other_id and sample_notes.at = found.at
    ), records as (
      delete from sample_records using found where sample_records.stream_id = other_id and sample_records.at = found.at
    ), counted as (
      update streams set version = ${NEXT_VERSION}, changed_at = now(),
             sent_count = sent_count + case when ${isTold(ctx)} then many else 0 end
        from (select stream_id, count(*) filter (where differs) as many from moved group by 1) as m where id = stream_id
      returning id, version
    )
    select stream_id, at, differs, version from moved join counted on id = stream_id`.execute(ctx.db);
  for (const { stream_id, at, differs, version } of answer.rows) {
    taken.differs.set(keyOf({ stream_id, sample: { at } }), differs);
    taken.versions.set(stream_id, version);
  }
  return taken;
}

/** Of the places in which these are, and others beside them, all streams, each with the number of its place. */
function placesOf(rows: Row[], beside: ReadonlyMap<number, readonly number[]>): { stream_id: number; place: number }[] {
  const places = new Map<number, number>();
  for (const { stream_id } of rows) {
    const others = beside.get(stream_id) ?? [];
    if (others.length === 0 || places.has(stream_id)) continue;
    const place = sourceIdOf({ id: stream_id, beside: [...others] });
    for (const id of [stream_id, ...others]) places.set(id, place);
  }
  return [...places].map(([stream_id, place]) => ({ stream_id, place }));
}
