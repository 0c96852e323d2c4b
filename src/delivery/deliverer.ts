import { setTimeout as wait } from 'node:timers/promises';
import type { Ctx } from '../context.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { Outage } from '../db/session/outage.ts';
import { Threshold } from '../fair/threshold.ts';
import type { Metrics } from '../metrics.ts';
import { combineCalls } from './combine-calls.ts';
import { Attempts, type BegunDelivery } from './attempts.ts';
import { EndpointCache, type Endpoint } from './endpoint-cache.ts';
import { ServingOrder } from './queues/serving-order.ts';
import type { EndpointQueue } from './queues/endpoint-queue.ts';
import { OwnedQueues } from './queues/owned-queues.ts';
import { fillQueues } from './queues/fill-queues.ts';
import { Worker } from './queues/delivery-worker.ts';
import { Replayer } from './replays/replayer.ts';
import type { Sender } from './sending/send.ts';
import { Starts } from './starts.ts';

const MAX_UNDER_WAY = 512;
/**
 * The most deliveries that one round starts. More of them would connect and respond at the same moment, and delay all
 * other work of the process.
 */
const BEGUN_AT_ONCE = 64;
/**
 * When a slot or permit becomes free, the next round starts after this time, or as soon as BEGUN_AT_ONCE of them are
 * free. So several deliveries start together, and one statement reads their events.
 */
const GATHER_MS = 4;
/** The interval between two polls of the queues. Polls also find work for which no notification arrived. */
const POLL_MS = 1_000;
const AFTER_DATABASE_ERROR_MS = 500;
/** If we cannot decrypt the stored values of an endpoint, its queue pauses for this time. */
const AFTER_UNREADABLE_MS = 30_000;
/** `untilIdle` also waits for replays that are due within this time. */
const SOON_MS = 250;

type Dependencies = {
  sender: Sender;
  metrics: Pick<Metrics, 'attempts' | 'deliveriesUnderWay'>;
  /** The most endpoint queues that the worker owns at the same time. */
  maxQueues?: number | undefined;
};

/**
 * The main loop of a delivery worker. Until it is stopped, it leases endpoint queues, sends the deliveries that are due
 * and writes their outcomes.
 */
export class Deliverer {
  /** The identity of this process as a delivery worker. Other parts of the process use its id for their leases too. */
  readonly worker = new Worker();
  readonly #ctx: Ctx;
  readonly #sender: Sender;
  readonly #permits = new Threshold(MAX_UNDER_WAY);
  readonly #servingOrder = new ServingOrder();
  readonly #readingOrder = new ServingOrder();
  readonly #queues: OwnedQueues;
  readonly #endpoints: EndpointCache;
  readonly #attempts: Attempts;
  readonly #replayer: Replayer;
  readonly #starts = new Starts(() => this.#wake());
  readonly #outage: Outage;
  #running: Promise<unknown> = Promise.resolve();
  #stopping = false;
  #woken = true;
  #polledAt = -Infinity;
  #wakeSleeper = (): void => undefined;
  readonly #wakeSoon = combineCalls(() => this.#wake(), { most: BEGUN_AT_ONCE, ms: GATHER_MS });

  constructor(teamless: Ctx, { sender, metrics, maxQueues }: Dependencies) {
    const ctx = acrossTeams(teamless);
    this.#ctx = ctx;
    this.#sender = sender;
    const [permits, queues] = [this.#permits, new OwnedQueues(ctx, this.worker, maxQueues)];
    const onEnd = (queue: EndpointQueue): void => {
      queues.ended(queue);
      this.#wakeSoon();
    };
    this.#queues = queues;
    this.#endpoints = new EndpointCache(ctx);
    this.#attempts = new Attempts(ctx, { sender, metrics, permits, onEnd });
    this.#replayer = new Replayer(ctx, { queues, endpoints: this.#endpoints, attempts: this.#attempts, permits });
    this.#outage = new Outage(ctx.log, 'due deliveries cannot be read; trying again');
  }

  /** Starts the main loop and the replayer. They run until `stop` is called. */
  run(): void {
    this.#running = Promise.all([this.#loop(), this.#replayer.run()]);
  }

  /** Handles a notification of DELIVERIES_CHANNEL: deliveries were queued. */
  hear(payload: string): void {
    this.#queues.notify(payload);
    this.#wake();
  }

  /** Handles a notification of ENDPOINTS_CHANNEL: an endpoint was changed. */
  forget(endpointId: string): void {
    this.#endpoints.forget(endpointId);
    this.#queues.resume(endpointId);
    this.#replayer.look(endpointId);
    this.#wake();
  }

  /** Handles a notification of REPLAYS_CHANNEL: a replay was requested or cancelled. */
  hearOfReplay(replayId: string): void {
    this.#replayer.hear(replayId);
  }

  /**
   * Returns the name of the advisory lock that the listening connection takes before it reports that it listens. Other
   * workers check this lock to see whether this worker is alive.
   */
  lock(): string {
    return this.worker.lock();
  }

  /**
   * Handles the start of listening. This worker may have missed earlier notifications, so it reads everything again.
   */
  listening(): void {
    this.#endpoints.listening();
    this.worker.listening();
    this.#queues.lookEverywhere();
    this.#replayer.look();
    this.#pollSoon();
  }

  /** Handles the loss of the listening connection. Other workers may declare this worker dead from now on. */
  lost(): void {
    this.#endpoints.lost();
    if (!this.worker.lost()) return;
    this.#queues.doubt();
    this.#pollSoon();
  }

  /** Delivers everything that is due, and resolves when nothing is left. Tests call it instead of waiting. */
  async untilIdle(): Promise<void> {
    let idle = false;
    this.#attempts.retryLocked();
    while (!idle) {
      // Work that ends during a round may cause more work. So we check before the round whether all earlier work had
      // ended.
      const free = this.#attempts.underWay === 0 && this.#starts.running === 0;
      this.#polledAt = -Infinity;
      this.#endpoints.forget();
      this.#queues.lookEverywhere();
      idle = (await this.#round()) === 0 && free;
      await this.#starts.all();
      this.#starts.throwFailure();
      if ((await this.#replayer.round({ looking: true })) > 0 || this.#replayer.isBusy(SOON_MS)) idle = false;
      await wait(1);
    }
    await this.#attempts.writeTallies();
    await this.#queues.releaseAll('idle');
  }

  /**
   * Stops the worker. It starts nothing new, waits up to `drainMs` for attempts under way, and releases every queue.
   */
  async stop(drainMs: number): Promise<void> {
    this.#stopping = true;
    this.#replayer.stop();
    this.#wake();
    await this.#running;
    await this.#starts.all();
    await this.#drain(Date.now() + drainMs);
    await this.#sender.close();
    await this.#attempts.finish();
    try {
      await this.#queues.releaseAll('all');
      await this.worker.leave(this.#ctx.db);
    } catch (error) {
      this.#ctx.log.error({ err: error }, 'endpoint queues could not be released; other workers will take them');
    }
  }

  async #drain(deadline: number): Promise<void> {
    try {
      await this.#queues.releaseAll('idle');
      while (this.#attempts.underWay > 0 && Date.now() < deadline) {
        await this.#queues.renewDue();
        await wait(5);
      }
    } catch (error) {
      this.#ctx.log.error({ err: error }, 'leases of endpoint queues could not be renewed during the drain');
    }
  }

  async #loop(): Promise<void> {
    while (!this.#stopping) {
      if (!this.#woken) await this.#sleep();
      this.#woken = false;
      if (this.#stopping) return;
      try {
        const begun = await this.#round();
        if (begun === BEGUN_AT_ONCE) this.#woken = true;
        else if (begun > 0) this.#wakeSoon();
        this.#outage.over();
      } catch (error) {
        this.#outage.met(error);
        // While the database is unavailable, a round without a query would still succeed, and we would log the end of
        // the outage too early. So we make the next round poll.
        this.#polledAt = -Infinity;
        await wait(AFTER_DATABASE_ERROR_MS);
      }
    }
  }

  /**
   * Releases the queues while this process lacks an encryption key, so that workers with the key take them. Otherwise
   * each event that this process cannot decrypt would count as a failed attempt. When the process has the key, it reads
   * all queues again.
   */
  async #releaseToOtherWorkers(): Promise<void> {
    this.#polledAt = performance.now();
    await this.#queues.renewDue();
    await this.#queues.releaseAll('idle');
    this.#queues.lookEverywhere();
  }

  /**
   * Goes through the queues once and returns the number of deliveries that started. It first starts deliveries whose
   * rows are already in memory, and reads more rows after that.
   */
  async #round(): Promise<number> {
    await this.#starts.untilFree();
    this.#starts.throwFailure();
    if (this.#ctx.cipher.lacksKeys()) {
      await this.#releaseToOtherWorkers();
      return 0;
    }
    await this.#queues.takeNotified();
    if (performance.now() - this.#polledAt >= POLL_MS) {
      this.#polledAt = performance.now();
      if (await this.#queues.poll()) this.#polledAt = -Infinity;
    }
    const ready = this.#queues.ready(performance.now());
    const known = await this.#endpoints.find(ready.map((queue) => queue.webhook_id));
    const open = ready.filter((queue) => known.get(queue.webhook_id)?.disabled === false);
    for (const queue of ready) {
      const endpoint = known.get(queue.webhook_id);
      if (endpoint === null) queue.postpone(AFTER_UNREADABLE_MS, performance.now());
      else if (endpoint?.disabled !== false) this.#queues.leave(queue);
    }
    await this.#queues.releaseLeft();
    const begun = this.#begin(open, known);
    await fillQueues(this.#ctx.db, open, this.#permits, this.#readingOrder);
    return begun > 0 ? begun : this.#begin(open, known);
  }

  /**
   * Starts deliveries in round robin by organisation, team and queue, until slots or permits run out. Returns the
   * number of deliveries that it started.
   */
  #begin(open: EndpointQueue[], known: Map<string, Endpoint | null>): number {
    const begun: BegunDelivery[] = [];
    const now = performance.now();
    // Since we made the list `open`, other workers may have declared this worker dead. So we check again that we own
    // each queue.
    const roundRobin = this.#servingOrder.of(open.filter((queue) => this.#queues.isOwned(queue)));
    for (const queue of roundRobin.drain()) {
      if (begun.length === BEGUN_AT_ONCE) break;
      if (this.#permits.capacityFor(queue.owner) === 0) continue;
      const endpoint = known.get(queue.webhook_id) as Endpoint;
      const queued = queue.next(now, endpoint.ratePerSecond);
      if (!queued) continue;
      this.#permits.take(queue.owner);
      this.#queues.putLast(queue);
      this.#servingOrder.served(queue);
      begun.push({ queue, queued, endpoint });
      roundRobin.add(queue.owner, queue);
    }
    if (begun.length > 0) this.#starts.add(this.#attempts.start(begun));
    return begun.length;
  }

  #sleep(): Promise<void> {
    return new Promise((resolve) => {
      const now = performance.now();
      const until = Math.min(this.#polledAt + POLL_MS, this.#queues.nextStart(now));
      const timer = setTimeout(resolve, Math.max(1, until - now));
      const wake = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#wakeSleeper = wake;
    });
  }

  #wake(): void {
    this.#woken = true;
    this.#wakeSleeper();
  }

  #pollSoon(): void {
    this.#polledAt = -Infinity;
    this.#wake();
  }
}
