import { useEffect, useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { useSession } from '../../api/session.tsx';

/** The newest events that the page keeps. */
export const KEPT = 200;
/** The response comes with the next event, or after this many seconds. */
const WAIT_SECONDS = 25;
const PAUSE_AFTER_ERROR_MS = 3_000;

const readPage = (query: { after?: string; event_type?: string[]; wait?: number }, signal: AbortSignal) =>
  unwrap(phial.GET('/v2/events', { params: { query: { ...query, limit: 100 } }, signal }));

export type FeedEvent = Awaited<ReturnType<typeof readPage>>['data'][number];

type Asked = {
  /** Only events of this type. */
  type: string | undefined;
  isPaused: boolean;
};

/**
 * Follows the change feed of the team: the newest event first. It begins with events from now on, and goes on after an
 * error where it was. What was published during a pause comes after it.
 */
export function useFeed({ type, isPaused }: Asked): { events: FeedEvent[]; error: unknown; hasBegun: boolean } {
  const { team } = useSession();
  const asked = `${team?.id} ${type}`;
  const [state, setState] = useState<{ asked: string; events: FeedEvent[]; cursor: string | null; error: unknown }>({
    asked,
    events: [],
    cursor: null,
    error: null,
  });
  const isSame = state.asked === asked;
  const cursor = isSame ? state.cursor : null;
  useEffect(() => {
    if (isPaused) return undefined;
    const control = new AbortController();
    void follow(cursor, type, control.signal, (events, next, error) =>
      setState((before) => ({
        asked,
        events: merge(before.asked === asked ? before.events : [], events),
        cursor: next,
        error,
      })),
    );
    return () => control.abort();
    // The cursor moves with each page. Only another question, or the end of a pause, begins again.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [asked, isPaused]);
  return isSame
    ? { events: state.events, error: state.error, hasBegun: state.cursor !== null }
    : { events: [], error: null, hasBegun: false };
}

/** Each event may come again, so they are kept by id. */
function merge(before: FeedEvent[], fresh: FeedEvent[]): FeedEvent[] {
  const byId = new Map([...fresh.toReversed(), ...before].map((event) => [event.id, event]));
  return [...byId.values()].slice(0, KEPT);
}

async function follow(
  from: string | null,
  type: string | undefined,
  signal: AbortSignal,
  take: (events: FeedEvent[], cursor: string | null, error: unknown) => void,
): Promise<void> {
  let cursor = from;
  while (!signal.aborted) {
    try {
      const only = type ? { event_type: [type] } : {};
      const page =
        cursor === null
          ? await readPage({ after: 'now', ...only }, signal)
          : await readPage({ after: cursor, wait: WAIT_SECONDS, ...only }, signal);
      cursor = page.next_cursor;
      if (!signal.aborted) take(page.data, cursor, null);
    } catch (error) {
      if (signal.aborted) return;
      take([], cursor, error);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_AFTER_ERROR_MS));
    }
  }
}
