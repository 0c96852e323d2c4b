type Replay = {
  status: string;
  since: string;
  until: string;
  done_until: string | null;
  ended_at: string | null;
  events_found: number;
  events_delivered: number;
  events_failed: number;
  events_skipped: number;
};

/**
 * Returns how much of a replay is done, in percent. Its window is read long before its events are delivered, so each
 * counts: the part of the window that was read, and the part of the events in it that came to an end.
 */
export function shareDone(replay: Replay): number {
  const { status, done_until, ended_at, events_found: found } = replay;
  if (status === 'succeeded') return 100;
  if (done_until === null) return 0;
  const begin = Date.parse(replay.since);
  const width = Date.parse(replay.until) - begin;
  const ofWindow = width <= 0 ? 1 : Math.min(Math.max((Date.parse(done_until) - begin) / width, 0), 1);
  const ended = replay.events_delivered + replay.events_failed + replay.events_skipped;
  const ofEvents = found === 0 ? 1 : Math.min(ended / found, 1);
  // What still runs is not whole, however little is left.
  return Math.min(Math.floor(ofWindow * ofEvents * 100), ended_at === null ? 99 : 100);
}
