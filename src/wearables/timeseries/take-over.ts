// A time has one sample of a series, provider and kind of device, whichever app or device tells of it: the one that told last.
import { sql } from 'kysely';
import type { Writer } from '../one-writer.ts';
import { isTold } from '../is-told.ts';
import { columnsOf, keyOf, type Row } from './sample-rows.ts';
import { NEXT_VERSION } from './streams.ts';

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
  const pairs = [...new Set(rows.map(({ stream_id }) => stream_id))].flatMap((stream_id) =>
    (beside.get(stream_id) ?? []).map((other_id) => ({ stream_id, other_id })),
  );
  const taken: TakenOver = { differs: new Map(), versions: new Map() };
  if (pairs.length === 0) return taken;
  const { stream_ids, ats, values, durations, offsets, extras } = columnsOf(rows);
  const answer = await sql<{ stream_id: number; at: string; differs: boolean; version: number }>`
    with sent as materialized (
      select * from unnest(${stream_ids}::bigint[], ${ats}::timestamptz[], ${values}::float8[], ${durations}::integer[],
                           ${offsets}::integer[], ${extras}::jsonb[])
                 as s (stream_id, at, value, duration_ms, timezone_offset, extra)
    ), near as materialized (
      select stream_id, other_id, first, last
        from unnest(${pairs.map((pair) => pair.stream_id)}::bigint[], ${pairs.map((pair) => pair.other_id)}::bigint[]) as p (stream_id, other_id)
        join (select stream_id, min(at) as first, max(at) as last from sent group by 1) as spans using (stream_id)
       where exists (select from ${sql.table('samples')} where samples.stream_id = other_id and samples.at between first and last)
    ), found as materialized (
      select distinct on (sent.stream_id, sent.at) sent.*, other_id, (stored.value, stored.duration_ms, stored.timezone_offset, stored.extra)
               is distinct from (sent.value, sent.duration_ms, sent.timezone_offset, sent.extra) as differs
        from near join sent using (stream_id) cross join lateral (
          select value, duration_ms, timezone_offset, extra from ${sql.table('samples')}
           where samples.stream_id = other_id and samples.at = sent.at limit 1
        ) as stored
       -- Where both have the time, as only an edited database can, each keeps its own.
       where not exists (select from ${sql.table('samples')} where samples.stream_id = sent.stream_id and samples.at = sent.at)
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
