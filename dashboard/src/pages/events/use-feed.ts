import { useEffect, useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { useSession } from '../../api/session.tsx';

/** The newest events that the page keeps. */
export const KEPT = 200;
/** The response comes with the next event, or after this many seconds. */
const WAIT_SECONDS = 25;
const PAUSE_AFTER_ERROR_MS = 3_000;
const MINUTE_MS = 60_000;

const readPage = (
  query: { after: string; event_type?: string[]; user_id?: string; wait?: number },
  signal: AbortSignal,
) => unwrap(phial.GET('/v2/events', { params: { query: { ...query, limit: 250 } }, signal }));

type FeedPage = Awaited<ReturnType<typeof readPage>>;
export type FeedEvent = FeedPage['data'][number];

type Asked = {
  /** Only events of this type. */
  type: string | undefined;
  /** Only events about the user with this id. */
  user: string | undefined;
  /** The first events are this old. 0: only those from now on. */
  minutesBack: number;
  isPaused: boolean;
};

/** How far the reader is: the next page comes after `cursor`, at once if `hasMore`. */
type Reached = { cursor: string; hasMore: boolean };

type Shown = {
  /** The newest first. */
  events: FeedEvent[];
  error: unknown;
  /** Whether everything that was published before has been read. */
  isLive: boolean;
};

type State = { asked: string; events: FeedEvent[]; reached: Reached | null; error: unknown };

/**
 * Follows the change feed of the team. It begins some minutes back, and goes on after an error where it was. What was
 * published during a pause comes after it.
 */
export function useFeed({ type, user, minutesBack, isPaused }: Asked): Shown {
  const { team } = useSession();
  const asked = `${team?.id} ${type} ${user} ${minutesBack}`;
  const [state, setState] = useState<State>({ asked, events: [], reached: null, error: null });
  const { events, reached, error } = state.asked === asked ? state : { events: [], reached: null, error: null };
  useEffect(() => {
    if (isPaused) return undefined;
    const control = new AbortController();
    const take = (fresh: FeedEvent[], next: Reached | null, problem: unknown): void =>
      setState((before) => ({
        asked,
        events: merge(before.asked === asked ? before.events : [], fresh),
        reached: next,
        error: problem,
      }));
    void follow({ reached, type, user, minutesBack }, control.signal, take);
    return () => control.abort();
    // The reader moves on with each page. Only another question, or the end of a pause, begins again.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [asked, isPaused]);
  return { events, error, isLive: reached !== null && !reached.hasMore };
}

/** Each event may come again, so they are kept by id. */
function merge(before: FeedEvent[], fresh: FeedEvent[]): FeedEvent[] {
  const byId = new Map([...fresh.toReversed(), ...before].map((event) => [event.id, event]));
  return [...byId.values()].slice(0, KEPT);
}

type Start = Pick<Asked, 'type' | 'user' | 'minutesBack'> & { reached: Reached | null };

async function follow(
  start: Start,
  signal: AbortSignal,
  take: (events: FeedEvent[], reached: Reached | null, error: unknown) => void,
): Promise<void> {
  let { reached } = start;
  while (!signal.aborted) {
    try {
      const page = await readNext({ ...start, reached }, signal);
      reached = { cursor: page.next_cursor, hasMore: page.has_more };
      if (!signal.aborted) take(page.data, reached, null);
    } catch (error) {
      if (signal.aborted) return;
      take([], reached, error);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_AFTER_ERROR_MS));
    }
  }
}

function readNext({ reached, type, user, minutesBack }: Start, signal: AbortSignal): Promise<FeedPage> {
  const only = { ...(type && { event_type: [type] }), ...(user && { user_id: user }) };
  if (reached !== null)
    return readPage({ after: reached.cursor, ...only, ...(!reached.hasMore && { wait: WAIT_SECONDS }) }, signal);
  const after = minutesBack === 0 ? 'now' : new Date(Date.now() - minutesBack * MINUTE_MS).toISOString();
  return readPage({ after, ...only }, signal);
}
