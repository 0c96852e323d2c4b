import type { Owner } from '../../fair/round-robin.ts';
import { minIdAt } from '../../ids.ts';
import { BEGINNING } from './discover.ts';
import { LEASE_SECONDS, type Lease } from './queue-leases.ts';
import { firstAttempt, type Queued, type Retry } from './read-queue.ts';
import { Rate } from './rate.ts';
import { Slots } from './slots.ts';
import { asksForLess, Throttle, type LoadSignal } from './throttle.ts';
import type { SendOutcome } from '../sending/send.ts';
import { TransientMap } from '../../transient-map.ts';

/**
 * The fewest ids that one read asks for. We read more ids than there are slots. Otherwise an endpoint that responds
 * fast would need a read for each delivery, and would wait for it.
 */
const MIN_READ = 16;

/**
 * An event gets its id before its transaction commits, so ids do not become visible in their order. If an event becomes
 * visible within this time, the next read finds it. If it becomes visible later, only the read after the renewal of the
 * lease finds it.
 */
const LATE_COMMIT_MS = 10_000;

/** The properties of an outcome that show whether the endpoint can handle its load. */
type Answered = LoadSignal & Pick<SendOutcome, 'error' | 'duration_ms'>;

/** The state of one endpoint queue in the worker that owns it. All times are values of performance.now(). */
export class EndpointQueue {
  readonly webhook_id: string;
  readonly team_id: string;
  readonly owner: Owner;
  readonly fence: number;
  /** The end of the lease. We start nothing after this time, because another worker may own the queue by then. */
  leasedUntil: number;
  /** The time when the last delivery started, or when the worker took the queue if none has started. */
  usedAt: number;
  /**
   * True if a replay sends to the endpoint, or waits to send to it. The worker then does not release the queue as idle.
   */
  hasReplay = false;
  /**
   * A worker that owns too many queues releases some. After the release of this queue, no poll takes it for this many
   * seconds, so that other queues come first. 0 if the worker does not release it for that reason.
   */
  othersFirstSeconds = 0;
  readonly #rate = new Rate();
  readonly #throttle = new Throttle();
  /** The end of the queue's pause. We start nothing before this time. */
  #restsUntil = 0;

  readonly #slots: Slots;
  #retriesUnderWay = 0;
  /** The number of deliveries that were started and whose outcome is not written yet. */
  #unrecorded = 0;
  #firsts: Queued[] = [];
  #retries: Queued[] = [];
  /**
   * Ids of events that we read and whose outcome is not written yet. Their rows still exist, so a second read returns
   * them again, and we must skip them.
   */
  readonly #known = new TransientMap<string, true>();
  /** The number of reads under way. Such a read may still return a row whose outcome we write meanwhile. */
  #reading = 0;
  readonly #recordedMeanwhile = new TransientMap<string, true>();
  #mayHaveFirsts = true;
  #after = BEGINNING;
  /** True if `lookFromBeginning` was called during a read. That read then must not change `#after`. */
  #fromBeginning = false;
  #retriesAt = 0;

  constructor(lease: Lease, maxSlots: number, askedAt: number) {
    this.webhook_id = lease.webhook_id;
    this.team_id = lease.team_id;
    this.owner = { org: lease.org_id, team: lease.team_id };
    this.fence = lease.fence;
    this.leasedUntil = askedAt + LEASE_SECONDS * 1000;
    this.usedAt = askedAt;
    this.#slots = new Slots(maxSlots);
  }

  get isIdle(): boolean {
    return this.#unrecorded === 0;
  }

  /** Makes the next round read the queue, because deliveries may have been added. */
  look(): void {
    this.#mayHaveFirsts = true;
    this.#retriesAt = 0;
  }

  /**
   * Adds deliveries that a notification named. If no other first attempts wait before them, we start them without
   * reading the queue.
   */
  addNotified(eventIds: string[]): void {
    if (this.#mayHaveFirsts || this.#firsts.length + eventIds.length > MIN_READ) this.#mayHaveFirsts = true;
    else
      this.#addFirsts(eventIds.map((event_id) => firstAttempt({ webhook_id: this.webhook_id, event_id }, 'notified')));
  }

  /**
   * Like `look`, but the next read starts at the first row. So it also finds rows that became visible late and whose
   * ids are smaller than the last id that was read.
   */
  lookFromBeginning(): void {
    this.look();
    this.#after = BEGINNING;
    this.#fromBeginning = true;
  }

  /** Pauses the queue after a delivery could not be started. */
  postpone(ms: number, now: number): void {
    this.#restsUntil = Math.max(this.#restsUntil, now + ms);
  }

  /**
   * Ends all pauses of the queue. Their reason may have ended, for example because the customer changed an address that
   * did not respond.
   */
  resume(): void {
    this.#restsUntil = 0;
    this.#slots.restsUntil = 0;
    this.#throttle.forget();
  }

  /** The time before which the rate limit, the slots and the throttle allow no start. */
  get startsAt(): number {
    return Math.max(this.#rate.startsAt, this.#slots.restsUntil, this.#throttle.until);
  }

  isResting(now: number): boolean {
    return this.#restsUntil > now;
  }

  /** True if a slot is free and there may be a delivery to start. */
  isReady(now: number): boolean {
    if (this.isResting(now) || !this.#slots.hasFreeSlot(now)) return false;
    return this.#mayHaveFirsts || this.#firsts.length > 0 || this.#retries.length > 0 || this.#retriesAt <= now;
  }

  firstAttemptsWanted(): { webhook_id: string; after: string; most: number } | null {
    if (!this.#mayHaveFirsts || this.#firsts.length > this.#slots.size / 2) return null;
    this.#mayHaveFirsts = false;
    this.#fromBeginning = false;
    this.#reading += 1;
    const most = Math.max(MIN_READ, this.#slots.size * 2) + this.#known.size;
    return { webhook_id: this.webhook_id, after: this.#after, most };
  }

  /** Adds rows that were read. If the read returned `most` rows, more rows may follow them. */
  addFirsts(rows: Queued[], most: number): void {
    this.#addFirsts(rows);
    if (rows.length === most) this.#mayHaveFirsts = true;
    if (!this.#fromBeginning) this.#moveOn(rows.length === most ? rows.at(-1) : undefined);
    this.endRead();
  }

  #addFirsts(rows: Queued[]): void {
    for (const row of rows) if (this.#remember(row)) this.#firsts.push(row);
  }

  /**
   * Sets where the next read begins. If more rows may follow, it begins after `last`. If we have read all rows, it
   * begins a few seconds back, at the first id whose event may still become visible.
   */
  #moveOn(last: Queued | undefined): void {
    const recent = minIdAt(Date.now() - LATE_COMMIT_MS);
    // This read began behind `recent`. So it missed an event with a smaller id that became visible late. The
    // notification of that event may already have arrived, so nothing else causes another read. So we read again.
    if (!last && this.#after > recent) this.#mayHaveFirsts = true;
    this.#after = last?.event_id ?? recent;
  }

  retriesWanted(now: number): { webhook_id: string; most: number } | null {
    if (this.#retriesAt > now || this.#retries.length > 0) return null;
    this.#reading += 1;
    return { webhook_id: this.webhook_id, most: MIN_READ + this.#known.size };
  }

  addRetries(rows: Retry[], most: number, now: number): void {
    const next = rows.find((row) => row.wait > 0);
    if (next) this.#retriesAt = now + next.wait * 1000;
    else this.#retriesAt = rows.length === most ? 0 : Infinity;
    // During this read we wrote the outcome of a delivery that the read returned as due. The row may be from before the
    // outcome. Or a customer has requested the delivery again, and it is really due. So we read again.
    if (rows.some((row) => row.wait <= 0 && this.#recordedMeanwhile.has(row.event_id))) this.#retriesAt = 0;
    for (const row of rows) if (row.wait <= 0 && this.#remember(row)) this.#retries.push(row);
    this.endRead();
  }

  /** Call it after every read, also if the read failed. */
  endRead(): void {
    this.#reading -= 1;
    if (this.#reading > 0) return;
    for (const id of this.#recordedMeanwhile.keys()) this.#known.delete(id);
    this.#recordedMeanwhile.clear();
  }

  /** Schedules a read of the retries, because this worker moved a failed delivery to them. */
  expectRetry(afterSeconds: number, now: number): void {
    this.#retriesAt = Math.min(this.#retriesAt, now + afterSeconds * 1000);
  }

  /**
   * Returns the next delivery to start, or null if nothing waits or no slot is free. Retries must not use all slots.
   * While first attempts wait, retries may use a quarter of the slots, rounded down. Otherwise they may use three
   * quarters, rounded up.
   */
  next(now: number, ratePerSecond: number | null): Queued | null {
    if (!this.#slots.hasFreeSlot(now) || !this.#rate.allows(now, ratePerSecond) || now < this.startsAt) return null;
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
   * True if a webhook replay may start a delivery. It may not while any other delivery waits. A replay uses at most
   * half of the slots, so that slots are free for deliveries that arrive meanwhile.
   */
  hasSlotForReplay(now: number, ratePerSecond: number | null): boolean {
    if (this.#mayHaveFirsts || this.#firsts.length > 0 || this.#retries.length > 0) return false;
    if (this.isResting(now) || !this.#rate.allows(now, ratePerSecond) || now < this.startsAt) return false;
    return this.#slots.hasFreeSlot(now) && this.#slots.taken < Math.max(1, Math.floor(this.#slots.size / 2));
  }

  /** Takes a slot for an event of a replay. Returns false if the queue already has a delivery of that event. */
  beginReplayed(eventId: string, now: number, ratePerSecond: number | null): boolean {
    if (this.#known.has(eventId)) return false;
    this.#known.set(eventId, true);
    this.#began(eventId, now, ratePerSecond);
    return true;
  }

  #began(eventId: string, now: number, ratePerSecond: number | null): void {
    this.#slots.take(eventId, now);
    this.#unrecorded += 1;
    this.usedAt = now;
    this.#rate.take(now, ratePerSecond);
  }

  /** Ends a delivery: frees its slot and marks its outcome as recorded. */
  end(queued: Queued, outcome: Answered | null, now: number): void {
    this.answer(queued, outcome, now);
    this.markRecorded(queued);
  }

  /**
   * Frees the slot of a delivery whose request has ended. The caller writes the outcome afterwards. If the endpoint
   * asks for fewer requests or timed out, the queue gets fewer slots. The Retry-After of one response applies to the
   * entire queue.
   */
  answer(queued: Queued, outcome: Answered | null, now: number): void {
    if (queued.from === 'retries') this.#retriesUnderWay -= 1;
    this.#slots.release(queued.event_id, outcome, now);
    if (outcome?.ok) this.#throttle.relax();
    else if (outcome && asksForLess(outcome)) {
      this.#throttle.heed(outcome, now);
      if (this.#slots.size === 1) this.#throttle.rest(now);
      this.#slots.halve();
    }
  }

  /** Call it after the outcome of the delivery was written. */
  markRecorded(queued: Queued): void {
    this.#unrecorded -= 1;
    // A read that began before the row was deleted may still return the row.
    if (this.#reading > 0) this.#recordedMeanwhile.set(queued.event_id, true);
    else this.#known.delete(queued.event_id);
  }

  #remember(row: Queued): boolean {
    if (this.#known.has(row.event_id)) return false;
    this.#known.set(row.event_id, true);
    return true;
  }
}
