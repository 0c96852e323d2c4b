import { sql, type RawBuilder } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { isTold } from '../is-told.ts';
import type { Writer } from '../one-writer.ts';
import type { Series } from '../resources.ts';
import { columnsOf, keyOf, spansOf, type Row } from './sample-rows.ts';
import type { Sample } from './sample.ts';
import { NEXT_VERSION, type EnsuredStream } from './streams.ts';
import { takeOver, type TakenOver } from './take-over.ts';
import type { StreamChanges } from './tell-of-samples.ts';

/** Samples of one stream, once a time, the oldest first; and times of which it sent one that does not count beside another stream's. */
export type Placed = { stream: EnsuredStream; series: Series; samples: Sample[]; outdone: string[] };

/** Written by one statement: a millisecond of this process, and five of the database. */
const AT_ONCE = 1_000;
/** So many are created and replaced by one statement. */
const FEW = 20;

/** What a statement wrote, and the versions of the streams since. */
type Written = { created: Row[]; replaced: Row[]; versions: Map<number, number> };

/** Writes what is new and what differs from what is there. What is equal is only read. `refused` are those that do not count. */
export async function writeSamples(
  ctx: Writer,
  placed: Placed[],
): Promise<{ changes: StreamChanges[]; refused: ReadonlySet<string> }> {
  const rows = placed.flatMap(({ stream, samples }) =>
    samples.map((sample): Row => ({ stream_id: stream.id, sample, extra: extraOf(ctx, sample) })),
  );
  const changes = new Map<number, StreamChanges>(
    placed.map(({ stream, series }) => [stream.id, { stream, series, version: 0, created: [], updated: [], moved: 0 }]),
  );
  const streams = new Map(
    placed.map(({ stream, series, outdone }) => [
      stream.id,
      { beside: stream.beside, addsUp: series.additive !== null, outdone },
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

/** Notes which of these rows were taken over, and gives those that are to be written: not those that do not count. */
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

/** Few are created and replaced by one statement. Of many, which are new mostly, only those that are there are compared (record 166). */
async function writeRows(ctx: Writer, rows: Row[]): Promise<Written[]> {
  if (rows.length === 0) return [];
  if (rows.length <= FEW) return [await write(ctx, rows, { create: true, replace: true })];
  const written = await write(ctx, rows, { create: true, replace: false });
  if (written.created.length === rows.length) return [written];
  const created = new Set(written.created);
  const there = rows.filter((row) => !created.has(row));
  return [written, await write(ctx, there, { create: false, replace: true })];
}

/** Writes those that are not there, those that differ from what is there, or both; and counts them where they are published. */
async function write(
  ctx: Writer,
  rows: Row[],
  { create, replace }: { create: boolean; replace: boolean },
): Promise<Written> {
  const columns = columnsOf(rows);
  const team = sql`(select number from teams where id = ${ctx.team.id})`;
  const answer = await sql<WrittenRow>`
    with created as (${create ? (replace ? insertNew(columns, team) : createMany(rows, columns, team)) : NOTHING}),
         replaced as (${replace ? replaceOther(columns, team) : NOTHING}),
         counted as (
      update streams set sent_count = sent_count + case when ${isTold(ctx)} then created + replaced else 0 end,
             version = ${NEXT_VERSION}, changed_at = now()
        from (select stream_id, sum(created)::integer as created, sum(replaced)::integer as replaced
                from (select stream_id, created, 0 as replaced from created
                      union all select stream_id, 0, 1 from replaced) as w group by 1) as w
       where id = stream_id
      returning id, version, created, replaced)
    select id as stream_id, null::timestamptz as at, version, created, replaced from counted
    union all
    select stream_id, at, null, 1, 0 from created where at is not null and (select sum(created) from counted) < ${rows.length}
    union all
    select stream_id, at, null, 0, 1 from replaced where (select sum(replaced) from counted) < ${rows.length}`.execute(
    ctx.db,
  );
  return writtenOf(answer.rows, rows);
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

/** Of many that are mostly new: those of which nothing is there between the first and the last of their stream are not looked for. */
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
      from samples_that_differ(${stream_ids}::bigint[], ${ats}::timestamptz[], ${values}::float8[], ${durations}::integer[],
                               ${offsets}::integer[], ${extras}::jsonb[]) as s
    on conflict (stream_id, at) do update
      set value = excluded.value, duration_ms = excluded.duration_ms, timezone_offset = excluded.timezone_offset,
          extra = excluded.extra, rev = stored.rev + 1
    returning stream_id, at`;

/** Of a stream, with how many of its samples were written: `at` is null. Of a sample: `version` is null. */
type WrittenRow = { stream_id: number; at: string | null; version: number | null; created: number; replaced: number };

/** Which samples were created, or replaced, is told one by one only where it is not all of them. */
function writtenOf(answer: WrittenRow[], rows: Row[]): Written {
  const streams = answer.filter(({ at }) => at === null);
  const written = (change: 'created' | 'replaced'): Row[] => {
    const many = streams.reduce((sum, stream) => sum + stream[change], 0);
    if (many === 0 || many === rows.length) return many === 0 ? [] : rows;
    const keys = new Set(
      answer.flatMap((row) =>
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

/** As JSON; of a note with the hash that tells whether its text, which is sealed elsewhere, is another. */
function extraOf({ cipher, team }: TxCtx<TeamCtx>, { extra, text }: Sample): string | null {
  if (text === null) return extra && JSON.stringify(extra);
  return JSON.stringify({ ...extra, text_hash: cipher.lookupHash('note', team.id, text).toString('base64') });
}
