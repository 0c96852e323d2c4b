import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { LEAST_ID } from '../../ids.ts';
import { askForRuns } from '../ask-for-runs.ts';
import { becomeWriter } from '../one-writer.ts';
import type { ExportedRow, Exports } from '../../privacy/export-rows.ts';
import { renderSummary, type ToldRow } from './render.ts';
import { SUMMARIES as KINDS } from './resources.ts';

export const EXPORTS: Exports = {
  ofUser: [
    { type: 'summary', tables: ['summaries'], lines: summariesOfUser },
    { type: 'summary_stream', table: 'summary_streams', key: ['summary_id', 'part'] },
  ],
};

const AT_ONCE = 50;

/** As they are answered, with the name of their kind and what their provider sent. */
async function* summariesOfUser(ctx: TeamCtx, user: { id: string }): AsyncIterable<ExportedRow> {
  for (let after = LEAST_ID; ;) {
    const { rows } = await sql<ToldRow & { resource: string; raw: Buffer }>`
      select * from summaries
       where user_id = ${user.id} and team_id = ${ctx.team.id} and id > ${after} order by id limit ${AT_ONCE}`.execute(
      ctx.db,
    );
    for (const row of rows) {
      const kind = KINDS.find(({ name }) => name === row.resource);
      if (!kind) throw new Error(`There is no kind of summary named ${row.resource}.`);
      const provider_payload = ctx.cipher.openJson('summaries.raw', row, row.raw);
      yield { resource: row.resource, ...renderSummary(ctx, kind, row), provider_payload };
    }
    if (rows.length < AT_ONCE) return;
    after = rows.at(-1)?.id as string;
  }
}

/** Rows of one step; a part of a stream is the largest, with some 200 KB. */
const PARTS = 200;
const SUMMARIES = 1_000;

/** What is left of the user's summaries, where eraseSomeSummaries went before. */
export async function eraseUser(ctx: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  while (await eraseSomeSummaries(ctx, user));
}

/**
 * Some of the user's summaries, their summary streams first; whether there may be more. No text is constant, so that none is
 * prepared and keeps a plan from when the tables were empty.
 */
export async function eraseSomeSummaries(ctx: TxCtx<TeamCtx>, user: { id: string }): Promise<boolean> {
  const { db, team } = ctx;
  await becomeWriter(ctx, user.id);
  const parts = await sql`
    delete from ${sql.table('summary_streams')} where ctid = any (array (
      select ctid from summary_streams where user_id = ${user.id} and team_id = ${team.id} limit ${PARTS}))`.execute(
    db,
  );
  if (Number(parts.numAffectedRows) === PARTS) return true;
  const summaries = await sql`
    delete from ${sql.table('summaries')} where ctid = any (array (
      select ctid from summaries where user_id = ${user.id} and team_id = ${team.id} limit ${SUMMARIES}))`.execute(db);
  return Number(summaries.numAffectedRows) === SUMMARIES;
}

/** Of one step; what each has of points goes with it. */
const OF_PROVIDER = 50;

/** Some of what a provider brought of the user, with its points and payloads; whether there may be more. */
export async function eraseSomeOfProvider(
  ctx: TxCtx<TeamCtx>,
  user: { id: string },
  provider: string,
): Promise<boolean> {
  await becomeWriter(ctx, user.id);
  const { rows } = await sql<{ resource: string }>`
    delete from ${sql.table('summaries')} where ctid = any (array (
      select ctid from summaries
       where user_id = ${user.id} and team_id = ${ctx.team.id} and provider = ${provider} limit ${OF_PROVIDER}))
    returning resource`.execute(ctx.db);
  await askForRuns(
    ctx,
    user,
    rows.map(({ resource }) => resource),
  );
  return rows.length === OF_PROVIDER;
}

/**
 * Takes summaries away that their provider no longer has, with their points. No event tells of it, since the interface has
 * none: they are no longer read.
 */
export async function eraseSummaries(
  ctx: TxCtx<TeamCtx>,
  user: { id: string },
  { resource, provider, provider_ids }: { resource: string; provider: string; provider_ids: string[] },
): Promise<void> {
  await becomeWriter(ctx, user.id);
  const { numDeletedRows } = await ctx.db
    .deleteFrom('summaries')
    .where('user_id', '=', user.id)
    .where('team_id', '=', ctx.team.id)
    .where('resource', '=', resource)
    .where('provider', '=', provider)
    .where('provider_id', 'in', provider_ids)
    .executeTakeFirst();
  await askForRuns(ctx, user, numDeletedRows > 0n ? [resource] : []);
}

/**
 * Takes away what a provider named once and has no longer: of a kind, what lies within a span whose summaries were all
 * read just now. `kept` are the provider's ids of those.
 */
export async function eraseAbsent(
  ctx: TxCtx<TeamCtx>,
  user: { id: string },
  {
    resource,
    provider,
    span: { from, to },
    kept,
  }: { resource: string; provider: string; span: { from: string; to: string }; kept: string[] },
): Promise<void> {
  await becomeWriter(ctx, user.id);
  const { numAffectedRows = 0n } = await sql`
    delete from summaries
     where user_id = ${user.id} and team_id = ${ctx.team.id} and resource = ${resource} and provider = ${provider}
       and start_at >= ${from}::timestamptz and coalesce(end_at, start_at) < ${to}::timestamptz
       and provider_id is not null and provider_id <> all (${kept}::text[])`.execute(ctx.db);
  await askForRuns(ctx, user, numAffectedRows > 0n ? [resource] : []);
}
