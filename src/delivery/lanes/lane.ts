import type { Owner } from '../../fair/round-robin.ts';
import { leastIdAt } from '../../ids.ts';
import { BEGINNING } from './discover.ts';
import { LEASE_SECONDS, type Lease } from './lanes.ts';
import { firstAttempt, type Queued, type Retry } from './queue.ts';
import { Rate } from './rate.ts';
import { Slots } from './slots.ts';
import { asksForLess, Throttle, type Told } from './throttle.ts';
import type { SendOutcome } from '../sending/send.ts';
import { TransientMap } from '../../transient-map.ts';

/** Ids are read ahead of the slots, before these run out of them: a lane of quick answers is not read once a delivery, nor waited for. */
const LEAST_READ = 16;

/** An event may commit this long after its id was made and still be found at the next look, not at the next renewal. */
const LATE_COMMIT_MS = 10_000;

/** Of an attempt, what tells how its receiver fares. */
type Answered = Told & Pick<SendOutcome, 'error' | 'duration_ms'>;

/** What the worker that owns a lane knows of it. Times are those of performance.now(). */
export class Lane {
  readonly webhook_id: string;
  readonly team_id: string;
  readonly owner: Owner;
  readonly fence: number;
  /** Nothing is begun after it: somebody else may own the lane. */
  leasedUntil: number;
  /** When something was last begun or found. */
  usedAt: number;
  /** A replay sends to the receiver, now or when something allows it: the lane is kept. */
  hasReplay = false;
  /** It makes room for others, and is not taken again before: those are to come first. 0 where it does not. */
  othersFirstSeconds = 0;
  readonly #rate = new Rate();
  readonly #throttle = new Throttle();
  /** Put off: there is nothing to begin before it. */
  #restsUntil = 0;

  readonly #slots: Slots;
  #retriesUnderWay = 0;
  /** Begun, and not yet written what became of it. */
  #unsettled = 0;
  #firsts: Queued[] = [];
  #retries: Queued[] = [];
  /** Events that were read and not yet settled: reading them again finds their rows still there. */
  readonly #known = new TransientMap<string, true>();
  /** Reads under way: what one finds may have been settled meanwhile. */
  #reading = 0;
  readonly #settledMeanwhile = new TransientMap<string, true>();
  #mayHaveFirsts = true;
  #after = BEGINNING;
  /** Asked for since the last read began, which must not move `#after` then. */
  #fromBeginning = false;
  #retriesAt = 0;

  constructor(lease: Lease, mostSlots: number, askedAt: number) {
    this.webhook_id = lease.webhook_id;
    this.team_id = lease.team_id;
    this.owner = { org: lease.org_id, team: lease.team_id };
    this.fence = lease.fence;
    this.leasedUntil = askedAt + LEASE_SECONDS * 1000;
    this.usedAt = askedAt;
    this.#slots = new Slots(mostSlots);
  }

  get isIdle(): boolean {
    return this.#unsettled === 0;
  }

  /** Something may have been queued. */
  look(): void {
    this.#mayHaveFirsts = true;
    this.#retriesAt = 0;
  }

  /** Told which events were queued: where nothing waits to be read before them they are begun without a look at the queue. */
  tell(eventIds: string[]): void {
    if (this.#mayHaveFirsts || this.#firsts.length + eventIds.length > LEAST_READ) this.#mayHaveFirsts = true;
    else this.#addFirsts(eventIds.map((event_id) => firstAttempt({ webhook_id: this.webhook_id, event_id }, 'told')));
  }

  /** As look, from the first row on: what committed long after its id was made lies behind the place read last. */
  lookFromBeginning(): void {
    this.look();
    this.#after = BEGINNING;
    this.#fromBeginning = true;
  }

  /** What came to be begun could not be: for some time the lane is left alone, not tried again at once. */
  putOff(ms: number, now: number): void {
    this.#restsUntil = Math.max(this.#restsUntil, now + ms);
  }

  /** What kept it from being begun may be over, such as an address that hangs. */
  resume(): void {
    this.#restsUntil = 0;
    this.#slots.restsUntil = 0;
    this.#throttle.forget();
  }

  /** Nothing is begun before it. */
  get startsAt(): number {
    return Math.max(this.#rate.startsAt, this.#slots.restsUntil, this.#throttle.until);
  }

  isResting(now: number): boolean {
    return this.#restsUntil > now;
  }

  /** Whether there may be something to begin, and a slot to begin it in. */
  isReady(now: number): boolean {
    if (this.isResting(now) || !this.#slots.hasRoom(now)) return false;
    return this.#mayHaveFirsts || this.#firsts.length > 0 || this.#retries.length > 0 || this.#retriesAt <= now;
  }

  firstAttemptsWanted(): { webhook_id: string; after: string; most: number } | null {
    if (!this.#mayHaveFirsts || this.#firsts.length > this.#slots.size / 2) return null;
    this.#mayHaveFirsts = false;
    this.#fromBeginning = false;
    this.#reading += 1;
    const most = Math.max(LEAST_READ, this.#slots.size * 2) + this.#known.size;
    return { webhook_id: this.webhook_id, after: this.#after, most };
  }

  /** Takes what was read; a full answer means that there is more behind it. */
  addFirsts(rows: Queued[], most: number): void {
    this.#addFirsts(rows);
    if (rows.length === most) this.#mayHaveFirsts = true;
    if (!this.#fromBeginning) this.#moveOn(rows.length === most ? rows.at(-1) : undefined);
    this.endRead();
  }

  #addFirsts(rows: Queued[]): void {
    for (const row of rows) if (this.#remember(row)) this.#firsts.push(row);
  }

  /** The next read begins behind `last`, or where what commits late may be if everything was read. */
  #moveOn(last: Queued | undefined): void {
    const recent = leastIdAt(Date.now() - LATE_COMMIT_MS);
    // Between there and the place that was read from, something may have committed that was told of already.
    if (!last && this.#after > recent) this.#mayHaveFirsts = true;
    this.#after = last?.event_id ?? recent;
  }

  retriesWanted(now: number): { webhook_id: string; most: number } | null {
    if (this.#retriesAt > now || this.#retries.length > 0) return null;
    this.#reading += 1;
    return { webhook_id: this.webhook_id, most: LEAST_READ + this.#known.size };
  }

  addRetries(rows: Retry[], most: number, now: number): void {
    const next = rows.find((row) => row.wait > 0);
    if (next) this.#retriesAt = now + next.wait * 1000;
    else this.#retriesAt = rows.length === most ? 0 : Infinity;
    // What was settled during the read may have been asked for once more, and be due again.
    if (rows.some((row) => row.wait <= 0 && this.#settledMeanwhile.has(row.event_id))) this.#retriesAt = 0;
    for (const row of rows) if (row.wait <= 0 && this.#remember(row)) this.#retries.push(row);
    this.endRead();
  }

  /** A read has ended, with an answer or without. */
  endRead(): void {
    this.#reading -= 1;
    if (this.#reading > 0) return;
    for (const id of this.#settledMeanwhile.keys()) this.#known.delete(id);
    this.#settledMeanwhile.clear();
  }

  /** The owner itself moved a delivery to the retries. */
  expectRetry(afterSeconds: number, now: number): void {
    this.#retriesAt = Math.min(this.#retriesAt, now + afterSeconds * 1000);
  }

  /**
   * Takes what is to be begun next; null where nothing waits or no slot is free. While first attempts wait, retries
   * have a quarter of the slots, and none where there are fewer than four; else they leave a quarter free.
   */
  next(now: number, ratePerSecond: number | null): Queued | null {
    if (!this.#slots.hasRoom(now) || !this.#rate.allows(now, ratePerSecond) || now < this.startsAt) return null;
    const { size } = this.#slots;
    const share = this.#firsts.length > 0 ? Math.floor(size / 4) : Math.ceil((size * 3) / 4);
    const retry = this.#retriesUnderWay < share ? this.#retries.shift() : undefined;
    const queued = retry ?? this.#firsts.shift();
    if (!queued) return null;
    if (queued.from === 'retries') this.#retriesUnderWay += 1;
    this.#began(queued.event_id, now, ratePerSecond);
    return queued;
  }

  /**
   * Whether a replay may begin something: only where nothing else waits, and so that half of the slots stay free for
   * what comes meanwhile.
   */
  hasRoomForReplay(now: number, ratePerSecond: number | null): boolean {
    if (this.#mayHaveFirsts || this.#firsts.length > 0 || this.#retries.length > 0) return false;
    if (this.isResting(now) || !this.#rate.allows(now, ratePerSecond) || now < this.startsAt) return false;
    return this.#slots.hasRoom(now) && this.#slots.taken < Math.max(1, Math.floor(this.#slots.size / 2));
  }

  /** Takes a slot for an event of a replay; false where the lane has that event in hand by itself. */
  beginReplayed(eventId: string, now: number, ratePerSecond: number | null): boolean {
    if (this.#known.has(eventId)) return false;
    this.#known.set(eventId, true);
    this.#began(eventId, now, ratePerSecond);
    return true;
  }

  #began(eventId: string, now: number, ratePerSecond: number | null): void {
    this.#slots.take(eventId, now);
    this.#unsettled += 1;
    this.usedAt = now;
    this.#rate.take(now, ratePerSecond);
  }

  /** It was begun and is done with, slot and all. */
  end(queued: Queued, outcome: Answered | null, now: number): void {
    this.answer(queued, outcome, now);
    this.settle(queued);
  }

  /**
   * Its request has ended, and its slot is free: what becomes of it is written meanwhile. A receiver that asks for less is
   * left with fewer slots, as one that hangs, and its word for how long holds for all that waits for it.
   */
  answer(queued: Queued, outcome: Answered | null, now: number): void {
    if (queued.from === 'retries') this.#retriesUnderWay -= 1;
    this.#slots.giveBack(queued.event_id, outcome, now);
    if (outcome?.ok) this.#throttle.relax();
    else if (outcome && asksForLess(outcome)) {
      this.#throttle.heed(outcome, now);
      if (this.#slots.size === 1) this.#throttle.rest(now);
      this.#slots.halve();
    }
  }

  /** What became of it is written. */
  settle(queued: Queued): void {
    this.#unsettled -= 1;
    // A read that began before the row went may still bring it.
    if (this.#reading > 0) this.#settledMeanwhile.set(queued.event_id, true);
    else this.#known.delete(queued.event_id);
  }

  #remember(row: Queued): boolean {
    if (this.#known.has(row.event_id)) return false;
    this.#known.set(row.event_id, true);
    return true;
  }
}
