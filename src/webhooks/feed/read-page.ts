import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError } from '../../errors.ts';
import { holdEvents } from '../../events/held.ts';
import { LEAST_ID, madeAt } from '../../ids.ts';
import { FROM_THE_OLDEST, type Cursor, type Place, type Snapshot } from './cursor.ts';
import { cutPage, type Cut, type Most } from './cut-page.ts';
import { findEvents } from './find-events.ts';
import { openBodies, type OpenEvent } from './open-bodies.ts';
import { takeSnapshot } from './take-snapshot.ts';

export type Wanted = {
  most: Most;
  /** Names of types; null: all but the operational ones. */
  types: string[] | null;
};

export type Page = {
  events: OpenEvent[];
  cursor: Cursor;
  /** Whether there may be more already; a page may be short of its most, or empty, all the same. */
  has_more: boolean;
};

/** Events that a page looks through, where it wants some types only. */
const MOST_LOOKED_AT = 2_000;
/** A deletion may be taken back just as its events are passed by. */
const MOST_TRIES = 5;

const DAY = 86_400;
const NOWHERE: Place = { position: 0, id: LEAST_ID };

/** What follows a cursor; null: what comes from now on. Throws cursor_expired where some of it may be dropped already. */
export async function readPage(ctx: TeamCtx, cursor: Cursor | null, wanted: Wanted): Promise<Page> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const { snapshot, at } = await takeSnapshot(ctx);
    if (cursor === null || wanted.types?.length === 0)
      return { events: [], cursor: { seen: snapshot, reading: null, from: at }, has_more: false };
    refuseExpired(ctx, cursor, at);
    const page = await readOnce(ctx, cursor, wanted, { snapshot, at });
    if (page) return page;
  }
  throw new AppError('not_ready', 'Users of these events come and go. Send this request again shortly.');
}

/** Null where a user came back while the page was read. */
async function readOnce(
  ctx: TeamCtx,
  cursor: Cursor,
  { most, types }: Wanted,
  now: { snapshot: Snapshot; at: number },
): Promise<Page | null> {
  const { upTo, after } = cursor.reading ?? { upTo: now.snapshot, after: NOWHERE };
  const looksAt = types === null ? most.events + 1 : MOST_LOOKED_AT;
  const found = await findEvents(ctx, {
    seen: cursor.seen,
    upTo,
    after,
    types,
    most: looksAt,
  });
  const cut = cutPage(found, most);
  if (cut.held.length > 0 && !(await inTransaction(ctx, (tx) => holdEvents(tx, cut.held)))) return null;
  const { events, last } = await openBodies(ctx, cut.shown, most.bytes);
  const isCut = cut.isCut || last !== null || found.length === looksAt;
  if (isCut) return { events, cursor: midway(cursor, upTo, last ?? cut.last ?? after), has_more: true };
  const from = cursor.reading ? timeOf(cursor, cut) : now.at;
  // What has come since the first page of what was read now follows it.
  return { events, cursor: { seen: upTo, reading: null, from }, has_more: cursor.reading !== null };
}

function midway(cursor: Cursor, upTo: Snapshot, after: Place): Cursor {
  return { seen: cursor.seen, reading: { upTo, after }, from: Math.max(cursor.from, secondsOf(after.id)) };
}

const timeOf = (cursor: Cursor, { last }: Cut): number => Math.max(cursor.from, last ? secondsOf(last.id) : 0);

const secondsOf = (id: string): number => Math.floor(madeAt(id) / 1000);

/** Days are dropped as a whole: what a cursor has still to give may have been among them. */
function refuseExpired({ config }: TeamCtx, cursor: Cursor, at: number): void {
  const firstKept = (Math.floor(at / DAY) - config.retentionDays) * DAY;
  if (cursor.from === FROM_THE_OLDEST.from || cursor.from >= firstKept) return;
  throw new AppError(
    'cursor_expired',
    `The cursor is older than the ${config.retentionDays} days for which events are kept, and some of what follows it is gone. Begin again without \`after\`.`,
  );
}

/** Whether the page can wait for more: it shows nothing, and there is nothing yet. */
export const isAtEnd = ({ events, has_more }: Page): boolean => events.length === 0 && !has_more;
