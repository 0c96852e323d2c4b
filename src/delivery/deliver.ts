import { setTimeout as wait } from 'node:timers/promises';
import type { Ctx } from '../context.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { Outage } from '../db/session/outage.ts';
import { Threshold } from '../fair/threshold.ts';
import type { Metrics } from '../http/metrics.ts';
import { gather } from './gather.ts';
import { Attempts, type Begun } from './attempts.ts';
import { ReceiverCache, type Receiver } from './receiver-cache.ts';
import { Turns } from './lanes/in-turn.ts';
import type { Lane } from './lanes/lane.ts';
import { OwnedLanes } from './lanes/owned-lanes.ts';
import { readLanes } from './lanes/read-lanes.ts';
import { Worker } from './lanes/workers.ts';
import { Replayer } from './replays/replayer.ts';
import type { Sender } from './sending/send.ts';
import { Starts } from './starts.ts';

const MOST_UNDER_WAY = 512;
/** Few: while many connections are opened, or their answers come, at one go, whatever else is due waits. */
const BEGUN_AT_ONCE = 64;
/** Slots and places that are free again gather so long, or until there are many: what begins together is read together. */
const GATHER_MS = 4;
/** The queue is looked at this often even if no notification came. */
const PATROL_MS = 1_000;
const AFTER_DATABASE_ERROR_MS = 500;
/** A receiver whose stored values cannot be opened is read again after it. */
const AFTER_UNREADABLE_MS = 30_000;
/** Whoever waits until nothing is left waits for what a replay may begin so soon. */
const SOON_MS = 250;

type Dependencies = {
  sender: Sender;
  metrics: Pick<Metrics, 'attempts' | 'deliveriesUnderWay'>;
  /** Lanes that it holds at a time, of all that there may be. */
  mostLanes?: number | undefined;
};

/** Takes lanes, sends what is due in them side by side and writes the outcomes, until it is stopped. */
export class Deliverer {
  /** Who it is; whoever holds something else in this process holds it by that. */
  readonly worker = new Worker();
  readonly #ctx: Ctx;
  readonly #sender: Sender;
  readonly #places = new Threshold(MOST_UNDER_WAY);
  readonly #turns = new Turns();
  readonly #readTurns = new Turns();
  readonly #lanes: OwnedLanes;
  readonly #receivers: ReceiverCache;
  readonly #attempts: Attempts;
  readonly #replayer: Replayer;
  readonly #starts = new Starts(() => this.#wake());
  readonly #outage: Outage;
  #running: Promise<unknown> = Promise.resolve();
  #stopping = false;
  #woken = true;
  #patrolledAt = -Infinity;
  #wakeSleeper = (): void => undefined;
  readonly #wakeSoon = gather(() => this.#wake(), { most: BEGUN_AT_ONCE, ms: GATHER_MS });

  constructor(teamless: Ctx, { sender, metrics, mostLanes }: Dependencies) {
    const ctx = acrossTeams(teamless);
    this.#ctx = ctx;
    this.#sender = sender;
    const [places, lanes] = [this.#places, new OwnedLanes(ctx, this.worker, mostLanes)];
    const onEnd = (lane: Lane): void => {
      lanes.ended(lane);
      this.#wakeSoon();
    };
    this.#lanes = lanes;
    this.#receivers = new ReceiverCache(ctx);
    this.#attempts = new Attempts(ctx, { sender, metrics, places, onEnd });
    this.#replayer = new Replayer(ctx, { lanes, receivers: this.#receivers, attempts: this.#attempts, places });
    this.#outage = new Outage(ctx.log, 'due deliveries cannot be read; trying again');
  }

  /** Works from now on, until it is stopped. */
  run(): void {
    this.#running = Promise.all([this.#loop(), this.#replayer.run()]);
  }

  /** A notification of DELIVERIES_CHANNEL: what was queued. */
  hear(payload: string): void {
    this.#lanes.hint(payload);
    this.#wake();
  }

  /** A notification of RECEIVERS_CHANNEL: a receiver that was changed. */
  forget(receiverId: string): void {
    this.#receivers.forget(receiverId);
    this.#lanes.resume(receiverId);
    this.#replayer.look(receiverId);
    this.#wake();
  }

  /** A notification of REPLAYS_CHANNEL: a replay that was asked for or cancelled. */
  hearOfReplay(replayId: string): void {
    this.#replayer.hear(replayId);
  }

  /** Names what the listening connection has to lock before it tells that it listens: others see by it that this worker lives. */
  lock(): string {
    return this.worker.lock();
  }

  /** Notifications are heard from now on; some may have been missed. */
  listening(): void {
    this.#receivers.listening();
    this.worker.listening();
    this.#lanes.lookEverywhere();
    this.#replayer.look();
    this.#patrolSoon();
  }

  /** Notifications are missed from now on, and others may take this worker for dead. */
  lost(): void {
    this.#receivers.lost();
    if (!this.worker.lost()) return;
    this.#lanes.doubt();
    this.#patrolSoon();
  }

  /** Delivers everything that is due and returns when nothing is left: what tests use instead of waiting. */
  async untilIdle(): Promise<void> {
    let idle = false;
    this.#attempts.settleAgain();
    while (!idle) {
      // What ended while a round ran may have left something behind it.
      const free = this.#attempts.underWay === 0 && this.#starts.running === 0;
      this.#patrolledAt = -Infinity;
      this.#receivers.forget();
      this.#lanes.lookEverywhere();
      idle = (await this.#round()) === 0 && free;
      await this.#starts.all();
      this.#starts.throwFailure();
      if ((await this.#replayer.round({ looking: true })) > 0 || this.#replayer.isBusy(SOON_MS)) idle = false;
      await wait(1);
    }
    await this.#attempts.writeTallies();
    await this.#lanes.releaseAll('idle');
  }

  /** Begins nothing new, gives attempts under way `drainMs` to end, and lets go of every lane. */
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
      await this.#lanes.releaseAll('all');
      await this.worker.leave(this.#ctx.db);
    } catch (error) {
      this.#ctx.log.error({ err: error }, 'lanes could not be let go; other workers will take them');
    }
  }

  async #drain(deadline: number): Promise<void> {
    try {
      await this.#lanes.releaseAll('idle');
      while (this.#attempts.underWay > 0 && Date.now() < deadline) {
        await this.#lanes.renewDue();
        await wait(5);
      }
    } catch (error) {
      this.#ctx.log.error({ err: error }, 'lanes could not be kept during the drain');
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
        // A round that asks the database nothing would pass for the end of the outage.
        this.#patrolledAt = -Infinity;
        await wait(AFTER_DATABASE_ERROR_MS);
      }
    }
  }

  /**
   * A worker that lacks an encryption key would count an attempt for each event that it cannot open: it leaves the lanes to
   * those that have the key, and looks everywhere once it has it.
   */
  async #leaveToOthers(): Promise<void> {
    this.#patrolledAt = performance.now();
    await this.#lanes.renewDue();
    await this.#lanes.releaseAll('idle');
    this.#lanes.lookEverywhere();
  }

  /** One look at the lanes; answers how many deliveries began. What is known to wait does not wait for what is read. */
  async #round(): Promise<number> {
    await this.#starts.room();
    this.#starts.throwFailure();
    if (this.#ctx.cipher.lacksKeys()) {
      await this.#leaveToOthers();
      return 0;
    }
    await this.#lanes.takeHinted();
    if (performance.now() - this.#patrolledAt >= PATROL_MS) {
      this.#patrolledAt = performance.now();
      if (await this.#lanes.patrol()) this.#patrolledAt = -Infinity;
    }
    const ready = this.#lanes.ready(performance.now());
    const known = await this.#receivers.find(ready.map((lane) => lane.webhook_id));
    const open = ready.filter((lane) => known.get(lane.webhook_id)?.disabled === false);
    for (const lane of ready) {
      const receiver = known.get(lane.webhook_id);
      if (receiver === null) lane.putOff(AFTER_UNREADABLE_MS, performance.now());
      else if (receiver?.disabled !== false) this.#lanes.leave(lane);
    }
    await this.#lanes.releaseLeft();
    const begun = this.#begin(open, known);
    await readLanes(this.#ctx.db, open, this.#places, this.#readTurns);
    return begun > 0 ? begun : this.#begin(open, known);
  }

  /** Takes one of each team in turn, and of each lane of a team, as long as slots and places last; answers how many. */
  #begin(open: Lane[], known: Map<string, Receiver | null>): number {
    const begun: Begun[] = [];
    const now = performance.now();
    // Since it was ready its worker may have been taken for dead.
    const turns = this.#turns.of(open.filter((lane) => this.#lanes.holds(lane)));
    for (const lane of turns.inTurn()) {
      if (begun.length === BEGUN_AT_ONCE) break;
      if (this.#places.roomFor(lane.owner) === 0) continue;
      const receiver = known.get(lane.webhook_id) as Receiver;
      const queued = lane.next(now, receiver.ratePerSecond);
      if (!queued) continue;
      this.#places.take(lane.owner);
      this.#lanes.putLast(lane);
      this.#turns.served(lane);
      begun.push({ lane, queued, receiver });
      turns.add(lane.owner, lane);
    }
    if (begun.length > 0) this.#starts.add(this.#attempts.start(begun));
    return begun.length;
  }

  #sleep(): Promise<void> {
    return new Promise((resolve) => {
      const now = performance.now();
      const until = Math.min(this.#patrolledAt + PATROL_MS, this.#lanes.nextStart(now));
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

  #patrolSoon(): void {
    this.#patrolledAt = -Infinity;
    this.#wake();
  }
}
