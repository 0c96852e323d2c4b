import type { Client } from 'openapi-fetch';
import { unwrap } from './errors.ts';
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
  /** Ends the wait for further events: the loop throws the reason. */
  signal?: AbortSignal;
};

/** The service answers within this time, or earlier if there is an event. */
const WAIT_SECONDS = 25;

/**
 * Yields the events of the team for ever, at least once and in the order of commits. Throws PhialError with
 * `cursor_expired` if the events after the cursor are no longer stored.
 */
export async function* follow(
  client: Client<paths>,
  { after, eventTypes, onCursor, signal }: FollowOptions = {},
): AsyncGenerator<FollowedEvent, never, undefined> {
  for (let cursor = after, wait = 0; ;) {
    const query = { after: cursor, event_type: eventTypes, wait, limit: 250 };
    const page = await unwrap(client.GET('/v2/events', { params: { query }, signal }));
    yield* page.data as unknown as FollowedEvent[];
    cursor = page.next_cursor;
    wait = page.has_more ? 0 : WAIT_SECONDS;
    await onCursor?.(cursor);
  }
}
