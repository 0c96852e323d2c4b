import { setTimeout as pause } from 'node:timers/promises';
import type { TeamCtx } from '../../context.ts';
import { EVENT_NAMES, matches } from '../../events/names.ts';
import { noteReader } from '../../events/notify-readers.ts';
import { ownerOf } from '../../fair/round-robin.ts';
import type { Poll } from '../../long-polls.ts';
import { reachesDocuments } from '../../tenancy/keys/scopes.ts';
import { FROM_THE_OLDEST, readCursor, writeCursor, type Cursor } from './cursor.ts';
import type { OpenEvent } from './open-bodies.ts';
import { isAtEnd, readPage, type Page, type Wanted } from './read-page.ts';

type Asked = {
  /** A cursor, `now`, or null: from the beginning of what is kept. */
  after: string | null;
  limit: number;
  /** Names, or beginnings that end in `.*`; null: all types but the operational ones. */
  event_types: string[] | null;
  /** Seconds to wait for an event where there is none. */
  wait: number;
};

type Body = { client_user_id: string | null } & Record<string, unknown>;

type FeedEvent = Omit<OpenEvent, 'bytes'> & {
  team_id: string;
  client_user_id: string | null;
  /** What webhooks send, read and byte by byte; null where it cannot be opened. */
  body: Body | null;
  text: string | null;
};

type FeedPage = { data: FeedEvent[]; next_cursor: string; has_more: boolean };

/** Of a page, which is held as bytes, as text and as what that says. */
const MOST_BYTES = 1024 * 1024;
/** Who was notified only now may have missed what was being published: it is looked for once more. */
const FRESH_MS = 1_000;
/** From one look to the next: events of other types may come by the thousand. */
const LEAST_PAUSE_MS = 100;

/** A page of what happened, in the order in which it was committed; waits for the next event where it is asked to. */
export async function readFeed(ctx: TeamCtx, { after, limit, event_types, wait }: Asked): Promise<FeedPage> {
  const cursor = after === null ? FROM_THE_OLDEST : after === 'now' ? null : readCursor(after);
  const types = event_types && EVENT_NAMES.filter((name) => matches(event_types, name));
  const wanted = { most: { events: limit, bytes: MOST_BYTES }, types };
  const poll = wait > 0 ? ctx.polls?.enter(ownerOf(ctx.team)) : undefined;
  try {
    const page = poll
      ? await waitForPage(ctx, { cursor, wanted, poll, ms: wait * 1000 })
      : await readPage(ctx, cursor, wanted);
    const data = page.events.map((event) => told(ctx, event));
    return { data, next_cursor: writeCursor(page.cursor), has_more: page.has_more };
  } finally {
    poll?.leave();
  }
}

/** Holds neither a connection nor a place of a request while it waits. */
async function waitForPage(
  ctx: TeamCtx,
  { cursor, wanted, poll, ms }: { cursor: Cursor | null; wanted: Wanted; poll: Poll; ms: number },
): Promise<Page> {
  const aside = ctx.aside ?? ((wait) => wait());
  const signals = [ctx.gone, ctx.stopping];
  const end = performance.now() + ms;
  let patience = (await noteReader(ctx)) ? FRESH_MS : Infinity;
  for (;;) {
    poll.listen();
    const lookedAt = performance.now();
    const page = await readPage(ctx, cursor, wanted);
    const left = end - performance.now();
    if (!isAtEnd(page) || left <= 0 || signals.some((signal) => signal?.aborted)) return page;
    ({ cursor } = page);
    await aside(async () => {
      await poll.wait(Math.min(left, patience), signals);
      await pause(Math.max(0, lookedAt + LEAST_PAUSE_MS - performance.now()));
    });
    patience = Infinity;
    await ctx.stillOpens?.();
  }
}

function told(ctx: TeamCtx, { bytes, ...event }: OpenEvent): FeedEvent {
  const { team } = ctx;
  const text = bytes?.toString() ?? null;
  const body = text === null ? null : (JSON.parse(text) as Body);
  // Of an order: what it links to, a key that reaches events alone may not open.
  const data = body?.['data'];
  if (!reachesDocuments(ctx) && typeof data === 'object' && data !== null && 'requisition_form_url' in data)
    data.requisition_form_url = null;
  return { ...event, team_id: team.id, client_user_id: body?.client_user_id ?? null, body, text };
}
