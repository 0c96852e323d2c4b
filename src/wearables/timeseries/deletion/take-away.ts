// Takes samples away by one statement, which answers what is gone as intervals: 20,000 moments would each cost this process its time.
import { sql, type RawBuilder } from 'kysely';
import type { Writer } from '../../one-writer.ts';
import { NEXT_VERSION, type Stream } from '../streams.ts';

/** Of a stream: from a moment up to another, which is not part of it. */
export type Doomed = { stream: Stream; from: string; to: string };

/** Both ends are moments of samples that are gone, and none of the series, provider and kind of device is left between them. */
type Interval = { start: string; end: string };

/** Which samples go: at most `most`, without the `kept` moments; with `orNothing` none where there are more. */
export type Bounds = { most: number; kept?: readonly string[]; orNothing?: boolean };

/** What is gone of a stream, in pieces of at most an hour; `source_id` is by what events tell of its place. */
export type GoneOf = { stream: Stream; source_id: number; version: number; pieces: Interval[]; intervals: Interval[] };

/** Apps, devices and spans of one deletion in which is looked for what is left, and samples that are looked at. */
const MOST_LOOKED_THROUGH = 20_000;
const MOST_LOOKED_AT = 120_000;

/** `many`: how many samples are gone; with `orNothing` more than `most` where none are. */
export async function takeAway(
  ctx: Writer,
  user: { id: string },
  doomed: Doomed[],
  bounds: Bounds,
): Promise<{ many: number; gone: GoneOf[] }> {
  const spans = [...groupBy(doomed, ({ stream }) => stream.id).values()].flatMap(merged);
  const places = await placesOf(ctx, user, spans);
  const { rows } = await statementOf(spans, places, bounds).execute(ctx.db);
  const { pieces, versions, many } = answerOf(rows);
  const streams = new Map(doomed.map(({ stream }) => [stream.id, stream]));
  const gone = [...groupBy(pieces, ({ stream_id }) => stream_id)].map(([id, those]) => ({
    stream: streams.get(id) as Stream,
    source_id: places.get(id)?.place as number,
    version: versions.get(id) as number,
    pieces: those,
    intervals: intervalsOf(those),
  }));
  return { many, gone };
}

function statementOf(spans: Doomed[], places: Places, { most, kept = [], orNothing = false }: Bounds) {
  const times = sql`${kept.toSorted()}::timestamptz[]`;
  const isGone = sql`(select many from many) <= ${most}`;
  return sql<Row>`
    with doomed as materialized (
      select n, place, s.stream_id, s.at
        from unnest(${spans.map(({ stream }) => stream.id)}::bigint[], ${spans.map(({ stream }) => places.get(stream.id)?.place)}::bigint[],
                    ${spans.map(({ from }) => from)}::timestamptz[], ${spans.map(({ to }) => to)}::timestamptz[])
               with ordinality as span (stream_id, place, first, until, n)
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
      returning samples.stream_id, samples.at, doomed.n, doomed.place
    ), changed as (
      update streams set version = ${NEXT_VERSION} where id in (select stream_id from gone)
      returning id, version
    ), ${leftIn(places)}, ${partsBetween(times)}
    select n::integer as span, stream_id, part::integer, min(at) as start, max(at) as "end", null as version, count(*)::integer as many
      from numbered group by n, stream_id, part, date_trunc('hour', at)
     union all
    select null, id, null, null, null, version, null from changed
     union all
    select null, null, null, null, null, null, many from many
     order by span, start`;
}

/** What is left of the places of which more than a sample of a span is gone, between the first and the last. */
function leftIn(places: Places): RawBuilder<unknown> {
  const shared = [...places].flatMap(([id, { place, isAlone }]) => (isAlone ? [] : [{ id, place }]));
  return sql`reach as (
      select place, range_agg(tstzrange(first, last)) as ranges
        from (select place, min(at) as first, max(at) as last from gone group by place, stream_id, n having count(*) > 1) as ends
       group by 1
    ), looked_through as materialized (
      select place, other.id as stream_id, lower(range) as first, upper(range) as last
        from reach join unnest(${shared.map(({ id }) => id)}::bigint[], ${shared.map(({ place }) => place)}::bigint[]) as other (id, place)
       using (place) cross join unnest(ranges) as range limit ${MOST_LOOKED_THROUGH + 1}
    ), looked_at as materialized (
      select place, stream_id, s.at from looked_through cross join lateral (
        select at from ${sql.table('samples')} as samples
         where samples.stream_id = looked_through.stream_id and at > first and at < last order by at limit ${MOST_LOOKED_AT + 1}
      ) as s limit ${MOST_LOOKED_AT + 1}
    )`;
}

/**
 * The samples that are gone, numbered by the intervals of their span: by one pass over all of a place in the order of time. Where too
 * much is left to look at, each is an interval of its own.
 */
const partsBetween = (times: RawBuilder<unknown>): RawBuilder<unknown> => sql`merged as (
      select n, stream_id, at, count(*) filter (where n is null) over (partition by place order by at) + width_bucket(at, ${times}) as before
        from (select place, stream_id, at, max(n) as n
                from (select place, stream_id, at, n from gone union all select place, stream_id, at, null from looked_at) as each
               group by 1, 2, 3) as each
    ), parted as (
      select n, stream_id, at, before is distinct from lag(before) over of_span
             or (select count(*) from looked_at) > ${MOST_LOOKED_AT} or (select count(*) from looked_through) > ${MOST_LOOKED_THROUGH} as begins
        from merged where n is not null
      window of_span as (partition by n order by at)
    ), numbered as (
      select n, stream_id, at, count(*) filter (where begins) over (partition by n order by at) as part from parted
    )`;

/** Spans of one stream that meet or overlap as one, so that no sample is found twice. */
function merged(spans: Doomed[]): Doomed[] {
  const all: Doomed[] = [];
  for (const span of spans.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = all.at(-1);
    if (!last || span.from > last.to) all.push({ ...span });
    else if (span.to > last.to) last.to = span.to;
  }
  return all;
}

/** By which number events tell of the place of a stream, and whether nothing else is in it. */
type Places = Map<number, { place: number; isAlone: boolean }>;

/** The places of these spans, by all streams that are in them. */
async function placesOf({ db, team }: Writer, user: { id: string }, spans: Doomed[]): Promise<Places> {
  const { rows } = await sql<{ id: number; place: number; many: number }>`
    select id, place, many from (
      select id, min(id) over of_place as place, count(*) over of_place ::integer as many
        from streams where user_id = ${user.id} and team_id = ${team.id}
      window of_place as (partition by resource, provider, source_type, kind)) as s`.execute(db);
  const all = new Map(rows.map(({ id, place, many }) => [id, { place, isAlone: many === 1 }]));
  const reached = new Set(spans.map(({ stream }) => all.get(stream.id)?.place));
  return new Map([...all].filter(([, { place }]) => reached.has(place)));
}

/** What is gone of one hour of a part, which is an interval of a span; the version of a stream; or how many samples there were. */
type Row = {
  span: number | null;
  stream_id: number | null;
  part: number | null;
  start: string | null;
  end: string | null;
  version: number | null;
  many: number | null;
};
type Piece = Interval & { span: number; stream_id: number; part: number };

function answerOf(rows: Row[]): { pieces: Piece[]; versions: Map<number, number>; many: number } {
  const versions = new Map<number, number>();
  const pieces: Piece[] = [];
  let total = 0;
  for (const { span, stream_id, part, start, end, version, many } of rows) {
    if (stream_id === null) total = many as number;
    else if (version !== null) versions.set(stream_id, version);
    else pieces.push({ span, stream_id, part, start, end } as Piece);
  }
  return { pieces, versions, many: total };
}

/** Of one stream, the oldest of a span first. */
function intervalsOf(pieces: Piece[]): Interval[] {
  const intervals: Interval[] = [];
  let last: Piece | null = null;
  for (const piece of pieces) {
    const interval = intervals.at(-1);
    if (interval && last?.span === piece.span && last.part === piece.part) interval.end = piece.end;
    else intervals.push({ start: piece.start, end: piece.end });
    last = piece;
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
