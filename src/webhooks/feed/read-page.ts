import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError } from '../../errors.ts';
import { deferEvents } from '../../events/deferred-events.ts';
import { MIN_ID, madeAt } from '../../ids.ts';
import { FROM_THE_OLDEST, type Cursor, type FeedPosition, type FeedStart, type Snapshot } from './cursor.ts';
import { cutPage, type Cut, type Most } from './cut-page.ts';
import { findEvents } from './find-events.ts';
import { findSinceOrNull, secondOf } from './find-since.ts';
import { openBodies, type OpenEvent } from './open-bodies.ts';
import { takeSnapshot } from './take-snapshot.ts';

export type PageLimits = {
  most: Most;
  /** Names of event types. Null means all types except the operational ones (events about endpoints). */
  types: string[] | null;
  /** Only events about this user. Default: about every user and none. */
  user_id?: string | undefined;
};

export type Page = {
  events: OpenEvent[];
  cursor: Cursor;
  /** True if more events may be stored already, even if this page is short or empty. */
  has_more: boolean;
};

/** The most events that we read for a page if the reader wants only some types, or one user. */
const MAX_LOOKED_AT = 2_000;
/**
 * The most tries to read a page. A page skips events about users who are scheduled for deletion. A try fails if
 * somebody undoes the deletion of such a user meanwhile.
 */
const MAX_TRIES = 5;

const DAY = 86_400;
const NOWHERE: FeedPosition = { position: 0, id: MIN_ID };

/**
 * Returns the first page of events from a start on. Throws cursor_expired if retention may have deleted some of these
 * events.
 */
export async function readPage(ctx: TeamCtx, start: FeedStart, wanted: PageLimits): Promise<Page> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { snapshot, at } = await takeSnapshot(ctx);
    const atEnd = { events: [], cursor: { seen: snapshot, reading: null, from: at }, has_more: false };
    if (start === null || wanted.types?.length === 0) return atEnd;
    refuseExpired(ctx, 'since' in start ? secondOf(start.since) : start.from, at);
    const cursor = 'since' in start ? await findSinceOrNull(ctx, start.since) : start;
    if (cursor === null) return atEnd;
    const page = await readOnce(ctx, cursor, wanted, { snapshot, at });
    if (page) return page;
  }
  throw new AppError(
    'not_ready',
    'The users of these events are being deleted or restored. Send this request again shortly.',
  );
}

/** Reads one page. Returns null if somebody undid the deletion of a user meanwhile, so that the caller tries again. */
async function readOnce(
  ctx: TeamCtx,
  cursor: Cursor,
  { most, types, user_id }: PageLimits,
  now: { snapshot: Snapshot; at: number },
): Promise<Page | null> {
  const { upTo, after } = cursor.reading ?? { upTo: now.snapshot, after: NOWHERE };
  const looksAt = types === null && user_id === undefined ? most.events + 1 : MAX_LOOKED_AT;
  const found = await findEvents(ctx, {
    seen: cursor.seen,
    upTo,
    after,
    types,
    user_id: user_id ?? null,
    most: looksAt,
  });
  const cut = cutPage(found, most);
  if (cut.deferred.length > 0 && !(await inTransaction(ctx, (tx) => deferEvents(tx, cut.deferred)))) return null;
  const { events, last } = await openBodies(ctx, cut.shown, most.bytes);
  const isCut = cut.isCut || last !== null || found.length === looksAt;
  if (isCut) return { events, cursor: midway(cursor, upTo, last ?? cut.last ?? after), has_more: true };
  const from = cursor.reading ? timeOf(cursor, cut) : now.at;
  // If the range took several pages, newer events may have come since the first of them.
  return { events, cursor: { seen: upTo, reading: null, from }, has_more: cursor.reading !== null };
}

function midway(cursor: Cursor, upTo: Snapshot, after: FeedPosition): Cursor {
  return { seen: cursor.seen, reading: { upTo, after }, from: Math.max(cursor.from, secondsOf(after.id)) };
}

const timeOf = (cursor: Cursor, { last }: Cut): number => Math.max(cursor.from, last ? secondsOf(last.id) : 0);

const secondsOf = (id: string): number => Math.floor(madeAt(id) / 1000);

/**
 * Throws cursor_expired if a reader begins before the first stored day. Retention deletes whole days, and the reader
 * may not have read all events of a deleted day.
 */
function refuseExpired({ config }: TeamCtx, from: number, at: number): void {
  const firstRetained = (Math.floor(at / DAY) - config.retentionDays) * DAY;
  if (from === FROM_THE_OLDEST.from || from >= firstRetained) return;
  throw new AppError(
    'cursor_expired',
    `\`after\` is older than the ${config.retentionDays} days for which events are kept, so events after it may be ` +
      'deleted. Begin again without `after`.',
  );
}

/** True if the page is empty and nothing follows yet, so that the reader can wait. */
export const isAtEnd = ({ events, has_more }: Page): boolean => events.length === 0 && !has_more;
