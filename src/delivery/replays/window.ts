import type { End } from '../attempts.ts';
import { Rate } from '../lanes/rate.ts';
import type { Counts, Replay } from './progress.ts';
import type { FoundEvent, Piece } from './read-events.ts';

/** So many events ahead are remembered, done or not: what one slow receiver is waited for lies in between. */
const MOST_AHEAD = 256;
const LEAST_AHEAD = 16;
/** What was read longer ago is read again: the endpoint's queue may have sent it meanwhile. */
const STALE_MS = 5_000;
/** A look at a piece of events follows the one before at this distance: filters that let little through read much. */
const BETWEEN_READS_MS = 50;
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;

type Entry = FoundEvent & { begun: boolean; beganAt: number };

/**
 * The events that a replay has before it, in their order, as the worker that owns the lane knows them. What is written of
 * it is the beginning in which everything is done with, and counts of that alone. Times are those of performance.now().
 */
export class Window {
  readonly replay: Replay;
  /** Where attempts side by side end that succeed. */
  readonly #mostSlots: number;
  /** Nothing is committed late any more. */
  isSettled = false;
  /** Nothing more is begun: it was cancelled, or the endpoint was changed. */
  isClosed = false;
  /** Nothing is asked of the database before it. */
  looksAt = 0;
  savedAt = 0;
  hasNews = false;

  #entries: Entry[] = [];
  #readTo: string;
  #readAt = 0;
  #isAtEnd = false;
  #underWay = 0;
  readonly #rate = new Rate();
  #restsUntil = 0;
  #rest = FIRST_REST_MS;
  #slots = 1;

  constructor(replay: Replay, mostSlots: number) {
    this.replay = replay;
    this.#mostSlots = mostSlots;
    this.#readTo = replay.done_to;
  }

  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  get hasEnded(): boolean {
    return this.#isAtEnd && this.#entries.length === 0;
  }

  /** How many events to read behind `after`; null where enough are known. */
  wanted(now: number): { after: string; most: number } | null {
    if (this.isClosed || !this.isSettled || this.#isAtEnd || now < this.#readAt + BETWEEN_READS_MS) return null;
    const ahead = Math.min(MOST_AHEAD, Math.max(LEAST_AHEAD, this.replay.per_second * 2));
    const most = ahead - this.#entries.length;
    return most * 2 < ahead ? null : { after: this.#readTo, most };
  }

  add({ events, readTo, isLast }: Piece, now: number): void {
    this.#readTo = readTo;
    this.#readAt = now;
    this.#isAtEnd = isLast;
    for (const event of events) this.#entries.push({ ...event, begun: event.known !== null, beganAt: 0 });
    this.#moveOn();
  }

  /** Whether something may be begun now, or within so many milliseconds. */
  isReady(now: number, withinMs = 0): boolean {
    if (this.isClosed || this.#underWay >= this.#slots || this.startsAt > now + withinMs) return false;
    return this.#entries.some(({ begun }) => !begun);
  }

  get startsAt(): number {
    return Math.max(this.#rate.startsAt, this.#restsUntil);
  }

  /** The event to begin with next; `perSecond` is what the endpoint's own rate leaves to replays. */
  next(now: number, perSecond: number | null): Entry | null {
    if (now - this.#readAt > STALE_MS) this.#readAgain();
    const rate = Math.min(this.replay.per_second, perSecond ?? Infinity);
    if (!this.#rate.allows(now, rate) || !this.isReady(now)) return null;
    const entry = this.#entries.find(({ begun }) => !begun) as Entry;
    entry.begun = true;
    entry.beganAt = now;
    this.#underWay += 1;
    this.#rate.take(now, rate);
    return entry;
  }

  /** The lane has the event in hand by itself. */
  passOver(event: Entry): void {
    this.#underWay -= 1;
    event.known = 'skipped';
    this.#moveOn();
  }

  /** A failure lets one at a time through, after a rest that grows from a second to a minute; each success lets one more. */
  end(event: Entry, end: End, now: number): void {
    this.#underWay -= 1;
    if (end === 'again') {
      event.begun = false;
      this.#restsUntil = Math.max(this.#restsUntil, now + FIRST_REST_MS);
    } else if (end === 'gone' || end === 'held') event.known = 'skipped';
    else if (end.ok) {
      event.known = 'delivered';
      this.#slots = Math.min(this.#mostSlots, this.#slots + 1);
      this.#rest = FIRST_REST_MS;
    } else {
      event.known = 'failed';
      this.#slots = 1;
      // What was under way beside it fails for the same reason.
      if (event.beganAt >= this.#restsUntil) {
        this.#restsUntil = now + Math.max(this.#rest, Math.min(LONGEST_REST_MS, (end.retry_after_seconds ?? 0) * 1000));
        this.#rest = Math.min(LONGEST_REST_MS, this.#rest * 2);
      }
    }
    this.#moveOn();
  }

  /** What waits is forgotten and read anew, which tells what became of it meanwhile. */
  #readAgain(): void {
    const from = this.#entries.findIndex(({ begun }) => !begun);
    if (from === -1) return;
    // Behind the first that waits there may be some that are under way: they stay, and reading finds the others.
    if (this.#entries.slice(from).some(({ begun, known }) => begun && known === null)) return;
    this.#entries.length = from;
    this.#readTo = this.#entries.at(-1)?.event_id ?? this.replay.done_to;
    this.#isAtEnd = false;
    this.#readAt = 0;
  }

  #moveOn(): void {
    const counts: Counts = this.replay;
    let done = 0;
    for (const { known } of this.#entries) {
      if (known === null) break;
      done += 1;
      counts.events_found += 1;
      counts[`events_${known}`] += 1;
    }
    const last = this.#entries[done - 1]?.event_id;
    this.#entries.splice(0, done);
    const doneTo = this.#entries.length === 0 ? this.#readTo : (last ?? this.replay.done_to);
    if (doneTo === this.replay.done_to) return;
    this.replay.done_to = doneTo;
    this.hasNews = true;
  }
}
