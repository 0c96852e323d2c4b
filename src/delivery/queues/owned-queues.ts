import { setTimeout as wait } from 'node:timers/promises';
import type { Ctx } from '../../context.ts';
import { BEGINNING, findEndpointsWithDeliveries, sweepOrphans } from './discover.ts';
import { QueueNotifications } from './queue-notifications.ts';
import { EndpointQueue } from './endpoint-queue.ts';
import { LEASE_SECONDS, leaseQueues, leaseDueQueues, releaseQueues, renewQueues, type Lease } from './queue-leases.ts';
import { evictQueues } from './evict-queues.ts';
import type { Worker } from './delivery-worker.ts';

/** The most queues that a worker keeps. If it owns more, it still takes due queues, but releases others for them. */
const MAX_QUEUES = 5_000;
const LEASED_AT_ONCE = 500;
const LEASE_MS = LEASE_SECONDS * 1000;
const RENEW_MS = LEASE_MS / 3;
/** We may renew a lease at this age, and must at the age RENEW_MS. So each poll renews only a part of the leases. */
const RENEW_FROM_MS = RENEW_MS / 2;
const PART_RENEWED = 1 / 10;
const TRIES_AT_STOP = 20;
const BETWEEN_TRIES_MS = 50;
/** A worker that gets notifications searches the table at this interval. Without them it searches at each poll. */
const DISCOVER_MS = 5_000;

/** The endpoint queues that one worker owns. This class leases, renews and releases them. */
export class OwnedQueues {
  readonly #ctx: Ctx;
  readonly #worker: Worker;
  readonly #most: number;
  /** The owned queues by endpoint id. The queue with the oldest lease comes first. */
  readonly #queues = new Map<string, EndpointQueue>();
  /** Queues that may have a delivery to start. The queue that was served last comes last. */
  readonly #ready = new Set<EndpointQueue>();
  readonly #toRelease = new Set<EndpointQueue>();
  readonly #notifications = new QueueNotifications();
  #discoverFrom = BEGINNING;
  /** True while the worker must search the whole table: at the start, and after a gap in the notifications. */
  #discovering = true;
  #discoveredAt = -Infinity;

  constructor(ctx: Ctx, worker: Worker, most = MAX_QUEUES) {
    this.#ctx = ctx;
    this.#worker = worker;
    this.#most = most;
  }

  /** Adds the payload of a notification. It may name queues of other workers too. */
  notify(payload: string): void {
    if (!this.#notifications.add(payload)) this.lookEverywhere();
  }

  /** Makes the worker read all its queues and search the table, because it may have missed notifications. */
  lookEverywhere(): void {
    this.#discovering = true;
    this.#discoverFrom = BEGINNING;
    for (const queue of this.#queues.values()) {
      queue.lookFromBeginning();
      this.#ready.add(queue);
    }
  }

  /** Stops all starts until the leases are renewed, because other workers may have declared this worker dead. */
  doubt(): void {
    for (const queue of this.#queues.values()) queue.leasedUntil = -Infinity;
  }

  /**
   * Ends the pauses of an endpoint's queue, because the endpoint has changed. The change may have removed their reason.
   */
  resume(webhookId: string): void {
    const queue = this.#queues.get(webhookId);
    if (!queue) return;
    queue.resume();
    this.#ready.add(queue);
  }

  /** Leases the queues that notifications named, and reads those that this worker already owns. */
  async takeNotified(): Promise<void> {
    const foreign: string[] = [];
    for (const [id, eventIds] of this.#notifications.all) {
      const queue = this.#queues.get(id);
      if (queue) {
        if (eventIds) queue.addNotified(eventIds);
        else queue.look();
        // If the worker releases the queue because it owns too many, a notification does not stop the release.
        if (queue.othersFirstSeconds === 0) this.#toRelease.delete(queue);
        this.#ready.add(queue);
      } else if (foreign.length < LEASED_AT_ONCE) foreign.push(id);
      else continue;
      this.#notifications.forget(id);
    }
    if (foreign.length === 0) return;
    try {
      await this.#lease((owner) => leaseQueues(this.#ctx.db, owner, foreign));
    } catch (error) {
      for (const id of foreign) this.notify(id);
      throw error;
    }
  }

  /** Leases queues that are due, whose worker died, or whose notification was lost. Returns true if more wait. */
  async poll(): Promise<boolean> {
    // We renew first. A lease may have ended while the database was unavailable. If no other worker has taken the
    // queue, the renewal succeeds, and we can still write the outcomes of its deliveries.
    await this.renewDue();
    const woken = await this.#worker.poll(this.#ctx.db);
    if (woken > 0)
      this.#ctx.log.warn({ queues: woken }, 'a worker died or was cut off; its endpoint queues are taken over');
    const taken = await this.#lease((owner) => leaseDueQueues(this.#ctx.db, owner, LEASED_AT_ONCE));
    await this.#discoverIfDue();
    const now = performance.now();
    for (const queue of this.#queues.values()) if (queue.isReady(now)) this.#ready.add(queue);
    return taken === LEASED_AT_ONCE && this.#queues.size < this.#most;
  }

  /** Searches the table for deliveries. A listening worker needs this only if a notification was lost. */
  async #discoverIfDue(): Promise<void> {
    const now = performance.now();
    if (!this.#discovering && this.#worker.isListening && now - this.#discoveredAt < DISCOVER_MS) return;
    this.#discoveredAt = now;
    try {
      do await this.#discover();
      while (this.#discovering && this.#queues.size < this.#most);
    } catch (error) {
      this.#discovering = true;
      throw error;
    }
  }

  async #discover(): Promise<void> {
    const everything = this.#discovering;
    this.#discovering = false;
    const found = await findEndpointsWithDeliveries(this.#ctx.db, this.#discoverFrom, LEASED_AT_ONCE);
    // A worker that does not listen receives no notifications for the queues that it owns either, so it reads them now.
    if (!this.#worker.isListening) for (const id of found) this.#markForReading(id);
    const foreign = found.filter((id) => !this.#queues.has(id));
    if (foreign.length > 0) {
      await this.#lease((owner) => leaseQueues(this.#ctx.db, owner, foreign));
      await sweepOrphans(
        this.#ctx.db,
        foreign.filter((id) => !this.#queues.has(id)),
      );
    }
    // If `lookEverywhere` was called during this search, the next search starts from the beginning.
    if (this.#discovering) return;
    const isFull = found.length === LEASED_AT_ONCE;
    this.#discovering = everything && isFull;
    this.#discoverFrom = isFull ? (found.at(-1) as string) : BEGINNING;
  }

  #markForReading(id: string): void {
    const queue = this.#queues.get(id);
    if (!queue) return;
    queue.look();
    this.#ready.add(queue);
  }

  /** Returns those of the given queues that this worker owns. It first leases those that no worker owned. */
  async take(webhookIds: string[]): Promise<EndpointQueue[]> {
    const foreign = webhookIds.filter((id) => !this.#queues.has(id));
    if (foreign.length > 0) await this.#lease((owner) => leaseQueues(this.#ctx.db, owner, foreign));
    return webhookIds
      .map((id) => this.#queues.get(id))
      .filter((queue) => queue !== undefined && this.isOwned(queue)) as EndpointQueue[];
  }

  /** True if this worker may start deliveries of the queue. */
  isOwned(queue: EndpointQueue): boolean {
    const isOwn = this.#queues.get(queue.webhook_id) === queue && !this.#toRelease.has(queue);
    return isOwn && queue.leasedUntil > performance.now();
  }

  /** Returns the queues that may have a delivery to start. The caller calls `putLast` for each queue that it serves. */
  ready(now: number): EndpointQueue[] {
    for (const queue of this.#ready) if (!queue.isReady(now) || !this.isOwned(queue)) this.#ready.delete(queue);
    return [...this.#ready];
  }

  /** Marks the queue as ready, because one of its deliveries ended and another may start. */
  ended(queue: EndpointQueue): void {
    if (this.#queues.get(queue.webhook_id) === queue) this.#ready.add(queue);
  }

  putLast(queue: EndpointQueue): void {
    if (this.#ready.delete(queue)) this.#ready.add(queue);
  }

  /** Returns the earliest time at which the rate limit or pause of a queue ends. Infinity if no queue waits. */
  nextStart(now: number): number {
    let next = Infinity;
    for (const queue of this.#ready) if (queue.startsAt > now) next = Math.min(next, queue.startsAt);
    return next;
  }

  /** Marks a queue for release. `releaseLeft` releases it when none of its deliveries is under way. */
  leave(queue: EndpointQueue): void {
    queue.lookFromBeginning();
    this.#toRelease.add(queue);
  }

  /** Releases the idle queues that `leave` marked. If the worker owns too many queues, it marks some of them first. */
  async releaseLeft(): Promise<void> {
    if (this.#queues.size - this.#toRelease.size > this.#most) {
      const staying = [...this.#queues.values()].filter((queue) => !this.#toRelease.has(queue));
      for (const queue of evictQueues(staying, this.#most)) this.leave(queue);
    }
    await this.#release([...this.#toRelease].filter((queue) => queue.isIdle));
  }

  /** Releases all idle queues, or all queues. If rows are locked, it tries again for a short time. */
  async releaseAll(which: 'idle' | 'all'): Promise<void> {
    for (let tries = 1; tries <= TRIES_AT_STOP; tries += 1) {
      const locked = await this.#release([...this.#queues.values()].filter((queue) => which === 'all' || queue.isIdle));
      if (locked.length === 0) return;
      await wait(BETWEEN_TRIES_MS);
    }
  }

  /** Renews the leases that are due. If the row of a queue is locked, its lease stays due. */
  async renewDue(): Promise<void> {
    const now = performance.now();
    const atOnce = Math.ceil(this.#queues.size * PART_RENEWED);
    const due: EndpointQueue[] = [];
    for (const queue of this.#queues.values()) {
      const age = now + LEASE_MS - queue.leasedUntil;
      if (age < RENEW_FROM_MS || (age < RENEW_MS && due.length >= atOnce)) break;
      due.push(queue);
    }
    await this.#renew(due, now);
  }

  /** Leases queues and returns their number. */
  async #lease(ask: (owner: string) => Promise<Lease[]>): Promise<number> {
    const askedAt = performance.now();
    const owner = this.#worker.id;
    const leases = await ask(owner);
    if (owner !== this.#worker.id) {
      await releaseQueues(this.#ctx.db, leases);
      return 0;
    }
    for (const lease of leases) {
      const queue = new EndpointQueue(lease, this.#ctx.config.webhookInFlightPerEndpoint, askedAt);
      this.#queues.set(queue.webhook_id, queue);
      this.#ready.add(queue);
    }
    return leases.length;
  }

  async #renew(due: EndpointQueue[], now: number): Promise<void> {
    const owner = this.#worker.id;
    const renewing: EndpointQueue[] = [];
    const idle: EndpointQueue[] = [];
    for (const queue of due) {
      const waits = queue.isReady(now) || queue.isResting(now) || queue.hasReplay;
      const used = !queue.isIdle || waits || queue.usedAt > now - RENEW_MS;
      (used ? renewing : idle).push(queue);
    }
    const renewals = new Map(
      (await renewQueues(this.#ctx.db, owner, renewing)).map((queue) => [queue.webhook_id, queue.renewed]),
    );
    for (const queue of renewing) {
      const renewed = renewals.get(queue.webhook_id);
      if (renewed === undefined) {
        // Another worker owns the queue now. If we have started a delivery of the queue and are still loading its
        // event, we do not send it.
        queue.leasedUntil = -Infinity;
        this.#forget(queue);
      } else {
        queue.lookFromBeginning();
        this.#ready.add(queue);
      }
      if (renewed && owner === this.#worker.id) this.#extendLease(queue, now + LEASE_MS);
    }
    await this.#release(idle);
  }

  #extendLease(queue: EndpointQueue, until: number): void {
    queue.leasedUntil = until;
    if (this.#queues.delete(queue.webhook_id)) this.#queues.set(queue.webhook_id, queue);
  }

  /**
   * Releases queues. Returns those whose row was locked, which are released later. A notification that arrives during
   * the release must lease the queue again, so the function removes the queues from the map first.
   */
  async #release(queues: EndpointQueue[]): Promise<EndpointQueue[]> {
    for (const queue of queues) this.#forget(queue);
    const locked = new Set(await releaseQueues(this.#ctx.db, queues));
    const remaining = queues.filter((queue) => locked.has(queue.webhook_id));
    for (const queue of remaining) {
      this.#queues.set(queue.webhook_id, queue);
      this.leave(queue);
    }
    return remaining;
  }

  #forget(queue: EndpointQueue): void {
    if (this.#queues.get(queue.webhook_id) === queue) this.#queues.delete(queue.webhook_id);
    this.#ready.delete(queue);
    this.#toRelease.delete(queue);
  }
}
