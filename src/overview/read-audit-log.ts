import { sql } from 'kysely';
import type { Static } from 'typebox';
import { LINE_COLUMNS, type AuditLine } from '../audit/line-columns.ts';
import type { TeamCtx, TeamsCtx } from '../context.ts';
import { byIndex } from '../db/session/by-index.ts';
import { decodeCursor, encodeCursor, isId } from '../db/cursor.ts';
import { AppError, StreamEnded } from '../errors.ts';
import type { Owner } from '../fair/round-robin.ts';
import { Threshold } from '../fair/threshold.ts';
import { minIdAt } from '../ids.ts';
import { auditRangeOf } from './audit-range.ts';
import { namePeople, type NamedLine } from './name-people.ts';
import type { AuditLogExportQuery, AuditLogPage, AuditLogQuery } from './schemas.ts';

/** The most lines that we look at for one page. If the filters reject many of them, the page is short. */
const MAX_LOOKED_AT = 20_000;
/** The same for the filter by a record. A line can have a thousand of them, which lie beside the table. */
const MAX_LOOKED_AT_BY_RECORD = 5_000;
const LATEST_MS = 2 ** 48 - 1;

type Filters = Pick<Static<typeof AuditLogQuery>, 'actor' | 'action' | 'key_id' | 'record_id' | 'since' | 'until'>;
type Range = { from: string; below: string };

const idRangeOf = (filters: Filters): Range => {
  const { from, to } = auditRangeOf(filters);
  return { from: minIdAt(Math.min(from, LATEST_MS)), below: minIdAt(Math.min(to, LATEST_MS)) };
};

const matching = (ctx: TeamsCtx, { actor, action, key_id, record_id }: Filters) => sql`
  (${ctx.teamIds}::uuid[] is null or looked.team_id = any (${ctx.teamIds}::uuid[]))
  and (${actor ?? null}::text is null or looked.actor = ${actor ?? null})
  and (${action ?? null}::text is null or looked.action = ${action ?? null})
  and (${key_id ?? null}::uuid is null or looked.key_id = ${key_id ?? null})
  and (${record_id ?? null}::uuid is null or ${record_id ?? null} = any (looked.records))`;

/**
 * Reads the next lines along the index by organisation, and drops those that the filters reject. `at` is the last line
 * that was looked at. It is null if the range has no more lines.
 */
async function readLines(
  ctx: TeamsCtx,
  filters: Filters,
  { from, below }: Range,
  { most, order }: { most: number; order: 'asc' | 'desc' },
): Promise<{ lines: AuditLine[]; at: string | null }> {
  // Without filters every line is wanted.
  const { actor, action, key_id, record_id } = filters;
  const isFiltered = ctx.teamIds !== null || [actor, action, key_id, record_id].some((each) => each !== undefined);
  const lookedAt = !isFiltered ? most : record_id === undefined ? MAX_LOOKED_AT : MAX_LOOKED_AT_BY_RECORD;
  const way = sql.raw(order);
  const looked = sql`
    select * from audit_log where org_id = ${ctx.org.id} and id >= ${from} and id < ${below}
     order by org_id ${way}, id ${way} limit ${lookedAt}`;
  const query = sql<AuditLine>`
    select ${sql.raw(LINE_COLUMNS)} from (${looked}) as looked where ${matching(ctx, filters)}
     order by id ${way} limit ${most}`;
  const { rows: lines } = await byIndex(query).execute(ctx.db);
  if (lines.length === most) return { lines, at: lines.at(-1)?.id ?? null };
  if (!isFiltered) return { lines, at: null };
  const end = sql<{ id: string }>`select id from (${looked}) as looked order by id ${way} offset ${lookedAt - 1}`;
  const { rows } = await byIndex(end).execute(ctx.db);
  return { lines, at: rows[0]?.id ?? null };
}

/** Returns the newest lines of the audit log that match the filters. */
export async function listAuditLog(
  ctx: TeamsCtx,
  { next_cursor, limit, ...filters }: Static<typeof AuditLogQuery>,
): Promise<Static<typeof AuditLogPage>> {
  const range = idRangeOf(filters);
  const after = next_cursor === undefined ? null : decodeCursor(next_cursor, isId).toLowerCase();
  const below = after !== null && after < range.below ? after : range.below;
  const { lines, at } = await readLines(ctx, filters, { ...range, below }, { most: limit + 1, order: 'desc' });
  const data = await namePeople(ctx, lines.slice(0, limit));
  const end = lines.length > limit ? data.at(-1)?.id : at;
  return { data, next_cursor: end === undefined || end === null ? null : encodeCursor(end) };
}

/** The most exports at the same time in one process. An organisation has its share of them. */
const permits = new Threshold(8);
const AGAIN_SECONDS = 30;
const LINES_AT_ONCE = 1_000;

/** The context of an export, which lasts until the client has read it. */
type ExportCtx = TeamsCtx & Pick<TeamCtx, 'gone' | 'stillOpens'>;

const ownerOfExport = ({ org }: ExportCtx): Owner => ({ org: org.id, team: org.id });

/** Takes a permit until the client has read the export or has disconnected. Throws not_ready if there is none. */
export function takeExportPermit(ctx: ExportCtx): void {
  const { gone } = ctx;
  if (!gone || gone.aborted) return;
  const owner = ownerOfExport(ctx);
  if (!permits.take(owner)) {
    const detail = 'Too many exports of audit logs run in this process. Request this one again when one has ended.';
    throw new AppError('not_ready', detail, { retryAfterSeconds: AGAIN_SECONDS });
  }
  gone.addEventListener('abort', () => permits.release(owner), { once: true });
}

/**
 * Reads the lines of a range, the oldest first. No transaction is open while the client reads a page of them. Each page
 * is a batch, so an export does not delay the requests of others.
 */
export async function* exportAuditLog(
  ctx: ExportCtx,
  filters: Static<typeof AuditLogExportQuery>,
): AsyncGenerator<NamedLine> {
  const { from, below } = idRangeOf(filters);
  let after = from;
  for (;;) {
    if (ctx.stopping?.aborted) throw new StreamEnded('stopping');
    // The client may disconnect while the filters reject every line. Without a line the stream would not notice it.
    if (ctx.gone?.aborted) return;
    await ctx.stillOpens?.();
    const { lines, at } = await ctx.batches.run(ownerOfExport(ctx), () =>
      readLines(ctx, filters, { from: after, below }, { most: LINES_AT_ONCE, order: 'asc' }),
    );
    yield* await namePeople(ctx, lines);
    if (at === null) return;
    after = next(at);
  }
}

/** Returns the smallest id that is greater than `id`. */
function next(id: string): string {
  const hex = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
