// Deletes samples with one statement. The statement returns intervals of deleted samples and not single moments: 20,000
// moments would take this process much time.
import { sql, type RawBuilder } from 'kysely';
import type { Writer } from '../../user-writer.ts';
import { NEXT_VERSION, type Stream } from '../streams.ts';

/** A span of a stream: from `from`, up to and without `to`. */
export type SpanToDelete = { stream: Stream; from: string; to: string };

/**
 * An interval of deleted samples, from the moment of the first sample to the moment of the last. Within it, no other
 * sample of the series, provider and source type is left.
 */
type Interval = { start: string; end: string };

/**
 * The limits of a deletion: at most `most` samples, and none at the `retained` moments. With `orNothing`, nothing is
 * deleted if there are more than `most`.
 */
export type Bounds = { most: number; retained?: readonly string[]; orNothing?: boolean };

/**
 * The deleted samples of a stream. `chunks` are intervals of at most an hour. `source_id` is the number that the events
 * of the stream have.
 */
export type DeletedOfStream = {
  stream: Stream;
  source_id: number;
  version: number;
  chunks: Interval[];
  intervals: Interval[];
};

/**
 * A published interval must not contain samples that stay stored. To find these samples, one deletion searches at most
 * MAX_SEARCHED pairs of a stream and a span, and reads at most MAX_READ samples.
 */
const MAX_SEARCHED = 20_000;
const MAX_READ = 120_000;

/**
 * Deletes the samples of spans. `many` is how many were deleted. With `orNothing`, a number above `most` means that
 * none were deleted.
 */
export async function deleteSpans(
  ctx: Writer,
  user: { id: string },
  doomed: SpanToDelete[],
  bounds: Bounds,
): Promise<{ many: number; gone: DeletedOfStream[] }> {
  const spans = [...groupBy(doomed, ({ stream }) => stream.id).values()].flatMap(merged);
  const sources = await findSources(ctx, user, spans);
  const { rows } = await statementOf(spans, sources, bounds).execute(ctx.db);
  const { chunks, versions, many } = responseOf(rows);
  const streams = new Map(doomed.map(({ stream }) => [stream.id, stream]));
  const gone = [...groupBy(chunks, ({ stream_id }) => stream_id)].map(([id, those]) => ({
    stream: streams.get(id) as Stream,
    source_id: sources.get(id)?.source_id as number,
    version: versions.get(id) as number,
    chunks: those,
    intervals: intervalsOf(those),
  }));
  return { many, gone };
}

function statementOf(
  spans: SpanToDelete[],
  sources: SourceByStream,
  { most, retained = [], orNothing = false }: Bounds,
) {
  const times = sql`${retained.toSorted()}::timestamptz[]`;
  const isGone = sql`(select many from many) <= ${most}`;
  return sql<Row>`
    with doomed as materialized (
      select n, source_id, s.stream_id, s.at
        from unnest(${spans.map(({ stream }) => stream.id)}::bigint[],
                    ${spans.map(({ stream }) => sources.get(stream.id)?.source_id)}::bigint[],
                    ${spans.map(({ from }) => from)}::timestamptz[], ${spans.map(({ to }) => to)}::timestamptz[])
               with ordinality as span (stream_id, source_id, first, until, n)
       cross join lateral (
         select stream_id, at from ${sql.table('samples')} as samples
          where samples.stream_id = span.stream_id and at >= first and at < until
            and not exists (select from unnest(${times}) as still (at) where still.at = samples.at)
          order by at limit ${most + 1}
       ) as s limit ${orNothing ? most + 1 : most}
    ), many as materialized (
      select count(*)::integer as many from doomed
    ), notes as (
      delete from sample_notes using doomed
       where sample_notes.stream_id = doomed.stream_id and sample_notes.at = doomed.at and ${isGone}
    ), records as (
      delete from sample_records using doomed
       where sample_records.stream_id = doomed.stream_id and sample_records.at = doomed.at and ${isGone}
    ), gone as (
      delete from ${sql.table('samples')} as samples using doomed
       where samples.stream_id = doomed.stream_id and samples.at = doomed.at and ${isGone}
      returning samples.stream_id, samples.at, doomed.n, doomed.source_id
    ), changed as (
      update streams set version = ${NEXT_VERSION} where id in (select stream_id from gone)
      returning id, version
    ), ${leftIn(sources)}, ${partsBetween(times)}
    select n::integer as span, stream_id, part::integer, min(at) as start, max(at) as "end",
           null as version, count(*)::integer as many
      from numbered group by n, stream_id, part, date_trunc('hour', at)
     union all
    select null, id, null, null, null, version, null from changed
     union all
    select null, null, null, null, null, null, many from many
     order by span, start`;
}

/**
 * Returns common table expressions with the samples of each `source_id` that are left. They matter only between the
 * first and the last deleted sample of a span.
 */
function leftIn(sources: SourceByStream): RawBuilder<unknown> {
  const shared = [...sources].flatMap(([id, { source_id, isAlone }]) => (isAlone ? [] : [{ id, source_id }]));
  return sql`reach as (
      select source_id, range_agg(tstzrange(first, last)) as ranges
        from (select source_id, min(at) as first, max(at) as last
                from gone group by source_id, stream_id, n having count(*) > 1) as ends
       group by 1
    ), looked_through as materialized (
      select source_id, other.id as stream_id, lower(range) as first, upper(range) as last
        from reach
        join unnest(${shared.map(({ id }) => id)}::bigint[],
                    ${shared.map(({ source_id }) => source_id)}::bigint[]) as other (id, source_id)
       using (source_id) cross join unnest(ranges) as range limit ${MAX_SEARCHED + 1}
    ), looked_at as materialized (
      select source_id, stream_id, s.at from looked_through cross join lateral (
        select at from ${sql.table('samples')} as samples
         where samples.stream_id = looked_through.stream_id and at > first and at < last
         order by at limit ${MAX_READ + 1}
      ) as s limit ${MAX_READ + 1}
    )`;
}

/**
 * Common table expressions that number the deleted samples of each span by interval. They go once through all samples
 * of a `source_id`, deleted or left, in the order of time. If there are too many to read, each deleted sample becomes
 * an interval of its own.
 */
const partsBetween = (times: RawBuilder<unknown>): RawBuilder<unknown> => sql`merged as (
      select n, stream_id, at,
             count(*) filter (where n is null) over (partition by source_id order by at)
               + width_bucket(at, ${times}) as before
        from (select source_id, stream_id, at, max(n) as n
                from (select source_id, stream_id, at, n from gone
                       union all select source_id, stream_id, at, null from looked_at) as each
               group by 1, 2, 3) as each
    ), parted as (
      select n, stream_id, at, before is distinct from lag(before) over of_span
             or (select count(*) from looked_at) > ${MAX_READ}
             or (select count(*) from looked_through) > ${MAX_SEARCHED} as begins
        from merged where n is not null
      window of_span as (partition by n order by at)
    ), numbered as (
      select n, stream_id, at, count(*) filter (where begins) over (partition by n order by at) as part from parted
    )`;

/** Joins spans of one stream that touch or overlap. Otherwise a sample in both would be found twice. */
function merged(spans: SpanToDelete[]): SpanToDelete[] {
  const all: SpanToDelete[] = [];
  for (const span of spans.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = all.at(-1);
    if (!last || span.from > last.to) all.push({ ...span });
    else if (span.to > last.to) last.to = span.to;
  }
  return all;
}

/**
 * For each stream, the `source_id` that its events have, and whether no other stream has this `source_id` (`isAlone`).
 */
type SourceByStream = Map<number, { source_id: number; isAlone: boolean }>;

/** Returns all streams that have the same `source_id` as one of these spans. */
async function findSources({ db, team }: Writer, user: { id: string }, spans: SpanToDelete[]): Promise<SourceByStream> {
  const { rows } = await sql<{ id: number; source_id: number; many: number }>`
    select id, source_id, many from (
      select id, min(id) over of_source as source_id, count(*) over of_source ::integer as many
        from streams where user_id = ${user.id} and team_id = ${team.id}
      window of_source as (partition by resource, provider, source_type, kind)) as s`.execute(db);
  const all = new Map(rows.map(({ id, source_id, many }) => [id, { source_id, isAlone: many === 1 }]));
  const reached = new Set(spans.map(({ stream }) => all.get(stream.id)?.source_id));
  return new Map([...all].filter(([, { source_id }]) => reached.has(source_id)));
}

/**
 * A row that the statement returns. There are three kinds: the deleted samples of one hour of an interval of a span;
 * the new version of a stream; and the number of deleted samples.
 */
type Row = {
  span: number | null;
  stream_id: number | null;
  part: number | null;
  start: string | null;
  end: string | null;
  version: number | null;
  many: number | null;
};
type Chunk = Interval & { span: number; stream_id: number; part: number };

function responseOf(rows: Row[]): { chunks: Chunk[]; versions: Map<number, number>; many: number } {
  const versions = new Map<number, number>();
  const chunks: Chunk[] = [];
  let total = 0;
  for (const { span, stream_id, part, start, end, version, many } of rows) {
    if (stream_id === null) total = many as number;
    else if (version !== null) versions.set(stream_id, version);
    else chunks.push({ span, stream_id, part, start, end } as Chunk);
  }
  return { chunks, versions, many: total };
}

/** Returns the intervals of one stream, span by span, the oldest first. */
function intervalsOf(chunks: Chunk[]): Interval[] {
  const intervals: Interval[] = [];
  let last: Chunk | null = null;
  for (const chunk of chunks) {
    const interval = intervals.at(-1);
    if (interval && last?.span === chunk.span && last.part === chunk.part) interval.end = chunk.end;
    else intervals.push({ start: chunk.start, end: chunk.end });
    last = chunk;
  }
  return intervals;
}

function groupBy<T, K>(all: T[], keyOf: (each: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const each of all) {
    const group = groups.get(keyOf(each));
    if (group) group.push(each);
    else groups.set(keyOf(each), [each]);
  }
  return groups;
}
