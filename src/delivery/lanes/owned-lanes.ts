import { setTimeout as wait } from 'node:timers/promises';
import type { Ctx } from '../../context.ts';
import { BEGINNING, receiversWithDeliveries, sweepOrphans } from './discover.ts';
import { Hints } from './hints.ts';
import { Lane } from './lane.ts';
import { LEASE_SECONDS, leaseLanes, leaseLanesThatWake, releaseLanes, renewLanes, type Lease } from './lanes.ts';
import { makeRoom } from './make-room.ts';
import type { Worker } from './workers.ts';

/** What wakes or is told of is taken beyond it too: others have to go then. */
const MOST_LANES = 5_000;
const LEASED_AT_ONCE = 500;
const LEASE_MS = LEASE_SECONDS * 1000;
const RENEW_MS = LEASE_MS / 3;
/** From half of that on lanes are renewed a part at a time, since each is read from its beginning then: all at one go would be in the way. */
const RENEW_FROM_MS = RENEW_MS / 2;
const PART_RENEWED = 1 / 10;
const TRIES_AT_STOP = 20;
const BETWEEN_TRIES_MS = 50;
/** Of one that listens; any other scans with every patrol. */
const SCAN_MS = 5_000;

/** The lanes of one worker: how it comes to them, keeps them and lets go of them. */
export class OwnedLanes {
  readonly #ctx: Ctx;
  readonly #worker: Worker;
  readonly #most: number;
  /** The one whose lease is the oldest first. */
  readonly #lanes = new Map<string, Lane>();
  /** Lanes in which there may be something to begin, the one begun with last at the end. */
  readonly #ready = new Set<Lane>();
  readonly #leaving = new Set<Lane>();
  readonly #hints = new Hints();
  #scanFrom = BEGINNING;
  /** Everything is looked through at the start and after each gap in what was heard; else a part now and then. */
  #scanning = true;
  #scannedAt = -Infinity;

  constructor(ctx: Ctx, worker: Worker, most = MOST_LANES) {
    this.#ctx = ctx;
    this.#worker = worker;
    this.#most = most;
  }

  /** What a notification tells, of any lane. */
  hint(payload: string): void {
    if (!this.#hints.add(payload)) this.lookEverywhere();
  }

  /** Notifications may have been missed. */
  lookEverywhere(): void {
    this.#scanning = true;
    this.#scanFrom = BEGINNING;
    for (const lane of this.#lanes.values()) {
      lane.lookFromBeginning();
      this.#ready.add(lane);
    }
  }

  /** The worker was taken for dead, or may be: nothing is begun in its lanes until they are renewed, unless others have them. */
  doubt(): void {
    for (const lane of this.#lanes.values()) lane.leasedUntil = -Infinity;
  }

  /** A receiver was changed: a lane that was put off for what was stored of it need not rest any longer. */
  resume(webhookId: string): void {
    const lane = this.#lanes.get(webhookId);
    if (!lane) return;
    lane.resume();
    this.#ready.add(lane);
  }

  /** Takes the lanes that hints are about. */
  async takeHinted(): Promise<void> {
    const foreign: string[] = [];
    for (const [id, eventIds] of this.#hints.all) {
      const lane = this.#lanes.get(id);
      if (lane) {
        if (eventIds) lane.tell(eventIds);
        else lane.look();
        // One that makes room is taken again in its turn, by what is told of it too.
        if (lane.othersFirstSeconds === 0) this.#leaving.delete(lane);
        this.#ready.add(lane);
      } else if (foreign.length < LEASED_AT_ONCE) foreign.push(id);
      else continue;
      this.#hints.forget(id);
    }
    if (foreign.length === 0) return;
    try {
      await this.#lease((owner) => leaseLanes(this.#ctx.db, owner, foreign));
    } catch (error) {
      for (const id of foreign) this.hint(id);
      throw error;
    }
  }

  /**
   * What nobody tells of: retries that come due, lanes of workers that died, and events told while nobody listened.
   * Answers whether more lanes wait to be taken.
   */
  async patrol(): Promise<boolean> {
    // First: a lease that ran out while the database was away holds on if nobody took the lane, outcomes and all.
    await this.renewDue();
    const woken = await this.#worker.patrol(this.#ctx.db);
    if (woken > 0) this.#ctx.log.warn({ lanes: woken }, 'a worker died or was cut off; its lanes are taken over');
    const taken = await this.#lease((owner) => leaseLanesThatWake(this.#ctx.db, owner, LEASED_AT_ONCE));
    await this.#scanIfDue();
    const now = performance.now();
    for (const lane of this.#lanes.values()) if (lane.isReady(now)) this.#ready.add(lane);
    return taken === LEASED_AT_ONCE && this.#lanes.size < this.#most;
  }

  /** A worker that listens hears what is queued: it scans for what was told and not heard, which nobody knows to happen. */
  async #scanIfDue(): Promise<void> {
    const now = performance.now();
    if (!this.#scanning && this.#worker.isListening && now - this.#scannedAt < SCAN_MS) return;
    this.#scannedAt = now;
    try {
      do await this.#scan();
      while (this.#scanning && this.#lanes.size < this.#most);
    } catch (error) {
      this.#scanning = true;
      throw error;
    }
  }

  async #scan(): Promise<void> {
    const everything = this.#scanning;
    this.#scanning = false;
    const found = await receiversWithDeliveries(this.#ctx.db, this.#scanFrom, LEASED_AT_ONCE);
    // Nobody tells of what is queued in its own either.
    if (!this.#worker.isListening) for (const id of found) this.#lookInto(id);
    const foreign = found.filter((id) => !this.#lanes.has(id));
    if (foreign.length > 0) {
      await this.#lease((owner) => leaseLanes(this.#ctx.db, owner, foreign));
      await sweepOrphans(
        this.#ctx.db,
        foreign.filter((id) => !this.#lanes.has(id)),
      );
    }
    // What was asked for meanwhile begins anew.
    if (this.#scanning) return;
    const isFull = found.length === LEASED_AT_ONCE;
    this.#scanning = everything && isFull;
    this.#scanFrom = isFull ? (found.at(-1) as string) : BEGINNING;
  }

  #lookInto(id: string): void {
    const lane = this.#lanes.get(id);
    if (!lane) return;
    lane.look();
    this.#ready.add(lane);
  }

  /** Those of the lanes that are its own, or that nobody holds. */
  async take(webhookIds: string[]): Promise<Lane[]> {
    const foreign = webhookIds.filter((id) => !this.#lanes.has(id));
    if (foreign.length > 0) await this.#lease((owner) => leaseLanes(this.#ctx.db, owner, foreign));
    return webhookIds
      .map((id) => this.#lanes.get(id))
      .filter((lane) => lane !== undefined && this.holds(lane)) as Lane[];
  }

  /** Whether something of the lane may be begun. */
  holds(lane: Lane): boolean {
    const isOwn = this.#lanes.get(lane.webhook_id) === lane && !this.#leaving.has(lane);
    return isOwn && lane.leasedUntil > performance.now();
  }

  /** Lanes to begin with; whoever begins with one puts it behind the others (`putLast`). */
  ready(now: number): Lane[] {
    for (const lane of this.#ready) if (!lane.isReady(now) || !this.holds(lane)) this.#ready.delete(lane);
    return [...this.#ready];
  }

  /** Something of the lane ended, so that something else of it may begin. */
  ended(lane: Lane): void {
    if (this.#lanes.get(lane.webhook_id) === lane) this.#ready.add(lane);
  }

  putLast(lane: Lane): void {
    if (this.#ready.delete(lane)) this.#ready.add(lane);
  }

  /** When a receiver's rate, or its rest, allows the next delivery; Infinity where nothing waits for that. */
  nextStart(now: number): number {
    let next = Infinity;
    for (const lane of this.#ready) if (lane.startsAt > now) next = Math.min(next, lane.startsAt);
    return next;
  }

  /** Lets go of a lane, such as that of a disabled receiver, as soon as nothing of it is under way. */
  leave(lane: Lane): void {
    lane.lookFromBeginning();
    this.#leaving.add(lane);
  }

  /** Lets go of what is left and has nothing under way, and of lanes beyond those that a worker may hold. */
  async releaseLeft(): Promise<void> {
    if (this.#lanes.size - this.#leaving.size > this.#most) {
      const staying = [...this.#lanes.values()].filter((lane) => !this.#leaving.has(lane));
      for (const lane of makeRoom(staying, this.#most)) this.leave(lane);
    }
    await this.#release([...this.#leaving].filter((lane) => lane.isIdle));
  }

  /** Lets go of every lane with nothing under way, or of all. */
  async releaseAll(which: 'idle' | 'all'): Promise<void> {
    for (let tries = 1; tries <= TRIES_AT_STOP; tries += 1) {
      const locked = await this.#release([...this.#lanes.values()].filter((lane) => which === 'all' || lane.isIdle));
      if (locked.length === 0) return;
      await wait(BETWEEN_TRIES_MS);
    }
  }

  /** What could not be renewed, because somebody locks it, is due again at once. */
  async renewDue(): Promise<void> {
    const now = performance.now();
    const atOnce = Math.ceil(this.#lanes.size * PART_RENEWED);
    const due: Lane[] = [];
    for (const lane of this.#lanes.values()) {
      const age = now + LEASE_MS - lane.leasedUntil;
      if (age < RENEW_FROM_MS || (age < RENEW_MS && due.length >= atOnce)) break;
      due.push(lane);
    }
    await this.#renew(due, now);
  }

  /** Answers how many lanes it got. */
  async #lease(ask: (owner: string) => Promise<Lease[]>): Promise<number> {
    const askedAt = performance.now();
    const owner = this.#worker.id;
    const leases = await ask(owner);
    if (owner !== this.#worker.id) {
      await releaseLanes(this.#ctx.db, leases);
      return 0;
    }
    for (const lease of leases) {
      const lane = new Lane(lease, this.#ctx.config.webhookInFlightPerEndpoint, askedAt);
      this.#lanes.set(lane.webhook_id, lane);
      this.#ready.add(lane);
    }
    return leases.length;
  }

  async #renew(due: Lane[], now: number): Promise<void> {
    const owner = this.#worker.id;
    const kept: Lane[] = [];
    const idle: Lane[] = [];
    for (const lane of due) {
      const waits = lane.isReady(now) || lane.isResting(now) || lane.hasReplay;
      const used = !lane.isIdle || waits || lane.usedAt > now - RENEW_MS;
      (used ? kept : idle).push(lane);
    }
    const held = new Map((await renewLanes(this.#ctx.db, owner, kept)).map((lane) => [lane.webhook_id, lane.renewed]));
    for (const lane of kept) {
      const renewed = held.get(lane.webhook_id);
      if (renewed === undefined) {
        // Somebody else's: also what has begun and is being read is not sent.
        lane.leasedUntil = -Infinity;
        this.#forget(lane);
      } else {
        lane.lookFromBeginning();
        this.#ready.add(lane);
      }
      if (renewed && owner === this.#worker.id) this.#prolong(lane, now + LEASE_MS);
    }
    await this.#release(idle);
  }

  #prolong(lane: Lane, until: number): void {
    lane.leasedUntil = until;
    if (this.#lanes.delete(lane.webhook_id)) this.#lanes.set(lane.webhook_id, lane);
  }

  /**
   * Lets go of lanes and answers those that were locked, which are left later. Out of the map first: what is told of a
   * lane from here on takes it anew.
   */
  async #release(lanes: Lane[]): Promise<Lane[]> {
    for (const lane of lanes) this.#forget(lane);
    const locked = new Set(await releaseLanes(this.#ctx.db, lanes));
    const kept = lanes.filter((lane) => locked.has(lane.webhook_id));
    for (const lane of kept) {
      this.#lanes.set(lane.webhook_id, lane);
      this.leave(lane);
    }
    return kept;
  }

  #forget(lane: Lane): void {
    if (this.#lanes.get(lane.webhook_id) === lane) this.#lanes.delete(lane.webhook_id);
    this.#ready.delete(lane);
    this.#leaving.delete(lane);
  }
}
