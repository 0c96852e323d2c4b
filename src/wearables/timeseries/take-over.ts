// For each time, Phial stores one sample of a series, provider and source type. If several apps or devices send a
// sample of the same time, the sample that arrives last is stored. In a series that adds up, the sample with the
// largest value is stored. Among equal values, the longest interval decides. Among equal intervals, the names of app
// and device decide. So a short sample of one app does not lower the sum of another app, and the order of arrival does
// not matter. See docs/decisions/samples-and-deletions.md.
import { sql } from 'kysely';
import { BY_HAND } from '../by-hand.ts';
import type { Writer } from '../user-writer.ts';
import { countSamples } from '../../totals/count-samples.ts';
import { willBePublished } from '../is-published.ts';
import { compareNames, type Source } from '../rank.ts';
import type { Sample } from './sample.ts';
import { columnsOf, keyOf, type Row } from './sample-rows.ts';
import { NEXT_VERSION, sourceIdOf } from './streams.ts';

/**
 * `differs` has the keys of samples that moved here from another stream, and whether the sent sample differs from the
 * stored one. `refused` has the keys of sent samples that are not stored, because another stream has a better one.
 * `versions` has the new versions of streams.
 */
export type TakenOver = { differs: Map<string, boolean>; refused: Set<string>; versions: Map<number, number> };

/**
 * About one stream: `beside` are the other streams of its `source_id`. `addsUp` is whether the series adds up.
 * `outranked` are the times at which the stream sent a sample that is not stored, because another sample was better.
 */
export type Beside = { beside: readonly number[]; addsUp: boolean; outranked: readonly string[] };

/**
 * Compares two samples with the same start in a series that adds up. Returns a negative number if `a` is the one to
 * store.
 */
export const compareAddends = (a: Sample, b: Sample, sourceOfA: Source, sourceOfB: Source): number =>
  b.value - a.value || (b.duration_ms ?? 0) - (a.duration_ms ?? 0) || compareNames(sourceOfA, sourceOfB);

/**
 * SQL for the rank of a stream by app and device, as a number. Of two samples that are otherwise equal, the one with
 * the higher rank is stored.
 */
const RANK = sql`row_number() over (order by
  (app_id is not distinct from ${BY_HAND.app_id}) desc, (app_id is null) desc, app_id collate "C" desc,
  (device_id is null) desc, device_id desc)`;

/**
 * Moves stored samples from the other streams of a `source_id` into the stream that now sends samples of the same
 * times, and sets the sent values. Deletes the stored records of these samples, because the latest push says from which
 * record a sample is. `streams` has the other streams of each stream.
 */
export async function takeOver(ctx: Writer, rows: Row[], streams: ReadonlyMap<number, Beside>): Promise<TakenOver> {
  const sourceStreams = sourceStreamsOf(rows, streams);
  const taken: TakenOver = { differs: new Map(), refused: new Set(), versions: new Map() };
  if (sourceStreams.length === 0) return taken;
  const outranked = sourceStreams.flatMap(({ stream_id }) =>
    (streams.get(stream_id)?.outranked ?? []).map((at) => ({ stream_id, at })),
  );
  const addends = sourceStreams.flatMap(({ stream_id, addsUp }) => (addsUp ? [stream_id] : []));
  const { stream_ids, ats, values, durations, offsets, extras } = columnsOf(rows);
  const result = await sql<{ stream_id: number; at: string; differs: boolean; version: number | null }>`
    with sent as materialized (
      select * from unnest(${stream_ids}::bigint[], ${ats}::timestamptz[], ${values}::float8[], ${durations}::integer[],
                           ${offsets}::integer[], ${extras}::jsonb[])
                 as s (stream_id, at, value, duration_ms, timezone_offset, extra)
    ), ranks as materialized (
      select id as stream_id, ${RANK} as rank from streams where id = any (${addends}::bigint[])
    ), sources as materialized (
      select stream_id, source, adds_up, rank
        from unnest(${sourceStreams.map(({ stream_id }) => stream_id)}::bigint[],
                    ${sourceStreams.map(({ source_id }) => source_id)}::bigint[],
                    ${sourceStreams.map(({ addsUp }) => addsUp)}::boolean[]) as p (stream_id, source, adds_up)
        left join ranks using (stream_id)
    ), outranked as materialized (
      select * from unnest(${outranked.map(({ stream_id }) => stream_id)}::bigint[],
                           ${outranked.map(({ at }) => at)}::timestamptz[]) as o (stream_id, at)
    ), times as materialized (
      select source, array_agg(distinct at) as ats, min(at) as first, max(at) as last
        from sent join sources using (stream_id) group by 1
    ), stored as materialized (
      select source, rank, stored.* from times join sources using (source) cross join lateral (
        select stream_id, at, value, duration_ms, timezone_offset, extra from ${sql.table('samples')} as samples
         where samples.stream_id = sources.stream_id and at = any (ats) and at between first and last
         limit ${rows.length}
      ) as stored
    ), found as materialized (
      select distinct on (sent.stream_id, sent.at) sent.*, stored.stream_id as other_id,
             (stored.value, stored.duration_ms, stored.timezone_offset, stored.extra)
               is distinct from (sent.value, sent.duration_ms, sent.timezone_offset, sent.extra) as differs,
             not adds_up or (sent.value, coalesce(sent.duration_ms, 0), sources.rank)
                            > (stored.value, coalesce(stored.duration_ms, 0), stored.rank)
               -- The app or device of the stored sample has replaced it in this batch by a sample that we do not store.
               or (stored.stream_id, stored.at) in (select stream_id, at from outranked) as counts
        from sent join sources using (stream_id) join stored on stored.source = sources.source and stored.at = sent.at
       -- Two streams can only have a sample of the same time if somebody edited the database. Then both stay.
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
      delete from sample_records using found
       where sample_records.stream_id = other_id and sample_records.at = found.at and counts
    ), counted as (
      update streams set version = ${NEXT_VERSION}, changed_at = now(),
             sent_count = sent_count + case when ${willBePublished(ctx)} then many else 0 end
        from (select stream_id, count(*) filter (where differs) as many from moved group by 1) as m where id = stream_id
      returning id, version
    ), tallied as (
      ${countSamples(ctx.team.id, sql`select count(*) filter (where differs) from moved`)}
    )
    select stream_id, at, differs, version from moved join counted on id = stream_id
     union all
    select stream_id, at, differs, null from found where not counts`.execute(ctx.db);
  for (const { stream_id, at, differs, version } of result.rows) {
    if (version === null) {
      taken.refused.add(keyOf({ stream_id, sample: { at } }));
      continue;
    }
    taken.differs.set(keyOf({ stream_id, sample: { at } }), differs);
    taken.versions.set(stream_id, version);
  }
  return taken;
}

type SourceStream = { stream_id: number; source_id: number; addsUp: boolean };

/** Returns the streams of each `source_id` of these rows, if there is more than one. */
function sourceStreamsOf(rows: Row[], streams: ReadonlyMap<number, Beside>): SourceStream[] {
  const sourceStreams = new Map<number, SourceStream>();
  for (const { stream_id } of rows) {
    const { beside, addsUp } = streams.get(stream_id) as Beside;
    if (beside.length === 0 || sourceStreams.has(stream_id)) continue;
    const source_id = sourceIdOf({ id: stream_id, beside: [...beside] });
    for (const id of [stream_id, ...beside]) sourceStreams.set(id, { stream_id: id, source_id, addsUp });
  }
  return [...sourceStreams.values()];
}
