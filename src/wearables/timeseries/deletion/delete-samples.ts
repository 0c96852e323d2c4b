// The one way by which samples go that their source has deleted, whoever says so; what an erasure of a person takes away is told to nobody.
import { sql } from 'kysely';
import { publishEvents, type Publication } from '../../../events/publish.ts';
import { askForRuns } from '../../ask-for-runs.ts';
import { askForZones } from '../../ask-for-zones.ts';
import type { Writer } from '../../one-writer.ts';
import { seriesOrNull, type Series } from '../../resources.ts';
import { renderSource } from '../../source.ts';
import { sampleEvent } from '../events.ts';
import { NEXT_VERSION, sourceIdOf, type Stream } from '../streams.ts';

/** Of a stream: from a moment up to another, which is not part of it. */
export type Doomed = { stream: Stream; from: string; to: string };

/** Both ends are moments of samples that are gone, and none of the series, provider and kind of device is left between them. */
type Interval = { start: string; end: string };

const MOST_INTERVALS = 1_000;

/**
 * Deletes the samples of these spans but those at the `kept` moments, at most `most`, and tells of them; how many. Where that is
 * `most`, there may be more of them.
 */
export async function deleteSamples(
  ctx: Writer,
  user: { id: string; client_user_id: string },
  doomed: Doomed[],
  { most, kept = [] }: { most: number; kept?: readonly string[] },
): Promise<number> {
  if (doomed.length === 0) return 0;
  const spans = [...groupBy(doomed, ({ stream }) => stream.id).values()].flatMap(merged);
  const { rows } = await sql<Row>`
    with doomed as (
      select n, s.stream_id, s.at
        from unnest(${spans.map(({ stream }) => stream.id)}::bigint[], ${spans.map(({ from }) => from)}::timestamptz[],
                    ${spans.map(({ to }) => to)}::timestamptz[]) with ordinality as span (stream_id, first, until, n)
       cross join lateral (
         select stream_id, at from ${sql.table('samples')} as samples
          where samples.stream_id = span.stream_id and at >= first and at < until
            and not exists (select from unnest(${kept}::timestamptz[]) as still (at) where still.at = samples.at)
          order by at limit ${most}
       ) as s limit ${most}
    ), notes as (
      delete from sample_notes using doomed where sample_notes.stream_id = doomed.stream_id and sample_notes.at = doomed.at
    ), records as (
      delete from sample_records using doomed where sample_records.stream_id = doomed.stream_id and sample_records.at = doomed.at
    ), gone as (
      delete from ${sql.table('samples')} as samples using doomed
       where samples.stream_id = doomed.stream_id and samples.at = doomed.at
      returning samples.stream_id, samples.at, doomed.n
    ), changed as (
      update streams set version = ${NEXT_VERSION} where id in (select stream_id from gone)
      returning id, version, array(${beside}) as beside
    )
    select stream_id, n::integer as span, at, version, beside from gone join changed on id = stream_id order by n, at`.execute(
    ctx.db,
  );
  const apart = await findApart(ctx, rows);
  const streams = new Map(doomed.map(({ stream }) => [stream.id, stream]));
  const gone = [...groupBy(rows, ({ stream_id }) => stream_id)].map(([id, those]) => ({
    stream: streams.get(id) as Stream,
    source_id: sourceIdOf({ id, beside: those[0]?.beside as number[] }),
    version: those[0]?.version as number,
    intervals: [...groupBy(those, ({ span }) => span).values()].flatMap((times) => intervalsOf(times, { kept, apart })),
  }));
  await tell(ctx, user, gone);
  await askForRuns(
    ctx,
    user,
    gone.map(({ stream }) => stream.resource),
  );
  const heartRates = rows.filter(({ stream_id }) => streams.get(stream_id)?.resource === 'heartrate');
  await askForZones(
    ctx,
    user,
    heartRates.map(({ at }) => at),
  );
  return rows.length;
}

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

type Row = { stream_id: number; span: number; at: string; version: number; beside: number[] };

/** The other streams of the place of a stream. */
const beside = sql`
  select other.id from streams other
   where other.user_id = streams.user_id and other.resource = streams.resource and other.provider = streams.provider
     and other.source_type = streams.source_type and other.kind = streams.kind and other.id <> streams.id`;

/** Those of samples in a row, the oldest first, before which another app or device of the place has one that is left. */
async function findApart({ db }: Writer, gone: readonly Row[]): Promise<ReadonlySet<Row>> {
  const pairs = gone.flatMap((row, n) => {
    const last = gone[n - 1];
    return last && last.span === row.span && row.beside.length > 0 ? [{ row, from: last.at }] : [];
  });
  if (pairs.length === 0) return new Set();
  const { rows } = await sql<{ n: number }>`
    select n::integer from unnest(
        ${pairs.map(({ row }) => row.stream_id)}::bigint[], ${pairs.map(({ from }) => from)}::timestamptz[],
        ${pairs.map(({ row }) => row.at)}::timestamptz[]) with ordinality as pair (stream_id, first, last, n)
     where exists (
       select from streams join lateral (${beside}) as other on true join lateral (
         select from ${sql.table('samples')} as samples where stream_id = other.id and at > first and at < last limit 1) as left_there on true
        where streams.id = pair.stream_id)`.execute(db);
  return new Set(rows.map(({ n }) => pairs[n - 1]?.row as Row));
}

/** The moments of one span, the oldest first, without what was kept between them, or lies apart. */
function intervalsOf(times: Row[], { kept, apart }: { kept: readonly string[]; apart: ReadonlySet<Row> }): Interval[] {
  const intervals: Interval[] = [];
  const left = kept.toSorted();
  let next = 0;
  for (const row of times) {
    const { at } = row;
    const last = intervals.at(-1);
    while (next < left.length && (left[next] as string) < (last?.end ?? at)) next += 1;
    const isApart = apart.has(row) || (next < left.length && (left[next] as string) < at);
    if (!last || isApart) intervals.push({ start: at, end: at });
    else last.end = at;
  }
  return intervals;
}

type Gone = { stream: Stream; source_id: number; version: number; intervals: Interval[] };

/** Of a backfill as well, whatever the team has chosen: what is gone was told of once, or may have been read. */
async function tell(ctx: Writer, user: { id: string; client_user_id: string }, gone: Gone[]): Promise<void> {
  const publications: Publication[] = [];
  for (const { stream, source_id, version, intervals } of gone) {
    const type = sampleEvent(seriesOrNull(stream.resource) as Series, 'deleted');
    const source = renderSource(ctx.config, stream);
    for (let n = 0; type && n < intervals.length; n += MOST_INTERVALS) {
      const told = intervals.slice(n, n + MOST_INTERVALS);
      const data = { source, source_id, user_id: user.id, version, intervals: told };
      publications.push({ type, user, data, origin: ctx.origin });
    }
  }
  await publishEvents(ctx, publications as never);
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
