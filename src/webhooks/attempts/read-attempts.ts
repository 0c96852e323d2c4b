import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { byIndex } from '../../db/session/by-index.ts';
import { decodeCursor, encodeCursor, isId } from '../../db/cursor.ts';
import { minIdAt } from '../../ids.ts';

/** The most attempts that we read for one page. If the filters reject many of them, the page is short. */
const MAX_LOOKED_AT = 1_000;
const LATEST_MS = 2 ** 48 - 1;
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const STATUSES = ['succeeded', 'failed', 'exhausted'] as const;
type Status = (typeof STATUSES)[number];

export type AttemptFilters = {
  status: string[] | null;
  event_type: string | null;
  since: string | null;
  until: string | null;
  next_cursor: string | null;
  limit: number;
};

/** A row of the log of attempts, with encrypted values as they are stored. */
export type AttemptRow = {
  id: string;
  webhook_id: string;
  event_id: string;
  event_type: string;
  attempt: number;
  trigger: 'resend' | 'replay' | 'test' | null;
  outcome: Status;
  http_status: number | null;
  error: Buffer | null;
  duration_ms: number;
};

export const COLUMNS = sql.raw(
  'attempts.id, attempts.webhook_id, attempts.event_id, attempts.attempt, attempts.trigger, attempts.outcome, ' +
    'attempts.http_status, attempts.error, attempts.duration_ms',
);

type Unsuccessful = 'failed' | 'exhausted';

/**
 * We write these values into the text of the statement. If they were parameters, PostgreSQL would not use the partial
 * index of failed attempts.
 */
const WRITTEN = { failed: sql`'failed'`, exhausted: sql`'exhausted'` };

/** Selects the attempts at one endpoint, or the attempts to deliver one event. */
export type AttemptsOf = { webhook_id: string } | { event_id: string };

/**
 * Returns the newest attempts that match the filters, and the cursor of the next page. It reads at most MAX_LOOKED_AT
 * rows. An index finds attempts that did not succeed by their status. For other filters there is no index, so the
 * function reads all attempts and drops those that do not match.
 */
export async function readAttempts(
  ctx: TeamCtx,
  of: AttemptsOf,
  filters: AttemptFilters,
): Promise<{ rows: AttemptRow[]; next_cursor: string | null }> {
  const { event_type, limit } = filters;
  const wanted = filters.status ? STATUSES.filter((status) => filters.status?.includes(status)) : [...STATUSES];
  if (wanted.length === 0) return { rows: [], next_cursor: null };
  const isUnsuccessful = !wanted.includes('succeeded');
  const isExact = event_type === null && (isUnsuccessful || filters.status === null);
  const most = isExact ? limit + 1 : MAX_LOOKED_AT;
  const parts = isUnsuccessful ? (wanted as Unsuccessful[]) : (['all'] as const);
  const looked = await read(ctx, of, { ...rangeOf(filters), parts, most });
  const known = looked.filter((row): row is AttemptRow => row.event_type !== null);
  const found = known.filter(
    (row) => wanted.includes(row.outcome) && (event_type === null || row.event_type === event_type),
  );
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : looked.length === most ? looked.at(-1) : undefined;
  return { rows, next_cursor: last ? encodeCursor(last.id) : null };
}

type Part = 'all' | Unsuccessful;
type Range = { from: string; below: string };

/**
 * Returns the time range as a range of ids, which an index can find. The id of an attempt contains the time that
 * responses show for it.
 */
function rangeOf({ since, until, next_cursor }: AttemptFilters): Range {
  const after = next_cursor === null ? LAST_ID : decodeCursor(next_cursor, isId).toLowerCase();
  const end = until === null ? LAST_ID : minIdAt(within(Date.parse(until) + 1));
  return { from: minIdAt(since === null ? 0 : within(Date.parse(since))), below: after < end ? after : end };
}

/**
 * Reads the newest `most` rows from an index, with one subquery for each wanted status or one for all. The condition on
 * the team is outside of these subqueries. Inside, a server without statistics for a new day would expect few attempts
 * at the endpoint, and would read and sort all of them.
 */
async function read(
  { db, team }: TeamCtx,
  of: AttemptsOf,
  { parts, most, ...range }: Range & { parts: readonly Part[]; most: number },
): Promise<(Omit<AttemptRow, 'event_type'> & { event_type: string | null })[]> {
  const newest = parts
    .map(
      (part) =>
        sql`
          (select attempts.team_id, ${COLUMNS} from attempts
            where ${'event_id' in of ? ofEvent(team.id, of, range, part) : atEndpoint(of, range, part)} limit ${most})`,
    )
    .reduce((before, part) => sql`${before} union all ${part}`);
  const query = sql<Omit<AttemptRow, 'event_type'> & { event_type: string | null }>`
    select ${COLUMNS}, event.event_type
      from (select * from (${newest}) as parts order by id desc limit ${most}) as attempts
      left join lateral (
       select event_type from events
        where events.team_id = ${team.id} and events.id between attempts.event_id and attempts.event_id
        order by events.id limit 1
     ) as event on true
     where attempts.team_id = ${team.id}
     order by attempts.id desc`;
  return (await byIndex(query).execute(db)).rows;
}

/**
 * Selects attempts at an endpoint, in the order of the index that PostgreSQL should use. Without this order, a server
 * without statistics could use the index of all attempts.
 */
const atEndpoint = ({ webhook_id }: { webhook_id: string }, { from, below }: Range, part: Part) =>
  part === 'all'
    ? sql`attempts.webhook_id = ${webhook_id} and attempts.id >= ${from} and attempts.id < ${below}
      order by attempts.id desc`
    : sql`attempts.webhook_id = ${webhook_id} and attempts.outcome <> 'succeeded'
        and (attempts.outcome, attempts.id) >= (${WRITTEN[part]}, ${from})
        and (attempts.outcome, attempts.id) < (${WRITTEN[part]}, ${below})
      order by attempts.outcome desc, attempts.id desc`;

const ofEvent = (team_id: string, { event_id }: { event_id: string }, { from, below }: Range, part: Part) => sql`
  attempts.team_id = ${team_id} and attempts.event_id = ${event_id} and attempts.id >= ${from}
      and attempts.id < ${below}
    ${part === 'all' ? sql`` : sql`and attempts.outcome = ${WRITTEN[part]}`} order by attempts.id desc`;

const within = (ms: number): number => Math.min(Math.max(ms, 0), LATEST_MS);
