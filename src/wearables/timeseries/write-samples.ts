import { sql, type RawBuilder } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { countSamples } from '../../totals/count-samples.ts';
import { willBePublished } from '../is-published.ts';
import type { Writer } from '../user-writer.ts';
import type { Series } from '../series-type.ts';
import { columnsOf, keyOf, spansOf, type Row } from './sample-rows.ts';
import type { Sample } from './sample.ts';
import { NEXT_VERSION, type EnsuredStream } from './streams.ts';
import { takeOver, type TakenOver } from './take-over.ts';
import type { StreamChanges } from './publish-samples.ts';

/**
 * The samples of one stream, one for each time, the oldest first. `outranked` are the times at which the stream sent a
 * sample that is not stored, because another stream has a better one.
 */
export type StreamSamples = { stream: EnsuredStream; series: Series; samples: Sample[]; outranked: string[] };

/** How many samples one statement writes. They take one millisecond of this process and five of the database. */
const AT_ONCE = 1_000;
/** Up to this number of samples, one statement both creates and replaces. */
const FEW = 20;

/** The rows that a statement has created and replaced, and the new versions of their streams. */
type WrittenSamples = { created: Row[]; replaced: Row[]; versions: Map<number, number> };

/**
 * Writes new samples, and samples that differ from the stored ones. Reads equal samples, but does not write them.
 * `refused` has the keys of samples that are not stored, because another stream has a better sample.
 */
export async function writeSamples(
  ctx: Writer,
  streamSamples: StreamSamples[],
): Promise<{ changes: StreamChanges[]; refused: ReadonlySet<string> }> {
  const rows = streamSamples.flatMap(({ stream, samples }) =>
    samples.map((sample): Row => ({ stream_id: stream.id, sample, extra: extraOf(ctx, sample) })),
  );
  const changes = new Map<number, StreamChanges>(
    streamSamples.map(({ stream, series }) => [
      stream.id,
      { stream, series, version: 0, created: [], updated: [], moved: 0 },
    ]),
  );
  const streams = new Map(
    streamSamples.map(({ stream, series, outranked }) => [
      stream.id,
      { beside: stream.beside, addsUp: series.additive !== null, outranked },
    ]),
  );
  const refused = new Set<string>();
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    await ctx.giveWay?.();
    const all = rows.slice(from, from + AT_ONCE);
    const taken = await takeOver(ctx, all, streams);
    for (const [id, version] of taken.versions) (changes.get(id) as StreamChanges).version = version;
    for (const key of taken.refused) refused.add(key);
    for (const written of await writeRows(ctx, noteTaken(all, taken, changes))) {
      for (const row of written.created) (changes.get(row.stream_id) as StreamChanges).created.push(row.sample);
      for (const row of written.replaced) (changes.get(row.stream_id) as StreamChanges).updated.push(row.sample);
      for (const [id, version] of written.versions) (changes.get(id) as StreamChanges).version = version;
    }
  }
  return { changes: [...changes.values()], refused };
}

/**
 * Records in `changes` which of these rows moved here from another stream. Returns the rows that are still to be
 * written.
 */
function noteTaken(rows: Row[], { differs, refused }: TakenOver, changes: Map<number, StreamChanges>): Row[] {
  if (differs.size + refused.size === 0) return rows;
  return rows.filter((row) => {
    const key = keyOf(row);
    const isOther = differs.get(key);
    if (isOther === undefined) return !refused.has(key);
    const change = changes.get(row.stream_id) as StreamChanges;
    if (isOther) change.updated.push(row.sample);
    else change.moved += 1;
    return false;
  });
}

/**
 * Writes rows. Few samples need one statement, which creates and replaces. Of many samples, most are new. So a first
 * statement creates the new ones, and a second one compares only the others.
 */
async function writeRows(ctx: Writer, rows: Row[]): Promise<WrittenSamples[]> {
  if (rows.length === 0) return [];
  if (rows.length <= FEW) return [await write(ctx, rows, { create: true, replace: true })];
  const written = await write(ctx, rows, { create: true, replace: false });
  if (written.created.length === rows.length) return [written];
  const created = new Set(written.created);
  const there = rows.filter((row) => !created.has(row));
  return [written, await write(ctx, there, { create: false, replace: true })];
}

/**
 * Creates new samples, replaces samples that differ, or both. If events about them will be published, adds their number
 * to `sent_count`. In the same round trip, adds to the count of the team's samples.
 */
async function write(
  ctx: Writer,
  rows: Row[],
  { create, replace }: { create: boolean; replace: boolean },
): Promise<WrittenSamples> {
  const columns = columnsOf(rows);
  const team = sql`(select number from teams where id = ${ctx.team.id})`;
  const result = await sql<WrittenRow>`
    with created as (${create ? (replace ? insertNew(columns, team) : createMany(rows, columns, team)) : NOTHING}),
         replaced as (${replace ? replaceOther(columns, team) : NOTHING}),
         counted as (
      update streams set sent_count = sent_count + case when ${willBePublished(ctx)} then created + replaced else 0 end,
             version = ${NEXT_VERSION}, changed_at = now()
        from (select stream_id, sum(created)::integer as created, sum(replaced)::integer as replaced
                from (select stream_id, created, 0 as replaced from created
                      union all select stream_id, 0, 1 from replaced) as w group by 1) as w
       where id = stream_id
      returning id, version, created, replaced),
         tallied as (${countSamples(ctx.team.id, sql`select sum(created + replaced) from counted`)})
    select id as stream_id, null::timestamptz as at, version, created, replaced from counted
    union all
    select stream_id, at, null, 1, 0 from created
     where at is not null and (select sum(created) from counted) < ${rows.length}
    union all
    select stream_id, at, null, 0, 1 from replaced where (select sum(replaced) from counted) < ${rows.length}`.execute(
    ctx.db,
  );
  return writtenOf(result.rows, rows);
}

const NOTHING = sql`select null::bigint as stream_id, null::timestamptz as at, 0 as created where false`;

const insertNew = ({ stream_ids, ats, values, durations, offsets, extras }: Columns, team: RawBuilder<unknown>) => sql`
    insert into samples (stream_id, at, value, team_number, duration_ms, timezone_offset, extra)
    select s.stream_id, s.at, s.value, ${team}, s.duration_ms, s.timezone_offset, s.extra
      from unnest(${stream_ids}::bigint[], ${ats}::timestamptz[], ${values}::float8[], ${durations}::integer[],
                  ${offsets}::integer[], ${extras}::jsonb[])
             as s (stream_id, at, value, duration_ms, timezone_offset, extra)
    on conflict (stream_id, at) do nothing
    returning stream_id, at, 1 as created`;

/**
 * Returns SQL that creates many samples, most of which are new. If a stream has no stored sample between the first and
 * the last time of the batch, the statement does not search for each single sample.
 */
function createMany(rows: Row[], columns: Columns, team: RawBuilder<unknown>) {
  const { stream_ids, ats, values, durations, offsets, extras } = columns;
  const spans = spansOf(rows);
  return sql`
    select stream_id, at, created from create_samples(
      ${spans.map(({ id }) => id)}::bigint[], ${spans.map(({ first }) => first)}::timestamptz[],
      ${spans.map(({ last }) => last)}::timestamptz[], ${spans.map(({ many }) => many)}::integer[],
      ${stream_ids}::bigint[], ${ats}::timestamptz[], ${values}::float8[], ${durations}::integer[],
      ${offsets}::integer[], ${extras}::jsonb[], ${team})`;
}

const replaceOther = (
  { stream_ids, ats, values, durations, offsets, extras }: Columns,
  team: RawBuilder<unknown>,
) => sql`
    insert into samples as stored (stream_id, at, value, team_number, duration_ms, timezone_offset, extra)
    select s.stream_id, s.at, s.value, ${team}, s.duration_ms, s.timezone_offset, s.extra
      from samples_that_differ(${stream_ids}::bigint[], ${ats}::timestamptz[], ${values}::float8[],
                               ${durations}::integer[], ${offsets}::integer[], ${extras}::jsonb[]) as s
    on conflict (stream_id, at) do update
      set value = excluded.value, duration_ms = excluded.duration_ms, timezone_offset = excluded.timezone_offset,
          extra = excluded.extra, rev = stored.rev + 1
    returning stream_id, at`;

/**
 * A row that the statement returns. The row of a stream has the numbers of written samples, and null in `at`. The row
 * of a sample has null in `version`.
 */
type WrittenRow = { stream_id: number; at: string | null; version: number | null; created: number; replaced: number };

/**
 * Returns the created and the replaced rows. If all rows were created, or all replaced, the statement returns no single
 * rows.
 */
function writtenOf(result: WrittenRow[], rows: Row[]): WrittenSamples {
  const streams = result.filter(({ at }) => at === null);
  const written = (change: 'created' | 'replaced'): Row[] => {
    const many = streams.reduce((sum, stream) => sum + stream[change], 0);
    if (many === 0 || many === rows.length) return many === 0 ? [] : rows;
    const keys = new Set(
      result.flatMap((row) =>
        row.at !== null && row[change] === 1 ? keyOf({ stream_id: row.stream_id, sample: { at: row.at } }) : [],
      ),
    );
    return rows.filter((row) => keys.has(keyOf(row)));
  };
  return {
    created: written('created'),
    replaced: written('replaced'),
    versions: new Map(streams.map(({ stream_id, version }) => [stream_id, version as number])),
  };
}

type Columns = ReturnType<typeof columnsOf>;

/**
 * Returns the JSON of `extra`. For a note it has a hash of the text, so that a changed text makes the sample differ.
 * The encrypted text is in another table.
 */
function extraOf({ cipher, team }: TxCtx<TeamCtx>, { extra, text }: Sample): string | null {
  if (text === null) return extra && JSON.stringify(extra);
  return JSON.stringify({ ...extra, text_hash: cipher.lookupHash('note', team.id, text).toString('base64') });
}
