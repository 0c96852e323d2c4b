// A time has one sample of a series, provider and kind of device, whichever app or device sends it: the latest. In series that add up, the
// larger value counts before one of another app or device, then the longer interval, then the first app and device by name. So a short
// sample of one app does not lower the sum of another, and the order of arrival decides nothing (record 464).
import { sql } from 'kysely';
import { BY_HAND } from '../by-hand.ts';
import type { Writer } from '../one-writer.ts';
import { isTold } from '../is-told.ts';
import { compareNames, type Source } from '../rank.ts';
import type { Sample } from './sample.ts';
import { columnsOf, keyOf, type Row } from './sample-rows.ts';
import { NEXT_VERSION, sourceIdOf } from './streams.ts';

/**
 * Samples that were another stream's, by their keys: whether what is sent of them differs; the keys of those that do not count, because
 * another stream keeps a better one; and the versions of streams since.
 */
export type TakenOver = { differs: Map<string, boolean>; refused: Set<string>; versions: Map<number, number> };

/** The other streams of a stream's place, whether its series adds up, and times of which it sent a sample that does not count. */
export type Beside = { beside: readonly number[]; addsUp: boolean; outdone: readonly string[] };

/** Of two samples of one start, in a series that adds up: negative where `a` counts. */
export const compareAddends = (a: Sample, b: Sample, sourceOfA: Source, sourceOfB: Source): number =>
  b.value - a.value || (b.duration_ms ?? 0) - (a.duration_ms ?? 0) || compareNames(sourceOfA, sourceOfB);

/** The same as a number: the higher one counts. */
const RANK = sql`row_number() over (order by
  (app_id is not distinct from ${BY_HAND.app_id}) desc, (app_id is null) desc, app_id collate "C" desc, (device_id is null) desc, device_id desc)`;

/**
 * Moves what streams beside have of the same times, with what is told now. The records that they were of go: it is the latest push that
 * says whose a sample is. `streams` says of each stream what lies beside it.
 */
export async function takeOver(ctx: Writer, rows: Row[], streams: ReadonlyMap<number, Beside>): Promise<TakenOver> {
  const places = placesOf(rows, streams);
  const taken: TakenOver = { differs: new Map(), refused: new Set(), versions: new Map() };
  if (places.length === 0) return taken;
  const outdone = places.flatMap(({ stream_id }) =>
    (streams.get(stream_id)?.outdone ?? []).map((at) => ({ stream_id, at })),
  );
  const addends = places.flatMap(({ stream_id, addsUp }) => (addsUp ? [stream_id] : []));
  const { stream_ids, ats, values, durations, offsets, extras } = columnsOf(rows);
  const answer = await sql<{ stream_id: number; at: string; differs: boolean; version: number | null }>`
    with sent as materialized (
      select * from unnest(${stream_ids}::bigint[], ${ats}::timestamptz[], ${values}::float8[], ${durations}::integer[],
                           ${offsets}::integer[], ${extras}::jsonb[])
                 as s (stream_id, at, value, duration_ms, timezone_offset, extra)
    ), ranks as materialized (
      select id as stream_id, ${RANK} as rank from streams where id = any (${addends}::bigint[])
    ), places as materialized (
      select stream_id, place, adds_up, rank
        from unnest(${places.map(({ stream_id }) => stream_id)}::bigint[], ${places.map(({ place }) => place)}::bigint[],
                    ${places.map(({ addsUp }) => addsUp)}::boolean[]) as p (stream_id, place, adds_up) left join ranks using (stream_id)
    ), outdone as materialized (
      select * from unnest(${outdone.map(({ stream_id }) => stream_id)}::bigint[], ${outdone.map(({ at }) => at)}::timestamptz[]) as o (stream_id, at)
    ), times as materialized (
      select place, array_agg(distinct at) as ats, min(at) as first, max(at) as last
        from sent join places using (stream_id) group by 1
    ), stored as materialized (
      select place, rank, stored.* from times join places using (place) cross join lateral (
        select stream_id, at, value, duration_ms, timezone_offset, extra from ${sql.table('samples')} as samples
         where samples.stream_id = places.stream_id and at = any (ats) and at between first and last limit ${rows.length}
      ) as stored
    ), found as materialized (
      select distinct on (sent.stream_id, sent.at) sent.*, stored.stream_id as other_id,
             (stored.value, stored.duration_ms, stored.timezone_offset, stored.extra)
               is distinct from (sent.value, sent.duration_ms, sent.timezone_offset, sent.extra) as differs,
             not adds_up or (sent.value, coalesce(sent.duration_ms, 0), places.rank) > (stored.value, coalesce(stored.duration_ms, 0), stored.rank)
               -- Its own app or device has replaced it, by a sample of the same batch that does not count.
               or (stored.stream_id, stored.at) in (select stream_id, at from outdone) as counts
        from sent join places using (stream_id) join stored on stored.place = places.place and stored.at = sent.at
       -- Where both have the time, as only an edited database can, each keeps its own.
       where not exists (select from stored as own where own.stream_id = sent.stream_id and own.at = sent.at)
    ), moved as (
      update ${sql.table('samples')} as stored
         set stream_id = found.stream_id, value = found.value, duration_ms = found.duration_ms,
             timezone_offset = found.timezone_offset, extra = found.extra, rev = stored.rev + 1
        from found where stored.stream_id = other_id and stored.at = found.at and counts
      returning stored.stream_id, stored.at, differs
    ), notes as (
      update sample_notes set stream_id = found.stream_id from found
       where sample_notes.stream_id = other_id and sample_notes.at = found.at and counts
    ), records as (
      delete from sample_records using found where sample_records.stream_id = other_id and sample_records.at = found.at and counts
    ), counted as (
      update streams set version = ${NEXT_VERSION}, changed_at = now(),
             sent_count = sent_count + case when ${isTold(ctx)} then many else 0 end
        from (select stream_id, count(*) filter (where differs) as many from moved group by 1) as m where id = stream_id
      returning id, version
    )
    select stream_id, at, differs, version from moved join counted on id = stream_id
     union all
    select stream_id, at, differs, null from found where not counts`.execute(ctx.db);
  for (const { stream_id, at, differs, version } of answer.rows) {
    if (version === null) {
      taken.refused.add(keyOf({ stream_id, sample: { at } }));
      continue;
    }
    taken.differs.set(keyOf({ stream_id, sample: { at } }), differs);
    taken.versions.set(stream_id, version);
  }
  return taken;
}

type InPlace = { stream_id: number; place: number; addsUp: boolean };

/** Of the places in which these are, and others beside them, all streams, each with the number of its place. */
function placesOf(rows: Row[], streams: ReadonlyMap<number, Beside>): InPlace[] {
  const places = new Map<number, InPlace>();
  for (const { stream_id } of rows) {
    const { beside, addsUp } = streams.get(stream_id) as Beside;
    if (beside.length === 0 || places.has(stream_id)) continue;
    const place = sourceIdOf({ id: stream_id, beside: [...beside] });
    for (const id of [stream_id, ...beside]) places.set(id, { stream_id: id, place, addsUp });
  }
  return [...places.values()];
}
