import { setTimeout as pause } from 'node:timers/promises';
import type { TeamCtx } from '../../context.ts';
import { EVENT_NAMES, matches } from '../../events/names.ts';
import { noteReader } from '../../events/notify-readers.ts';
import { ownerOf } from '../../fair/round-robin.ts';
import type { Poll } from '../../long-polls.ts';
import { reachesDocuments } from '../../tenancy/keys/key-scopes.ts';
import { firstMoment, millisecondsOf } from '../../wire/moment.ts';
import { FROM_THE_OLDEST, readCursor, writeCursor, type FeedStart } from './cursor.ts';
import type { OpenEvent } from './open-bodies.ts';
import { isAtEnd, readPage, type Page, type PageLimits } from './read-page.ts';

type FeedRequest = {
  /** A cursor, a time, or `now`. Null means from the oldest stored event. */
  after: string | null;
  limit: number;
  /** Names of event types, or prefixes that end in `.*`. Null means all types except the operational ones. */
  event_types: string[] | null;
  /** Only events about this user. Default: about every user and none. */
  user_id?: string | undefined;
  /** For how many seconds to wait for an event if there is none. */
  wait: number;
};

type Body = { client_user_id: string | null } & Record<string, unknown>;

type FeedEvent = Omit<OpenEvent, 'bytes'> & {
  team_id: string;
  client_user_id: string | null;
  /**
   * `text` is the JSON that webhooks send, and `body` is the same JSON as an object. Both are null if we cannot decrypt
   * the stored body.
   */
  body: Body | null;
  text: string | null;
};

type FeedPage = { data: FeedEvent[]; next_cursor: string; has_more: boolean };

/** The most bytes of a page. A page is in memory three times at once: as bytes, as text and as objects. */
const MAX_BYTES = 1024 * 1024;
/**
 * `noteReader` makes transactions notify the waiting readers of a team. A transaction that published its event earlier
 * may not notify them. So a first wait reads the feed once more after this many milliseconds.
 */
const FRESH_MS = 1_000;
/**
 * The shortest pause between two reads in milliseconds. Without it, thousands of events of types that the reader does
 * not want could cause thousands of reads.
 */
const MIN_PAUSE_MS = 100;

/**
 * Returns a page of events in the order of commits. With `wait`, it waits for the next event if there is none. Throws
 * invalid_cursor, cursor_expired and too_many_polls.
 */
export async function readFeed(ctx: TeamCtx, request: FeedRequest): Promise<FeedPage> {
  const { after, limit, event_types, user_id, wait } = request;
  const start = startOf(after);
  const types = event_types && EVENT_NAMES.filter((name) => matches(event_types, name));
  const wanted = { most: { events: limit, bytes: MAX_BYTES }, types, user_id };
  const poll = wait > 0 ? ctx.polls?.enter(ownerOf(ctx.team)) : undefined;
  try {
    const page = poll
      ? await waitForPage(ctx, { start, wanted, poll, ms: wait * 1000 })
      : await readPage(ctx, start, wanted);
    const data = page.events.map((event) => renderEvent(ctx, event));
    return { data, next_cursor: writeCursor(page.cursor), has_more: page.has_more };
  } finally {
    poll?.leave();
  }
}

function startOf(after: string | null): FeedStart {
  if (after === null) return FROM_THE_OLDEST;
  if (after === 'now') return null;
  const moment = firstMoment(after);
  return moment === null ? readCursor(after) : { since: millisecondsOf(moment) };
}

/**
 * Reads pages until one has an event or the time is over. A waiting request uses neither a database connection nor a
 * permit.
 */
async function waitForPage(
  ctx: TeamCtx,
  { start, wanted, poll, ms }: { start: FeedStart; wanted: PageLimits; poll: Poll; ms: number },
): Promise<Page> {
  const aside = ctx.aside ?? ((wait) => wait());
  const signals = [ctx.gone, ctx.stopping];
  const end = performance.now() + ms;
  let patience = (await noteReader(ctx)) ? FRESH_MS : Infinity;
  for (;;) {
    poll.listen();
    const lookedAt = performance.now();
    const page = await readPage(ctx, start, wanted);
    const left = end - performance.now();
    if (!isAtEnd(page) || left <= 0 || signals.some((signal) => signal?.aborted)) return page;
    start = page.cursor;
    await aside(async () => {
      await poll.wait(Math.min(left, patience), signals);
      await pause(Math.max(0, lookedAt + MIN_PAUSE_MS - performance.now()));
    });
    patience = Infinity;
    await ctx.stillOpens?.();
  }
}

function renderEvent(ctx: TeamCtx, { bytes, ...event }: OpenEvent): FeedEvent {
  const { team } = ctx;
  const text = bytes?.toString() ?? null;
  const body = text === null ? null : (JSON.parse(text) as Body);
  // The requisition form of an order is a document. An API key without access to documents must not get the link to it.
  const data = body?.['data'];
  if (!reachesDocuments(ctx) && typeof data === 'object' && data !== null && 'requisition_form_url' in data)
    data.requisition_form_url = null;
  return { ...event, team_id: team.id, client_user_id: body?.client_user_id ?? null, body, text };
}
