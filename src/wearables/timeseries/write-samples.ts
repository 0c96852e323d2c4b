import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { float8Array, int4Array, int8Array, jsonbArray, timestamptzArray } from '../../db/session/binary-array.ts';
import { isTold } from '../is-told.ts';
import type { Writer } from '../one-writer.ts';
import type { Series } from '../resources.ts';
import type { Sample } from './sample.ts';
import { NEXT_VERSION, type Stream } from './streams.ts';
import type { StreamChanges } from './tell-of-samples.ts';

/** Samples of one stream, once a time, the oldest first. */
export type Placed = { stream: Stream; series: Series; samples: Sample[] };

/** Written by one statement: a millisecond or two of this process. */
const AT_ONCE = 500;

type Row = { stream_id: number; sample: Sample; extra: string | null };

/** What a statement wrote: by stream and time, null: all of them; and the versions of the streams since. */
type Written = { keys: Set<string> | null; versions: Map<number, number> };

/** Writes what is new and what differs from what is there. What is equal is only read. */
export async function writeSamples(ctx: Writer, placed: Placed[]): Promise<StreamChanges[]> {
  const rows = placed.flatMap(({ stream, samples }) =>
    samples.map((sample): Row => ({ stream_id: stream.id, sample, extra: extraOf(ctx, sample) })),
  );
  const changes = new Map<number, StreamChanges>(
    placed.map(({ stream, series }) => [stream.id, { stream, series, version: 0, created: [], updated: [] }]),
  );
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    await ctx.giveWay?.();
    const piece = rows.slice(from, from + AT_ONCE);
    const made = await insertNew(ctx, piece);
    const there = piece.filter((row) => !has(made, row));
    const replaced = await replaceOther(ctx, there);
    for (const row of piece) {
      const change = changes.get(row.stream_id) as StreamChanges;
      if (has(made, row)) change.created.push(row.sample);
      else if (has(replaced, row)) change.updated.push(row.sample);
    }
    for (const [id, version] of [...made.versions, ...replaced.versions])
      (changes.get(id) as StreamChanges).version = version;
  }
  return [...changes.values()];
}

const keyOf = ({ stream_id, sample }: Row): string => `${stream_id} ${sample.at}`;
const has = ({ keys }: Written, row: Row): boolean => keys === null || keys.has(keyOf(row));

/** Writes those that are not there, and counts them as told of. */
async function insertNew(ctx: Writer, rows: Row[]): Promise<Written> {
  const { stream_ids, ats, values, durations, offsets, extras } = columnsOf(rows);
  const answer = await sql<WrittenRow>`
    with written as (
      insert into samples (stream_id, at, value, team_number, duration_ms, timezone_offset, extra)
      select s.stream_id, s.at, s.value, (select number from teams where id = ${ctx.team.id}), s.duration_ms, s.timezone_offset, s.extra
        from unnest(${stream_ids}::bigint[], ${ats}::timestamptz[], ${values}::float8[], ${durations}::integer[],
                    ${offsets}::integer[], ${extras}::jsonb[])
               as s (stream_id, at, value, duration_ms, timezone_offset, extra)
      on conflict (stream_id, at) do nothing
      returning stream_id, at
    ), ${counted(isTold(ctx))}
    ${whatWasWritten(rows.length)}`.execute(ctx.db);
  return writtenOf(answer.rows, rows.length);
}

/** Of those that are there, writes over what differs. */
async function replaceOther(ctx: Writer, rows: Row[]): Promise<Written> {
  if (rows.length === 0) return { keys: new Set(), versions: new Map() };
  const { stream_ids, ats, values, durations, offsets, extras } = columnsOf(rows);
  const answer = await sql<WrittenRow>`
    with written as (
      insert into samples as stored (stream_id, at, value, team_number, duration_ms, timezone_offset, extra)
      select s.stream_id, s.at, s.value, (select number from teams where id = ${ctx.team.id}), s.duration_ms, s.timezone_offset, s.extra
        from samples_that_differ(${stream_ids}::bigint[], ${ats}::timestamptz[], ${values}::float8[], ${durations}::integer[],
                                 ${offsets}::integer[], ${extras}::jsonb[]) as s
      on conflict (stream_id, at) do update
        set value = excluded.value, duration_ms = excluded.duration_ms, timezone_offset = excluded.timezone_offset,
            extra = excluded.extra, rev = stored.rev + 1
      returning stream_id, at
    ), ${counted(isTold(ctx))}
    ${whatWasWritten(rows.length)}`.execute(ctx.db);
  return writtenOf(answer.rows, rows.length);
}

/** What was written makes another version of its stream, and counts where it is told. */
const counted = (isTold: boolean) => sql`
    counted as (
      update streams set sent_count = sent_count + case when ${isTold} then many else 0 end, version = ${NEXT_VERSION},
             changed_at = now()
        from (select stream_id, count(*) as many from written group by 1) as w where id = stream_id
      returning id, version, many
    )`;

/** The version of each stream that was written to; and which samples were, where that is not all. */
const whatWasWritten = (of: number) => sql`
    select id as stream_id, null::timestamptz as at, version, many::integer from counted
    union all
    select stream_id, at, null, null from written where (select sum(many) from counted) < ${of}`;

/** `at` is null of a stream, and `version` and `many` of a sample. */
type WrittenRow = { stream_id: number; at: string | null; version: number | null; many: number | null };

function writtenOf(rows: WrittenRow[], of: number): Written {
  const versions = new Map<number, number>();
  const keys = new Set<string>();
  let all = 0;
  for (const { stream_id, at, version, many } of rows) {
    if (at !== null) keys.add(`${stream_id} ${at}`);
    else {
      versions.set(stream_id, version as number);
      all += many as number;
    }
  }
  return { keys: all === of ? null : keys, versions };
}

/** As unnest takes them. */
function columnsOf(rows: Row[]) {
  return {
    stream_ids: int8Array(rows.map(({ stream_id }) => stream_id)),
    ats: timestamptzArray(rows.map(({ sample }) => sample.at)),
    values: float8Array(rows.map(({ sample }) => sample.value)),
    durations: int4Array(rows.map(({ sample }) => sample.duration_ms)),
    offsets: int4Array(rows.map(({ sample }) => sample.timezone_offset)),
    extras: jsonbArray(rows.map(({ extra }) => extra)),
  };
}

/** As JSON; of a note with the hash that tells whether its text, which is sealed elsewhere, is another. */
function extraOf({ cipher, team }: TxCtx<TeamCtx>, { extra, text }: Sample): string | null {
  if (text === null) return extra && JSON.stringify(extra);
  return JSON.stringify({ ...extra, text_hash: cipher.lookupHash('note', team.id, text).toString('base64') });
}
