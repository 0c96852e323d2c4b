import type { Ctx } from '../../context.ts';
import { Outage } from '../../db/session/outage.ts';
import { Threshold } from '../../fair/threshold.ts';
import type { Attempts, Begun } from '../attempts.ts';
import { BEGINNING } from '../lanes/discover.ts';
import { Turns } from '../lanes/in-turn.ts';
import type { Lane } from '../lanes/lane.ts';
import type { OwnedLanes } from '../lanes/owned-lanes.ts';
import type { Receiver, ReceiverCache } from '../receiver-cache.ts';
import { hasSettledDown, receiversWithReplays, saveProgress, takeReplay } from './progress.ts';
import { readEvents } from './read-events.ts';
import { Window } from './window.ts';

/** Of the process's places for attempts: so many at most are taken by replays, and of these each team has its share. */
const MOST_UNDER_WAY = 64;
/** What is begun at once, with a pause after it: in between, the deliveries of all have the process to themselves. */
const BEGUN_AT_ONCE = 8;
const PULSE_MS = 20;
/** For what nobody told of: a replay whose worker died. */
const LOOK_MS = 3_000;
const AFTER_DATABASE_ERROR_MS = 1_000;
const SAVE_MS = 1_000;
const SETTLES_MS = 100;
const LOOKED_AT_ONCE = 500;
/** The others are kept up with in the next round. */
const KEPT_UP_AT_ONCE = 16;

type Dependencies = { lanes: OwnedLanes; receivers: ReceiverCache; attempts: Attempts; places: Threshold };

/**
 * Sends the events of replays over the lanes that this worker owns, beside the loop that sends everything else: what
 * that loop waits for is never a statement of a replay. There is no queue: a window of events is read ahead along their ids,
 * and what is known to be done with is written (record 253).
 */
export class Replayer {
  readonly #ctx: Ctx;
  readonly #with: Dependencies;
  readonly #places = new Threshold(MOST_UNDER_WAY);
  readonly #windows = new Map<Lane, Window>();
  readonly #turns = new Turns();
  readonly #turnsKeptUp = new Turns();
  #lookedAt = -Infinity;
  #lookFrom = BEGINNING;
  #isStopped = false;
  #endPause = (): void => undefined;

  constructor(ctx: Ctx, dependencies: Dependencies) {
    this.#ctx = ctx;
    this.#with = dependencies;
  }

  /** The endpoint was changed; without an id: any may have been, and replays asked for or cancelled. */
  look(webhookId: string | null = null): void {
    this.#close(({ replay }) => webhookId === null || replay.webhook_id === webhookId);
  }

  /** The replay was asked for or cancelled: others of its endpoint go on, and rest as before. */
  hear(replayId: string): void {
    this.#close(({ replay }) => replay.id === replayId);
  }

  /** Looks at once which replays there are, anew at those of windows that are closed. */
  #close(isMeant: (window: Window) => boolean): void {
    this.#lookedAt = -Infinity;
    for (const window of this.#windows.values())
      if (isMeant(window)) {
        window.isClosed = true;
        window.looksAt = 0;
      }
    this.#endPause();
  }

  /** Until it is stopped. */
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

  /** Begins nothing new. */
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

  /** One look at all replays; answers how many deliveries began. `looking`: also for those that nobody told of. */
  async round({ looking = false } = {}): Promise<number> {
    if (looking) this.#lookedAt = -Infinity;
    for (const [lane, window] of this.#windows) if (!this.#with.lanes.holds(lane)) this.#forget(lane, window);
    // The worker lets go of its lanes: those that have the key go on.
    if (this.#ctx.cipher.lacksKeys()) return 0;
    if (performance.now() - this.#lookedAt >= LOOK_MS) await this.#discover();
    if (this.#windows.size === 0) return 0;
    await this.#keepUpWithSome();
    const known = await this.#with.receivers.find([...this.#windows.keys()].map(({ webhook_id }) => webhook_id));
    const begun = this.#begin(known);
    if (begun.length > 0) await this.#with.attempts.start(begun);
    return begun.length;
  }

  /** A team's windows in turn with those of others; what was kept up with comes last in the next round. */
  async #keepUpWithSome(): Promise<void> {
    let kept = 0;
    for (const lane of this.#turnsKeptUp.of(this.#windows.keys()).inTurn()) {
      if (kept === KEPT_UP_AT_ONCE) return;
      const window = this.#windows.get(lane);
      if (!window || !(await this.#keepUp(lane, window))) continue;
      kept += 1;
      this.#turnsKeptUp.served(lane);
      if (this.#windows.get(lane) === window) this.#putLast(lane, window);
    }
  }

  #putLast(lane: Lane, window: Window): void {
    this.#windows.delete(lane);
    this.#windows.set(lane, window);
  }

  /** Whether there is more to do within so many milliseconds. */
  isBusy(withinMs: number): boolean {
    const now = performance.now();
    return [...this.#windows].some(([lane, window]) => {
      const begins = window.isReady(now, withinMs) && !lane.isResting(now) && lane.startsAt <= now + withinMs;
      return begins || !window.isIdle || window.hasNews || window.wanted(now + withinMs) !== null;
    });
  }

  async #discover(): Promise<void> {
    const { webhookInFlightPerEndpoint } = this.#ctx.config;
    this.#lookedAt = performance.now();
    const found = await receiversWithReplays(this.#ctx.db, this.#lookFrom, LOOKED_AT_ONCE);
    this.#lookFrom = found.length < LOOKED_AT_ONCE ? BEGINNING : (found.at(-1)?.webhook_id as string);
    const enabled = found.filter(({ disabled }) => !disabled).map(({ webhook_id }) => webhook_id);
    for (const lane of await this.#with.lanes.take(enabled)) {
      if (this.#windows.has(lane)) continue;
      const replay = await takeReplay(this.#ctx.db, lane);
      if (!replay) continue;
      lane.hasReplay = true;
      this.#windows.set(lane, new Window(replay, Math.max(1, Math.floor(webhookInFlightPerEndpoint / 2))));
    }
  }

  /** Reads ahead and writes how far it came; whether there was anything to ask of the database. */
  async #keepUp(lane: Lane, window: Window): Promise<boolean> {
    const { db } = this.#ctx;
    const now = performance.now();
    if (now < window.looksAt) return false;
    const isUnsettled = !window.isSettled && !window.isClosed;
    if (isUnsettled) {
      window.isSettled = await hasSettledDown(db, window.replay);
      if (!window.isSettled) window.looksAt = now + SETTLES_MS;
    }
    const wanted = window.wanted(now);
    if (wanted) window.add(await readEvents(db, window.replay, wanted.after, wanted.most), performance.now());
    const writes = this.#hasToWrite(lane, window) || (window.hasNews && now - window.savedAt >= SAVE_MS);
    if (writes) await this.#save(lane, window);
    return isUnsettled || wanted !== null || writes;
  }

  /** At the end; on the way there it is written every second. */
  #hasToWrite(lane: Lane, window: Window): boolean {
    return window.isIdle && (window.hasEnded || window.isClosed) && this.#with.lanes.holds(lane);
  }

  async #save(lane: Lane, window: Window): Promise<void> {
    window.savedAt = performance.now();
    window.hasNews = false;
    const { hasEnded } = window;
    const status = await saveProgress(this.#ctx.db, lane, { ...window.replay }, hasEnded);
    if (status === null) {
      window.hasNews = true;
      window.looksAt = performance.now() + SAVE_MS;
    } else if (status !== 'running') window.isClosed = true;
    if (!window.isIdle || (!window.isClosed && status !== 'succeeded')) return;
    this.#forget(lane, window);
    this.#lookedAt = -Infinity;
  }

  #forget(lane: Lane, window: Window): void {
    if (this.#windows.get(lane) !== window) return;
    this.#windows.delete(lane);
    lane.hasReplay = false;
  }

  #begin(known: Map<string, Receiver | null>): Begun[] {
    const begun: Begun[] = [];
    const turns = this.#turns.of(this.#windows.keys());
    for (const lane of turns.inTurn()) {
      if (begun.length === BEGUN_AT_ONCE) break;
      const one = this.#beginOne(lane, known.get(lane.webhook_id));
      if (!one) continue;
      begun.push(one);
      this.#turns.served(lane);
      turns.add(lane.owner, lane);
      // The next round begins with others.
      this.#putLast(lane, this.#windows.get(lane) as Window);
    }
    return begun;
  }

  #beginOne(lane: Lane, receiver: Receiver | null | undefined): Begun | null {
    const { lanes, places } = this.#with;
    const window = this.#windows.get(lane) as Window;
    // Its values cannot be opened: the lane is put off.
    if (receiver === null) return null;
    if (receiver?.disabled !== false) {
      window.isClosed = true;
      return null;
    }
    const now = performance.now();
    const hasRoom = places.roomFor(lane.owner) > 0 && this.#places.roomFor(lane.owner) > 0;
    if (!hasRoom || !lanes.holds(lane) || !lane.hasRoomForReplay(now, receiver.ratePerSecond)) return null;
    const { ratePerSecond } = receiver;
    const event = window.next(now, ratePerSecond === null ? null : ratePerSecond / 2);
    if (!event) return null;
    if (!lane.beginReplayed(event.event_id, now, ratePerSecond)) {
      window.passOver(event);
      return null;
    }
    places.take(lane.owner);
    this.#places.take(lane.owner);
    return {
      lane,
      receiver,
      queued: {
        webhook_id: lane.webhook_id,
        event_id: event.event_id,
        attempt: event.attempt,
        from: 'replays',
        // Whoever asks for it again asks for all its retries.
        schedule_from: event.attempt - 1,
        trigger: 'replay',
        asked: null,
      },
      onEnd: (end) => {
        this.#places.giveBack(lane.owner);
        window.end(event, end, performance.now());
      },
    };
  }
}
