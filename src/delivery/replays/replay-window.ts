import type { End } from '../attempts.ts';
import { Rate } from '../queues/rate.ts';
import type { Counts, Replay } from './replay-progress.ts';
import type { FoundEvent, Chunk } from './read-events.ts';

/**
 * The most events that a window remembers, finished or not. If one event is slow, the replay continues with the others.
 */
const MAX_AHEAD = 256;
const MIN_AHEAD = 16;
/** The age after which events are read again, because the endpoint's queue may have sent them meanwhile. */
const STALE_MS = 5_000;
/**
 * The pause between two reads. Without it, a replay whose filters reject most events would read without interruption.
 */
const BETWEEN_READS_MS = 50;
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;

type Entry = FoundEvent & { begun: boolean; beganAt: number };

/**
 * The next events of a replay in their order, in the worker that owns the queue. An event may finish before an earlier
 * one. The saved progress and its counts cover only the events before the first one that is not finished. All times are
 * values of performance.now().
 */
export class ReplayWindow {
  readonly replay: Replay;
  /**
   * The most attempts that may be under way at the same time. The window begins with one, and each success adds one.
   */
  readonly #maxSlots: number;
  /** True if no event can appear any more whose id is smaller than the last id that we read. */
  isStable = false;
  /** True if the window starts nothing more, because somebody cancelled the replay or changed the endpoint. */
  isClosed = false;
  /** The window makes no query before this time. */
  looksAt = 0;
  savedAt = 0;
  hasUnsavedProgress = false;

  #entries: Entry[] = [];
  #readTo: string;
  #readAt = 0;
  #isAtEnd = false;
  #underWay = 0;
  readonly #rate = new Rate();
  #restsUntil = 0;
  #rest = FIRST_REST_MS;
  #slots = 1;

  constructor(replay: Replay, maxSlots: number) {
    this.replay = replay;
    this.#maxSlots = maxSlots;
    this.#readTo = replay.done_to;
  }

  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  get hasEnded(): boolean {
    return this.#isAtEnd && this.#entries.length === 0;
  }

  /**
   * Returns the next read: at most `most` events after the id `after`. Returns null if the window has enough events.
   */
  wanted(now: number): { after: string; most: number } | null {
    if (this.isClosed || !this.isStable || this.#isAtEnd || now < this.#readAt + BETWEEN_READS_MS) return null;
    const ahead = Math.min(MAX_AHEAD, Math.max(MIN_AHEAD, this.replay.per_second * 2));
    const most = ahead - this.#entries.length;
    return most * 2 < ahead ? null : { after: this.#readTo, most };
  }

  add({ events, readTo, isLast }: Chunk, now: number): void {
    this.#readTo = readTo;
    this.#readAt = now;
    this.#isAtEnd = isLast;
    for (const event of events) this.#entries.push({ ...event, begun: event.known !== null, beganAt: 0 });
    this.#moveOn();
  }

  /** Returns true if an event may start now, or within `withinMs` milliseconds. */
  isReady(now: number, withinMs = 0): boolean {
    if (this.isClosed || this.#underWay >= this.#slots || this.startsAt > now + withinMs) return false;
    return this.#entries.some(({ begun }) => !begun);
  }

  get startsAt(): number {
    return Math.max(this.#rate.startsAt, this.#restsUntil);
  }

  /** Returns the next event to start, or null. `perSecond` is the part of the endpoint's rate that replays may use. */
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

  /** Skips an event, because the endpoint's queue already has a delivery of it. */
  passOver(event: Entry): void {
    this.#underWay -= 1;
    event.known = 'skipped';
    this.#moveOn();
  }

  /**
   * Ends an attempt. After a failure the replay pauses, and then makes only one attempt at a time. The pause doubles
   * with each failure, from a second to a minute. Each success allows one more attempt at a time.
   */
  end(event: Entry, end: End, now: number): void {
    this.#underWay -= 1;
    if (end === 'again') {
      event.begun = false;
      this.#restsUntil = Math.max(this.#restsUntil, now + FIRST_REST_MS);
    } else if (end === 'gone' || end === 'deferred') event.known = 'skipped';
    else if (end.ok) {
      event.known = 'delivered';
      this.#slots = Math.min(this.#maxSlots, this.#slots + 1);
      this.#rest = FIRST_REST_MS;
    } else {
      event.known = 'failed';
      this.#slots = 1;
      // Attempts that started before the pause fail for the same reason, so they do not make the pause longer.
      if (event.beganAt >= this.#restsUntil) {
        this.#restsUntil = now + Math.max(this.#rest, Math.min(LONGEST_REST_MS, (end.retry_after_seconds ?? 0) * 1000));
        this.#rest = Math.min(LONGEST_REST_MS, this.#rest * 2);
      }
    }
    this.#moveOn();
  }

  /**
   * Drops the events that have not started and makes the next round read them again, because their results may have
   * changed.
   */
  #readAgain(): void {
    const from = this.#entries.findIndex(({ begun }) => !begun);
    if (from === -1) return;
    // Behind the first event that has not started, there may be events under way. Their entries must stay, and a read
    // would add these events a second time. So we do not read again now.
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
    this.hasUnsavedProgress = true;
  }
}
