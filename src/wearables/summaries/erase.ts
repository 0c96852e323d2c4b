import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { LEAST_ID } from '../../ids.ts';
import { becomeWriter, type Writer } from '../one-writer.ts';
import type { ExportedRow, Exports } from '../../privacy/export-rows.ts';
import { deleteSummaries, findBelonging, findDoomed } from './deletion/delete-summaries.ts';
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
/** What belongs to those, as cycles to a sleep, has no points, and goes before in steps of its own. */
const BELONGING = 500;

/** Some of what a provider brought of the user, with its points and payloads; whether there may be more. It is told, since the team may have it still. */
export async function eraseSomeOfProvider(
  ctx: TxCtx<TeamCtx>,
  user: { id: string; client_user_id: string },
  provider: string,
): Promise<boolean> {
  await becomeWriter(ctx, user.id);
  const writer: Writer = { ...ctx, origin: 'live' };
  const named = await findDoomed(writer, user, { which: sql`provider = ${provider}`, most: OF_PROVIDER });
  const belonging = await findBelonging(writer, user, named, BELONGING);
  await deleteSummaries(writer, user, belonging.length > 0 ? belonging : named);
  return belonging.length > 0 || named.length === OF_PROVIDER;
}
