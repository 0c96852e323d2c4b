import { setTimeout as pause } from 'node:timers/promises';
import { forward } from './forward.ts';
import { readFeed, Unavailable, type FeedPage } from './read-feed.ts';

export type Following = {
  baseUrl: URL;
  apiKey: string;
  forwardTo: URL;
  secret: string;
  /** Names or beginnings that end in `.*`; empty: all but the operational ones. */
  types: string[];
  /** A cursor, `now` or `beginning`. */
  after: string;
};

type Surroundings = { stop: AbortSignal; tell: (line: string) => void };

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Forwards each event once, in the order of the feed, and tells a line of it, until it is stopped; answers where to go on. While
 * the service is away it asks again, ever more slowly. Throws where that would not help.
 */
export async function followEvents(following: Following, { stop, tell }: Surroundings): Promise<string> {
  let after = following.after;
  let failures = 0;
  while (!stop.aborted) {
    let page: FeedPage;
    try {
      page = await readFeed(following, after, stop);
    } catch (error) {
      if (stop.aborted) break;
      if (!(error instanceof Unavailable)) throw error;
      if (failures === 0) tell(`${error.message} Trying again.`);
      await pause(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures), undefined, { signal: stop }).catch(
        () => undefined,
      );
      failures += 1;
      continue;
    }
    if (failures > 0) tell('The service answers again.');
    failures = 0;
    for (const event of page.data) {
      const outcome = event.body === null ? 'has no body' : await forward(following, event, stop);
      // It comes again where this one is gone on from.
      if (stop.aborted) return after;
      tell(`${event.created_at} ${event.event_type} ${event.id} ${outcome}`);
    }
    after = page.next_cursor;
  }
  return after;
}
