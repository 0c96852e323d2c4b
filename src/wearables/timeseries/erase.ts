import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';
import { becomeWriter } from '../user-writer.ts';
import type { ExportedRow, Exports } from '../../privacy/export-rows.ts';
import { seriesOrNull } from '../series.ts';
import { deleteSamples } from './deletion/delete-samples.ts';
import { makePartitions } from './partitions.ts';
import { FOREVER, readSamples } from './read-samples.ts';
import { renderSample } from './sample.ts';
import type { Stream } from './streams.ts';

export const EXPORTS: Exports = {
  ofUser: [{ type: 'sample', tables: ['streams', 'samples', 'sample_notes'], lines: samplesOfUser }],
};

const AT_ONCE = 1_000;

/**
 * Yields the user's samples with their source, as responses have them. Reads them stream by stream, in the order of the
 * primary key.
 */
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
      // Each page begins with the last sample of the page before. The loop skips this sample.
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

/** The number of samples that one step erases. */
const SAMPLES = 20_000;

/**
 * Erases some of the user's samples, and returns whether there may be more. A user can have millions of samples. So
 * each step has a limit, and finds rows by their stream. The text of the statement differs each time. With one text,
 * PostgreSQL could reuse a plan from the time when the table was empty, and such a plan is slow on a full table.
 */
export async function eraseSomeSamples(ctx: TxCtx<TeamCtx>, user: { id: string }): Promise<boolean> {
  await becomeWriter(ctx, user.id);
  const { rows: streams } = await sql<{ id: number }>`
    select id from streams where user_id = ${user.id} and team_id = ${ctx.team.id} order by id`.execute(ctx.db);
  return eraseSomeOf(ctx, streams);
}

/**
 * Erases some of the user's samples of one provider, and at the end the provider's streams. Publishes the deletions,
 * because the team may have copies of the samples.
 */
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
  const ids = streams.map(({ id }) => id);
  await sql`
    delete from streams
     where user_id = ${user.id} and team_id = ${ctx.team.id} and id = any (${ids}::bigint[])`.execute(ctx.db);
  return false;
}

async function eraseSomeOf({ db }: TxCtx<TeamCtx>, streams: { id: number }[]): Promise<boolean> {
  let remaining = SAMPLES;
  for (const { id } of streams) {
    const { rows } = await sql<{ last: string | null; many: number }>`
      select max(at) as last, count(*)::float8 as many
        from (select at from samples where stream_id = ${id} order by at limit ${remaining}) as first`.execute(db);
    const { last, many } = rows[0] as { last: string | null; many: number };
    if (last === null) continue;
    for (const beside of ['sample_notes', 'sample_records'])
      await sql`delete from ${sql.table(beside)} where stream_id = ${id} and at <= ${last}`.execute(db);
    await sql`delete from ${sql.table('samples')} where stream_id = ${id} and at <= ${last}`.execute(db);
    remaining -= many;
    if (remaining <= 0) return true;
  }
  return false;
}

/** Erases the last samples of a user, which eraseSomeSamples has left, and the streams. */
export async function eraseUser(ctx: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  while (await eraseSomeSamples(ctx, user));
  await ctx.db.deleteFrom('streams').where('user_id', '=', user.id).where('team_id', '=', ctx.team.id).execute();
}

/**
 * For how many streams one statement deletes expired samples. The deletion runs every day, so each stream usually has
 * expired samples of one day only.
 */
const STREAMS = 100;
/** The hour (UTC) of the deletion of expired samples row by row. It goes through every stream and takes long. */
const QUIET_HOUR = 3;

/**
 * Makes the partitions of the next months (UTC), and drops those in which all samples have expired. Once a day, in
 * `hour` of the database's clock, also deletes expired samples in the other partitions.
 */
export async function dropExpired(ctx: Ctx, hour = QUIET_HOUR): Promise<void> {
  await makePartitions(ctx);
  const { sampleRetentionMonths: months } = ctx.config;
  if (months === null) return;
  const { rows } = await sql<{ first_retained: string; due: boolean }>`
    with days as (select (current_date - make_interval(months => ${months}))::date as first_retained)
    select first_retained::text, extract(hour from now() at time zone 'UTC') = ${hour} as due
      from days where drop_samples_before(first_retained) is not null`.execute(ctx.db);
  const [{ first_retained, due }] = rows as [{ first_retained: string; due: boolean }];
  if (due) await deleteBefore(ctx, first_retained);
}

/**
 * Deletes all samples of the days before `firstRetained`, with their texts and records. Handles some streams at a time,
 * in the order of their key.
 */
export async function deleteBefore({ db, stopping }: Ctx, firstRetained: string): Promise<void> {
  for (let after = 0; !stopping?.aborted;) {
    const { rows } = await sql<{ id: number }>`
      select id from streams where id > ${after} order by id limit ${STREAMS}`.execute(db);
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return;
    await sql`
      with gone as (
        delete from ${sql.table('sample_notes')}
         where stream_id = any (${ids}::bigint[]) and at < ${firstRetained}::date
      ), records as (
        delete from ${sql.table('sample_records')}
         where stream_id = any (${ids}::bigint[]) and at < ${firstRetained}::date
      )
      delete from ${sql.table('samples')}
       where stream_id = any (${ids}::bigint[]) and at < ${firstRetained}::date`.execute(db);
    after = ids.at(-1) as number;
  }
}
