import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { MIN_ID } from '../../ids.ts';
import { becomeWriter, type Writer } from '../user-writer.ts';
import type { ExportedRow, Exports } from '../../privacy/export-rows.ts';
import { deleteSummaries, findBelonging, findDeletable } from './deletion/delete-summaries.ts';
import { renderSummary, type RenderedRow } from './render.ts';
import { SUMMARIES as KINDS } from './summary-resources.ts';

export const EXPORTS: Exports = {
  ofUser: [
    { type: 'summary', tables: ['summaries'], lines: summariesOfUser },
    { type: 'summary_stream', table: 'summary_streams', key: ['summary_id', 'part'] },
  ],
};

const AT_ONCE = 50;

/**
 * Yields the user's summaries as responses have them, with the name of their kind and the payload of their provider.
 */
async function* summariesOfUser(ctx: TeamCtx, user: { id: string }): AsyncIterable<ExportedRow> {
  for (let after = MIN_ID; ;) {
    const { rows } = await sql<RenderedRow & { resource: string; raw: Buffer }>`
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

/** The most rows of one step. The largest are parts of streams, with some 200 KB each. */
const PARTS = 200;
const SUMMARIES = 1_000;

/** Erases the last rows of the user's summaries. Call eraseSomeSummaries before, until it returns false. */
export async function eraseUser(ctx: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  while (await eraseSomeSummaries(ctx, user));
}

/**
 * Erases some of the user's summaries, their streams first. Returns whether there may be more. The text of each
 * statement differs each time. With one text, PostgreSQL could reuse a plan from the time when the tables were empty,
 * and such a plan is slow on full tables.
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

/** The most summaries of one step. Their points are erased with them. */
const OF_PROVIDER = 50;
/**
 * The most summaries of one step that belong to others, as cycles belong to a sleep. They have no points, and are
 * erased first, in steps of their own.
 */
const BELONGING = 500;

/**
 * Erases some of the user's summaries of a provider, with their points and payloads. Returns whether there may be more.
 * Publishes events, because the team may have copies of the data.
 */
export async function eraseSomeOfProvider(
  ctx: TxCtx<TeamCtx>,
  user: { id: string; client_user_id: string },
  provider: string,
): Promise<boolean> {
  await becomeWriter(ctx, user.id);
  const writer: Writer = { ...ctx, origin: 'live' };
  const named = await findDeletable(writer, user, { which: sql`provider = ${provider}`, most: OF_PROVIDER });
  const belonging = await findBelonging(writer, user, named, BELONGING);
  await deleteSummaries(writer, user, belonging.length > 0 ? belonging : named);
  return belonging.length > 0 || named.length === OF_PROVIDER;
}
