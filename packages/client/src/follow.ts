import type { Client } from 'openapi-fetch';
import { PhialError, unwrap } from './errors.ts';
import { growingPauseMs, pause } from './retry.ts';
import type { components, paths } from './schema.ts';
import type { WebhookEvent, WebhookEventType } from './webhooks.ts';

type FeedEvent = components['schemas']['FeedEvent'];

/** An event of the change feed. `body` is what a webhook of this event carries. */
export type FollowedEvent<Type extends WebhookEventType = WebhookEventType> = {
  [Each in Type]: Omit<FeedEvent, 'event_type' | 'body'> & { event_type: Each; body: WebhookEvent<Each> };
}[Type];

export type FollowOptions = {
  /** The cursor that `onCursor` got last, a time, or `now`. Default: the oldest stored event. */
  after?: string;
  /** Types, or prefixes that end in `.*`, such as `labtest.order.*`. Default: all types except the operational ones. */
  eventTypes?: string[];
  /** Called when all events of a page are handled. Store the cursor: a program that starts again continues there. */
  onCursor?: (cursor: string) => void | Promise<void>;
  /** Called after each failure that the loop survives, such as a lost connection. For a log. */
  onFailure?: (error: unknown) => void;
  /** Ends the wait for further events: the loop throws the reason. */
  signal?: AbortSignal;
};

/** The service answers within this time, or earlier if there is an event. */
const WAIT_SECONDS = 25;

const LONGEST_PAUSE_MS = 30_000;
/** An empty answer that comes earlier did not wait, as from a proxy with a cache. It must not become a flood. */
const SHORTEST_WAIT_MS = 1_000;

/**
 * Yields the events of the team for ever, at least once and in the order of commits. It goes on after lost connections,
 * 429 and 5xx, with pauses of up to 30 seconds. Throws PhialError for other refusals, such as `cursor_expired` if the
 * events after the cursor are no longer stored.
 */
export async function* follow(
  client: Client<paths>,
  { after, eventTypes, onCursor, onFailure, signal }: FollowOptions = {},
): AsyncGenerator<FollowedEvent, never, undefined> {
  for (let cursor = after, wait = 0, failures = 0, idle = 0; ;) {
    const askedAt = performance.now();
    const query = { after: cursor, event_type: eventTypes, wait, limit: 250 };
    // Only the request: an error of the program that handles the events ends the loop.
    const page = await unwrap(client.GET('/v2/events', { params: { query }, signal })).catch((error: unknown) => {
      if (signal?.aborted || !passes(error)) throw error;
      onFailure?.(error);
      return null;
    });
    if (page === null) {
      await pause(growingPauseMs(failures++, LONGEST_PAUSE_MS), signal);
      continue;
    }
    failures = 0;
    yield* page.data as unknown as FollowedEvent[];
    const isStuck = page.next_cursor === cursor || (wait > 0 && performance.now() - askedAt < SHORTEST_WAIT_MS);
    idle = page.data.length === 0 && isStuck ? idle + 1 : 0;
    cursor = page.next_cursor;
    wait = page.has_more ? 0 : WAIT_SECONDS;
    await onCursor?.(cursor);
    if (idle > 0) await pause(growingPauseMs(idle - 1, LONGEST_PAUSE_MS), signal);
  }
}

/** True for what can pass by itself. Runtimes have different errors for a lost connection, so only others are named. */
function passes(error: unknown): boolean {
  if (error instanceof PhialError) return error.status === 429 || error.status >= 500;
  return !(error instanceof SyntaxError);
}
