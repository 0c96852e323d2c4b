// The rows of summaries: added, locked and replaced, many in a statement.
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { newId } from '../../ids.ts';
import { nameOf, type Candidate } from './candidate.ts';
import { TOLD_COLUMNS, type ToldRow } from './render.ts';
import type { SummaryResource } from './resource.ts';

/** A row as the write path knows it. */
export type StoredRow = ToldRow & {
  key: string;
  version: string | null;
  told_hash: Buffer;
  raw_hash: Buffer;
  stream_hash: Buffer | null;
};

const COLUMNS = [...TOLD_COLUMNS, 'key', 'version', 'told_hash', 'raw_hash', 'stream_hash'] as const;

type Whose = { id: string };

/** A statement has a place for each value of each row, and at most 65,535 of them. */
const ROWS_A_STATEMENT = 500;

/** Adds what is not there yet; of two at the same moment the second waits here and leaves it to `lockRows`. By name. */
export async function insertRows(
  ctx: TxCtx<TeamCtx>,
  user: Whose,
  { name: resource }: SummaryResource,
  candidates: Candidate[],
): Promise<Map<string, StoredRow>> {
  const inserted: StoredRow[] = [];
  for (let from = 0; from < candidates.length; from += ROWS_A_STATEMENT) {
    const values = candidates.slice(from, from + ROWS_A_STATEMENT).map((each) => {
      const row = { team_id: ctx.team.id, id: newId() };
      const { texts, raw, stream: _, ...columns } = each;
      return {
        ...columns,
        ...row,
        user_id: user.id,
        resource,
        values: JSON.stringify(each.values),
        texts: texts && ctx.cipher.sealJson('summaries.texts', row, texts),
        raw: ctx.cipher.sealJson('summaries.raw', row, raw),
      };
    });
    const rows = await ctx.db
      .insertInto('summaries')
      .values(values)
      .onConflict((oc) => oc.columns(['user_id', 'resource', 'provider', 'source_type', 'key']).doNothing())
      .returning(COLUMNS)
      .execute();
    inserted.push(...rows);
  }
  return byName(inserted);
}

/** The rows that are there already, kept from others until the commit. By name. */
export async function lockRows(
  { db, team }: TxCtx<TeamCtx>,
  user: Whose,
  { name: resource }: SummaryResource,
  candidates: Candidate[],
): Promise<Map<string, StoredRow>> {
  if (candidates.length === 0) return new Map();
  const { rows } = await sql<StoredRow>`
    select ${sql.join(COLUMNS.map((column) => sql.ref(`summaries.${column}`)))}
      from summaries
      join unnest(${candidates.map((each) => each.provider)}::text[], ${candidates.map((each) => each.source_type)}::text[],
                  ${candidates.map((each) => each.key)}::text[]) as wanted (provider, source_type, key)
           using (provider, source_type, key)
     where user_id = ${user.id} and team_id = ${team.id} and resource = ${resource}
     order by provider, source_type, key
       for no key update of summaries`.execute(db);
  return byName(rows);
}

/** A row that takes over what came in; `told`: what of it is told differs, so that it is a new version. */
export type Replacement = { row: StoredRow; candidate: Candidate; told: boolean };

/** Replaces locked rows, and gives them as they are then, in the same order. */
export async function replaceRows(ctx: TxCtx<TeamCtx>, replacements: Replacement[]): Promise<StoredRow[]> {
  if (replacements.length === 0) return [];
  const of = <T>(value: (replacement: Replacement) => T): T[] => replacements.map(value);
  const { rows } = await sql<StoredRow>`
    update summaries set
      provider_id = new.provider_id, app_id = new.app_id, device_id = new.device_id,
      version = coalesce(new.version, summaries.version),
      calendar_date = new.calendar_date, start_at = new.start_at, end_at = new.end_at,
      values = new.values, texts = new.texts, raw = new.raw,
      told_hash = new.told_hash, raw_hash = new.raw_hash,
      rev = rev + new.told::integer,
      updated_at = case when new.told then greatest(clock_timestamp(), updated_at + interval '1 millisecond') else updated_at end
    from unnest(
      ${of(({ row }) => row.id)}::uuid[], ${of(({ told }) => told)}::boolean[],
      ${of(({ candidate }) => candidate.provider_id)}::text[], ${of(({ candidate }) => candidate.app_id)}::text[],
      ${of(({ candidate }) => candidate.device_id)}::uuid[], ${of(({ candidate }) => candidate.version)}::timestamptz[],
      ${of(({ candidate }) => candidate.calendar_date)}::date[], ${of(({ candidate }) => candidate.start_at)}::timestamptz[],
      ${of(({ candidate }) => candidate.end_at)}::timestamptz[], ${of(({ candidate }) => JSON.stringify(candidate.values))}::jsonb[],
      ${of(({ row, candidate }) => candidate.texts && ctx.cipher.sealJson('summaries.texts', row, candidate.texts))}::bytea[],
      ${of(({ row, candidate }) => ctx.cipher.sealJson('summaries.raw', row, candidate.raw))}::bytea[],
      ${of(({ candidate }) => candidate.told_hash)}::bytea[], ${of(({ candidate }) => candidate.raw_hash)}::bytea[]
    ) as new (id, told, provider_id, app_id, device_id, version, calendar_date, start_at, end_at, values, texts, raw,
      told_hash, raw_hash)
    where summaries.user_id = ${replacements[0]?.row.user_id} and summaries.team_id = ${ctx.team.id} and summaries.id = new.id
    returning ${sql.join(COLUMNS.map((column) => sql.ref(`summaries.${column}`)))}`.execute(ctx.db);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return replacements.map(({ row }) => byId.get(row.id) as StoredRow);
}

const byName = (rows: (StoredRow & { provider: string; source_type: string })[]): Map<string, StoredRow> =>
  new Map(rows.map((row) => [nameOf(row), row]));
