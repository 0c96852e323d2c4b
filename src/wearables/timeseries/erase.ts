import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';
import { becomeWriter } from '../one-writer.ts';
import type { ExportedRow, Exports } from '../../privacy/export-rows.ts';
import { seriesOrNull } from '../resources.ts';
import { deleteSamples } from './deletion/delete-samples.ts';
import { FOREVER, readSamples } from './read-samples.ts';
import { renderSample } from './sample.ts';
import type { Stream } from './streams.ts';

export const EXPORTS: Exports = {
  ofUser: [{ type: 'sample', tables: ['streams', 'samples', 'sample_notes'], lines: samplesOfUser }],
};

const AT_ONCE = 1_000;

/** As they are answered, with where they came from; stream by stream along the key. */
async function* samplesOfUser(ctx: TeamCtx, user: { id: string }): AsyncIterable<ExportedRow> {
  const { rows: streams } = await sql<Stream>`
    select id, resource, provider, source_type, kind, app_id, device_id from streams
     where user_id = ${user.id} and team_id = ${ctx.team.id} order by id`.execute(ctx.db);
  for (const stream of streams) {
    const { resource, provider, source_type, app_id, device_id } = stream;
    const series = seriesOrNull(resource);
    if (!series) throw new Error(`There is no series named ${resource}.`);
    let last: string | null = null;
    for (;;) {
      // A page begins with the sample that ended the one before.
      const samples = await readSamples(ctx, series, stream, {
        from: last ?? '-infinity',
        to: FOREVER,
        limit: AT_ONCE,
      });
      for (const sample of samples) {
        if (sample.at === last) continue;
        yield { resource, provider, source_type, app_id, device_id, ...renderSample(series, stream, sample) };
      }
      if (samples.length < AT_ONCE) break;
      last = samples.at(-1)?.at as string;
    }
  }
}

/** Samples that one step erases. */
const SAMPLES = 20_000;

/**
 * Some of the user's samples; whether there may be more. A user can have millions: a step's work is bounded, and rows go
 * by the key of their stream. The statement's text is not constant, so that it keeps no plan from when the table was empty.
 */
export async function eraseSomeSamples(ctx: TxCtx<TeamCtx>, user: { id: string }): Promise<boolean> {
  await becomeWriter(ctx, user.id);
  const { rows: streams } = await sql<{ id: number }>`
    select id from streams where user_id = ${user.id} and team_id = ${ctx.team.id} order by id`.execute(ctx.db);
  return eraseSomeOf(ctx, streams);
}

/** The same of one provider's, and in the end its streams. Its user is told of, since the team may have it still. */
export async function eraseSomeOfProvider(
  ctx: TxCtx<TeamCtx>,
  user: { id: string; client_user_id: string },
  provider: string,
): Promise<boolean> {
  await becomeWriter(ctx, user.id);
  const { rows: streams } = await sql<Stream>`
    select id, resource, provider, source_type, kind, app_id, device_id from streams
     where user_id = ${user.id} and team_id = ${ctx.team.id} and provider = ${provider} order by id`.execute(ctx.db);
  const all = streams.map((stream) => ({ stream, from: '-infinity', to: FOREVER }));
  if ((await deleteSamples({ ...ctx, origin: 'live' }, user, all, { most: SAMPLES })) === SAMPLES) return true;
  await sql`
    delete from streams
     where user_id = ${user.id} and team_id = ${ctx.team.id} and id = any (${streams.map(({ id }) => id)}::bigint[])`.execute(
    ctx.db,
  );
  return false;
}

async function eraseSomeOf({ db }: TxCtx<TeamCtx>, streams: { id: number }[]): Promise<boolean> {
  let room = SAMPLES;
  for (const { id } of streams) {
    const { rows } = await sql<{ last: string | null; many: number }>`
      select max(at) as last, count(*)::float8 as many
        from (select at from samples where stream_id = ${id} order by at limit ${room}) as first`.execute(db);
    const { last, many } = rows[0] as { last: string | null; many: number };
    if (last === null) continue;
    for (const beside of ['sample_notes', 'sample_records'])
      await sql`delete from ${sql.table(beside)} where stream_id = ${id} and at <= ${last}`.execute(db);
    await sql`delete from ${sql.table('samples')} where stream_id = ${id} and at <= ${last}`.execute(db);
    room -= many;
    if (room <= 0) return true;
  }
  return false;
}

/** What is left of a user's samples, where eraseSomeSamples went before. */
export async function eraseUser(ctx: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  while (await eraseSomeSamples(ctx, user));
  await ctx.db.deleteFrom('streams').where('user_id', '=', user.id).where('team_id', '=', ctx.team.id).execute();
}

const MONTHS_AHEAD = 2;
/** Streams of which one statement deletes what has expired: of a day each, where it happens every day. */
const STREAMS = 100;
/** Of the day (UTC) in which it is done: looking at every stream takes its time. */
const QUIET_HOUR = 3;

/**
 * Makes the months that come next (UTC), and drops those that samples are kept no longer of. What has expired in partitions
 * that stay goes once a day, in `hour` by the database's clock.
 */
export async function dropExpired(ctx: Ctx, hour = QUIET_HOUR): Promise<void> {
  await sql`
    select ensure_sample_partitions(current_date, (current_date + make_interval(months => ${MONTHS_AHEAD}))::date)`.execute(
    ctx.db,
  );
  const { sampleRetentionMonths: months } = ctx.config;
  if (months === null) return;
  const { rows } = await sql<{ first_kept: string; due: boolean }>`
    with days as (select (current_date - make_interval(months => ${months}))::date as first_kept)
    select first_kept::text, extract(hour from now() at time zone 'UTC') = ${hour} as due
      from days where drop_samples_before(first_kept) is not null`.execute(ctx.db);
  const [{ first_kept, due }] = rows as [{ first_kept: string; due: boolean }];
  if (due) await deleteBefore(ctx, first_kept);
}

/** Deletes every stream's samples of the days before `firstKept`, and their texts, some streams at a time along the key. */
export async function deleteBefore({ db, stopping }: Ctx, firstKept: string): Promise<void> {
  for (let after = 0; !stopping?.aborted;) {
    const { rows } = await sql<{ id: number }>`
      select id from streams where id > ${after} order by id limit ${STREAMS}`.execute(db);
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return;
    await sql`
      with gone as (
        delete from ${sql.table('sample_notes')} where stream_id = any (${ids}::bigint[]) and at < ${firstKept}::date
      ), records as (
        delete from ${sql.table('sample_records')} where stream_id = any (${ids}::bigint[]) and at < ${firstKept}::date
      )
      delete from ${sql.table('samples')} where stream_id = any (${ids}::bigint[]) and at < ${firstKept}::date`.execute(
      db,
    );
    after = ids.at(-1) as number;
  }
}
