import type { Ctx } from '../../context.ts';
import { Outage } from '../../db/session/outage.ts';
import { Threshold } from '../../fair/threshold.ts';
import type { Attempts, BegunDelivery } from '../attempts.ts';
import { BEGINNING } from '../queues/discover.ts';
import { ServingOrder } from '../queues/serving-order.ts';
import type { EndpointQueue } from '../queues/endpoint-queue.ts';
import type { OwnedQueues } from '../queues/owned-queues.ts';
import type { Endpoint, EndpointCache } from '../endpoint-cache.ts';
import { hasNoEarlierTransactions, findEndpointsWithReplays, saveProgress, takeReplay } from './replay-progress.ts';
import { readEvents } from './read-events.ts';
import { ReplayWindow } from './replay-window.ts';

/** The most permits that all replays together use for attempts. Each team has a share of them. */
const MAX_UNDER_WAY = 64;
/**
 * The most deliveries of webhook replays that one round starts. After each round the replayer pauses (PULSE_MS), and
 * the process has time for other deliveries.
 */
const BEGUN_AT_ONCE = 8;
const PULSE_MS = 20;
/**
 * The interval between two searches for replays. A search finds replays for which this worker got no notification, for
 * example those of a worker that died.
 */
const LOOK_MS = 3_000;
const AFTER_DATABASE_ERROR_MS = 1_000;
const SAVE_MS = 1_000;
const STABLE_CHECK_MS = 100;
const LOOKED_AT_ONCE = 500;
/** The most replays for which one round queries the database. The next rounds handle the others. */
const CAUGHT_UP_AT_ONCE = 16;

type Dependencies = { queues: OwnedQueues; endpoints: EndpointCache; attempts: Attempts; permits: Threshold };

/**
 * Sends the events of replays through the queues that this worker owns. It runs beside the main loop of deliveries, so
 * the main loop never waits for a statement of a replay. The events of a replay have no rows in a queue table. For each
 * replay, a window reads the next events in the order of their ids, and the worker saves its progress.
 */
export class Replayer {
  readonly #ctx: Ctx;
  readonly #with: Dependencies;
  readonly #permits = new Threshold(MAX_UNDER_WAY);
  readonly #windows = new Map<EndpointQueue, ReplayWindow>();
  readonly #servingOrder = new ServingOrder();
  readonly #catchUpOrder = new ServingOrder();
  #lookedAt = -Infinity;
  #lookFrom = BEGINNING;
  #isStopped = false;
  #endPause = (): void => undefined;

  constructor(ctx: Ctx, dependencies: Dependencies) {
    this.#ctx = ctx;
    this.#with = dependencies;
  }

  /**
   * Reads the replays of an endpoint again after somebody changed the endpoint. Without an id it reads all replays
   * again, because this worker may have missed changes and requests.
   */
  look(webhookId: string | null = null): void {
    this.#close(({ replay }) => webhookId === null || replay.webhook_id === webhookId);
  }

  /**
   * Handles a notification: this replay was requested or cancelled. Other replays of its endpoint continue, and pauses
   * do not end.
   */
  hear(replayId: string): void {
    this.#close(({ replay }) => replay.id === replayId);
  }

  /**
   * Makes the next round search for replays immediately. Closes the matching windows, so that their replays are read
   * again.
   */
  #close(isMeant: (window: ReplayWindow) => boolean): void {
    this.#lookedAt = -Infinity;
    for (const window of this.#windows.values())
      if (isMeant(window)) {
        window.isClosed = true;
        window.looksAt = 0;
      }
    this.#endPause();
  }

  /** Runs rounds until `stop` is called. */
  async run(): Promise<void> {
    const outage = new Outage(this.#ctx.log, 'replays cannot be read; trying again');
    while (!this.#isStopped) {
      try {
        await this.round();
        outage.over();
      } catch (error) {
        outage.met(error);
        await this.#pause(AFTER_DATABASE_ERROR_MS);
      }
      const untilLook = Math.max(0, this.#lookedAt + LOOK_MS - performance.now());
      await this.#pause(this.#windows.size === 0 ? untilLook : PULSE_MS);
    }
  }

  /** Ends the loop. It starts no delivery afterwards. */
  stop(): void {
    this.#isStopped = true;
    this.#endPause();
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isStopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      const end = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#endPause = end;
    });
  }

  /**
   * Starts deliveries of all replays that are ready, and returns their number. With `looking` it first searches for
   * replays that no notification named.
   */
  async round({ looking = false } = {}): Promise<number> {
    if (looking) this.#lookedAt = -Infinity;
    for (const [queue, window] of this.#windows) if (!this.#with.queues.isOwned(queue)) this.#forget(queue, window);
    // While this process lacks encryption keys, its worker releases its queues. Processes with the keys continue the
    // replays.
    if (this.#ctx.cipher.lacksKeys()) return 0;
    if (performance.now() - this.#lookedAt >= LOOK_MS) await this.#discover();
    if (this.#windows.size === 0) return 0;
    await this.#catchUpSome();
    const known = await this.#with.endpoints.find([...this.#windows.keys()].map(({ webhook_id }) => webhook_id));
    const begun = this.#begin(known);
    if (begun.length > 0) await this.#with.attempts.start(begun);
    return begun.length;
  }

  /** Fills windows in round robin by team. A window that was filled comes last in the next round. */
  async #catchUpSome(): Promise<void> {
    let caughtUp = 0;
    for (const queue of this.#catchUpOrder.of(this.#windows.keys()).drain()) {
      if (caughtUp === CAUGHT_UP_AT_ONCE) return;
      const window = this.#windows.get(queue);
      if (!window || !(await this.#catchUp(queue, window))) continue;
      caughtUp += 1;
      this.#catchUpOrder.served(queue);
      if (this.#windows.get(queue) === window) this.#moveToEnd(queue, window);
    }
  }

  #moveToEnd(queue: EndpointQueue, window: ReplayWindow): void {
    this.#windows.delete(queue);
    this.#windows.set(queue, window);
  }

  /** Returns true if there is work now or within this many milliseconds. */
  isBusy(withinMs: number): boolean {
    const now = performance.now();
    return [...this.#windows].some(([queue, window]) => {
      const begins = window.isReady(now, withinMs) && !queue.isResting(now) && queue.startsAt <= now + withinMs;
      return begins || !window.isIdle || window.hasUnsavedProgress || window.wanted(now + withinMs) !== null;
    });
  }

  async #discover(): Promise<void> {
    const { webhookInFlightPerEndpoint } = this.#ctx.config;
    this.#lookedAt = performance.now();
    const found = await findEndpointsWithReplays(this.#ctx.db, this.#lookFrom, LOOKED_AT_ONCE);
    this.#lookFrom = found.length < LOOKED_AT_ONCE ? BEGINNING : (found.at(-1)?.webhook_id as string);
    const enabled = found.filter(({ disabled }) => !disabled).map(({ webhook_id }) => webhook_id);
    for (const queue of await this.#with.queues.take(enabled)) {
      if (this.#windows.has(queue)) continue;
      const replay = await takeReplay(this.#ctx.db, queue);
      if (!replay) continue;
      queue.hasReplay = true;
      this.#windows.set(queue, new ReplayWindow(replay, Math.max(1, Math.floor(webhookInFlightPerEndpoint / 2))));
    }
  }

  /**
   * Reads the next events of a replay and saves its progress, each only if it is due. Returns true if it queried the
   * database.
   */
  async #catchUp(queue: EndpointQueue, window: ReplayWindow): Promise<boolean> {
    const { db } = this.#ctx;
    const now = performance.now();
    if (now < window.looksAt) return false;
    const isUnstable = !window.isStable && !window.isClosed;
    if (isUnstable) {
      window.isStable = await hasNoEarlierTransactions(db, window.replay);
      if (!window.isStable) window.looksAt = now + STABLE_CHECK_MS;
    }
    const wanted = window.wanted(now);
    if (wanted) window.add(await readEvents(db, window.replay, wanted.after, wanted.most), performance.now());
    const writes = this.#hasToWrite(queue, window) || (window.hasUnsavedProgress && now - window.savedAt >= SAVE_MS);
    if (writes) await this.#save(queue, window);
    return isUnstable || wanted !== null || writes;
  }

  /**
   * True if the replay has ended or its window is closed, and no attempt is under way. Then we save its progress at
   * once. Otherwise we save it every second.
   */
  #hasToWrite(queue: EndpointQueue, window: ReplayWindow): boolean {
    return window.isIdle && (window.hasEnded || window.isClosed) && this.#with.queues.isOwned(queue);
  }

  async #save(queue: EndpointQueue, window: ReplayWindow): Promise<void> {
    window.savedAt = performance.now();
    window.hasUnsavedProgress = false;
    const { hasEnded } = window;
    const status = await saveProgress(this.#ctx.db, queue, { ...window.replay }, hasEnded);
    if (status === null) {
      window.hasUnsavedProgress = true;
      window.looksAt = performance.now() + SAVE_MS;
    } else if (status !== 'running') window.isClosed = true;
    if (!window.isIdle || (!window.isClosed && status !== 'succeeded')) return;
    this.#forget(queue, window);
    this.#lookedAt = -Infinity;
  }

  #forget(queue: EndpointQueue, window: ReplayWindow): void {
    if (this.#windows.get(queue) !== window) return;
    this.#windows.delete(queue);
    queue.hasReplay = false;
  }

  #begin(known: Map<string, Endpoint | null>): BegunDelivery[] {
    const begun: BegunDelivery[] = [];
    const roundRobin = this.#servingOrder.of(this.#windows.keys());
    for (const queue of roundRobin.drain()) {
      if (begun.length === BEGUN_AT_ONCE) break;
      const one = this.#beginOne(queue, known.get(queue.webhook_id));
      if (!one) continue;
      begun.push(one);
      this.#servingOrder.served(queue);
      roundRobin.add(queue.owner, queue);
      // We move the window to the end, so that the next round begins with other queues.
      this.#moveToEnd(queue, this.#windows.get(queue) as ReplayWindow);
    }
    return begun;
  }

  #beginOne(queue: EndpointQueue, endpoint: Endpoint | null | undefined): BegunDelivery | null {
    const { queues, permits } = this.#with;
    const window = this.#windows.get(queue) as ReplayWindow;
    // The stored values of the endpoint cannot be decrypted, so its queue pauses.
    if (endpoint === null) return null;
    if (endpoint?.disabled !== false) {
      window.isClosed = true;
      return null;
    }
    const now = performance.now();
    const hasPermit = permits.capacityFor(queue.owner) > 0 && this.#permits.capacityFor(queue.owner) > 0;
    if (!hasPermit || !queues.isOwned(queue) || !queue.hasSlotForReplay(now, endpoint.ratePerSecond)) return null;
    const { ratePerSecond } = endpoint;
    const event = window.next(now, ratePerSecond === null ? null : ratePerSecond / 2);
    if (!event) return null;
    if (!queue.beginReplayed(event.event_id, now, ratePerSecond)) {
      window.passOver(event);
      return null;
    }
    permits.take(queue.owner);
    this.#permits.take(queue.owner);
    return {
      queue,
      endpoint,
      queued: {
        webhook_id: queue.webhook_id,
        event_id: event.event_id,
        attempt: event.attempt,
        from: 'replays',
        // The retry schedule of this delivery begins with this attempt.
        schedule_from: event.attempt - 1,
        trigger: 'replay',
        asked: null,
      },
      onEnd: (end) => {
        this.#permits.release(queue.owner);
        window.end(event, end, performance.now());
      },
    };
  }
}
