// The rows of summaries. Each function handles any number of them with one statement.
import { sql, type RawBuilder } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { newId } from '../../ids.ts';
import type { Writer } from '../user-writer.ts';
import { nameOf, type NewSummary } from './new-summary.ts';
import { RENDERED_COLUMNS, type RenderedRow } from './render.ts';
import type { SummaryResource } from './resource.ts';

/** A row with the columns that storing needs. */
export type StoredRow = RenderedRow & {
  key: string;
  version: string | null;
  content_hash: Buffer;
  raw_hash: Buffer;
  stream_hash: Buffer | null;
  zones_from_samples: boolean;
};

const COLUMNS = [
  ...RENDERED_COLUMNS,
  'key',
  'version',
  'content_hash',
  'raw_hash',
  'stream_hash',
  'zones_from_samples',
] as const;

const COLUMNS_SQL = sql.raw(COLUMNS.map((column) => `summaries.${column}`).join(', '));

type UserRef = { id: string };

/** Returns the existing rows by name (`nameOf`), without a lock. */
export async function findRows(
  ctx: TxCtx<TeamCtx>,
  user: UserRef,
  resource: SummaryResource,
  summaries: NewSummary[],
): Promise<Map<string, StoredRow>> {
  if (summaries.length === 0) return new Map();
  const { rows } = await sql<StoredRow>`${rowsOf(ctx, user, resource, summaries)}`.execute(ctx.db);
  return byName(rows);
}

/** Returns the existing rows by name (`nameOf`), locked until the commit. */
export async function lockRows(
  ctx: TxCtx<TeamCtx>,
  user: UserRef,
  resource: SummaryResource,
  summaries: NewSummary[],
): Promise<Map<string, StoredRow>> {
  if (summaries.length === 0) return new Map();
  const { rows } = await sql<StoredRow>`
    ${rowsOf(ctx, user, resource, summaries)}
    order by provider, source_type, key for no key update of summaries`.execute(ctx.db);
  return byName(rows);
}

/**
 * PostgreSQL plans this statement at each call, and also the statement that replaces rows. Otherwise it could reuse a
 * plan from the time when the table was empty. Such a plan reads the complete table.
 */
const rowsOf = (
  { team }: TeamCtx,
  user: UserRef,
  { name: resource }: SummaryResource,
  summaries: NewSummary[],
): RawBuilder<unknown> => sql`
  select ${COLUMNS_SQL}
    from ${sql.table('summaries')}
    join unnest(${summaries.map((each) => each.provider)}::text[],
      ${summaries.map((each) => each.source_type)}::text[],
                ${summaries.map((each) => each.key)}::text[]) as wanted (provider, source_type, key)
         using (provider, source_type, key)
   where user_id = ${user.id} and team_id = ${team.id} and resource = ${resource}`;

/**
 * Adds the rows that do not exist, and returns them by name. If two transactions add the same row, the second one waits
 * here and adds nothing. It then finds the row with `lockRows`.
 */
export async function insertRows(
  ctx: Writer,
  user: UserRef,
  { name: resource }: SummaryResource,
  summaries: NewSummary[],
): Promise<Map<string, StoredRow>> {
  if (summaries.length === 0) return new Map();
  const incoming = summaries.map((summary) => ({ summary, row: { id: newId(), team_id: ctx.team.id } }));
  const { rows } = await sql<StoredRow>`
    insert into summaries (user_id, team_id, resource, id, provider, source_type, key, provider_id, app_id, device_id,
      version, calendar_date, start_at, end_at, values, texts, raw, content_hash, raw_hash, zones_from_samples,
      zones_asked)
    select ${user.id}, ${ctx.team.id}, ${resource}, id, provider, source_type, key, provider_id, app_id, device_id,
      version, calendar_date, start_at, end_at, values, texts, raw, content_hash, raw_hash, zones_from_samples,
      zones_asked
      from ${asTable(ctx, incoming)}
    on conflict (user_id, resource, provider, source_type, key) do nothing
    returning ${COLUMNS_SQL}`.execute(ctx.db);
  return byName(rows);
}

/** A locked row, and the summary that replaces it. */
export type Replacement = { row: StoredRow; summary: NewSummary };

/**
 * Replaces locked rows, and returns them as they are now, in the same order. A row gets a new version only if a field
 * of responses differs.
 */
export async function replaceRows(ctx: Writer, replacements: Replacement[]): Promise<StoredRow[]> {
  if (replacements.length === 0) return [];
  const differs = sql`summaries.content_hash <> new.content_hash`;
  const { rows } = await sql<StoredRow>`
    update ${sql.table('summaries')} set
      provider_id = new.provider_id, app_id = new.app_id, device_id = new.device_id,
      version = coalesce(new.version, summaries.version),
      calendar_date = new.calendar_date, start_at = new.start_at, end_at = new.end_at,
      values = new.values, texts = new.texts, raw = new.raw,
      content_hash = new.content_hash, raw_hash = new.raw_hash, zones_from_samples = new.zones_from_samples,
      zones_asked = coalesce(new.zones_asked, summaries.zones_asked),
      rev = rev + (${differs})::integer,
      updated_at = case when ${differs} then greatest(clock_timestamp(), updated_at + interval '1 millisecond')
        else updated_at end
    from ${asTable(ctx, replacements)}
    where summaries.user_id = ${replacements[0]?.row.user_id} and summaries.team_id = ${ctx.team.id}
      and summaries.id = new.id
    returning ${COLUMNS_SQL}`.execute(ctx.db);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return replacements.map(({ row }) => byId.get(row.id) as StoredRow);
}

/** Returns SQL for the incoming summaries as the table `new`, encrypted for their rows. */
function asTable(
  { cipher, origin }: Writer,
  incoming: { summary: NewSummary; row: { id: string; team_id: string } }[],
): RawBuilder<unknown> {
  const of = <T>(value: (summary: NewSummary, row: { id: string; team_id: string }) => T): T[] =>
    incoming.map(({ summary, row }) => value(summary, row));
  return sql`
    unnest(
      ${incoming.map(({ row }) => row.id)}::uuid[],
      ${of((each) => each.provider)}::text[], ${of((each) => each.source_type)}::text[],
      ${of((each) => each.key)}::text[],
      ${of((each) => each.provider_id)}::text[], ${of((each) => each.app_id)}::text[],
      ${of((each) => each.device_id)}::uuid[],
      ${of((each) => each.version)}::timestamptz[], ${of((each) => each.calendar_date)}::date[],
      ${of((each) => each.start_at)}::timestamptz[], ${of((each) => each.end_at)}::timestamptz[],
      ${of((each) => JSON.stringify(each.values))}::jsonb[],
      ${of((each, row) => each.texts && cipher.sealJson('summaries.texts', row, each.texts))}::bytea[],
      ${of((each, row) => cipher.sealJson('summaries.raw', row, each.raw))}::bytea[],
      ${of((each) => each.content_hash)}::bytea[], ${of((each) => each.raw_hash)}::bytea[],
      ${of((each) => each.zones_from_samples)}::boolean[],
      ${of((each) => (each.awaits_zones ? origin : null))}::text[]
    ) as new (id, provider, source_type, key, provider_id, app_id, device_id, version, calendar_date, start_at, end_at,
      values, texts, raw, content_hash, raw_hash, zones_from_samples, zones_asked)`;
}

const byName = (rows: (StoredRow & { provider: string; source_type: string })[]): Map<string, StoredRow> =>
  new Map(rows.map((row) => [nameOf(row), row]));
