import { setTimeout as pause } from 'node:timers/promises';
import { forward } from './forward.ts';
import { readFeed, Unavailable, type FeedPage } from './read-feed.ts';

export type Following = {
  baseUrl: URL;
  apiKey: string;
  forwardTo: URL;
  secret: string;
  /** Event types, or prefixes that end in `.*`. Empty: all event types except the operational ones. */
  types: string[];
  /** A cursor, `now` or `beginning`. */
  after: string;
};

type Surroundings = { stop: AbortSignal; printLine: (line: string) => void };

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Forwards each event once, in the order of the feed, and prints a line for each, until it is stopped. Returns the
 * cursor from which the next run can continue. While the service is unavailable, it retries with growing pauses. Throws
 * if a retry would not help.
 */
export async function followEvents(following: Following, { stop, printLine }: Surroundings): Promise<string> {
  let after = following.after;
  let failures = 0;
  while (!stop.aborted) {
    let page: FeedPage;
    try {
      page = await readFeed(following, after, stop);
    } catch (error) {
      if (stop.aborted) break;
      if (!(error instanceof Unavailable)) throw error;
      if (failures === 0) printLine(`${error.message} Trying again.`);
      await pause(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures), undefined, { signal: stop }).catch(
        () => undefined,
      );
      failures += 1;
      continue;
    }
    if (failures > 0) printLine('The service answers again.');
    failures = 0;
    for (const event of page.data) {
      const outcome = event.body === null ? 'has no body' : await forward(following, event, stop);
      // The cursor does not include this event, so the next run forwards it again.
      if (stop.aborted) return after;
      printLine(`${event.created_at} ${event.event_type} ${event.id} ${outcome}`);
    }
    after = page.next_cursor;
  }
  return after;
}
