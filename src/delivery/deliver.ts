import { setTimeout as wait } from 'node:timers/promises';
import type { Ctx } from '../context.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { Outage } from '../db/session/outage.ts';
import type { Metrics } from '../http/metrics.ts';
import { gather } from './gather.ts';
import { Attempts, type Begun } from './attempts.ts';
import { ReceiverCache, type Receiver } from './receiver-cache.ts';
import { inTurn, lanesByTeam } from './lanes/in-turn.ts';
import type { Lane } from './lanes/lane.ts';
import { OwnedLanes } from './lanes/owned-lanes.ts';
import { readLanes } from './lanes/read-lanes.ts';
import { Worker } from './lanes/workers.ts';
import { Replayer } from './replays/replayer.ts';
import type { Sender } from './sending/send.ts';
import { Shares } from '../outbound/shares.ts';
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

export type Deliverer = {
  /** A notification of DELIVERIES_CHANNEL: the receivers that something was queued for. */
  hear: (payload: string) => void;
  /** A notification of RECEIVERS_CHANNEL: a receiver that was changed. */
  forget: (receiverId: string) => void;
  /** Names what the listening connection has to lock before it tells that it listens: others see by it that this worker lives. */
  lock: () => string;
  /** Notifications are heard from now on; some may have been missed. */
  listening: () => void;
  /** Notifications are missed from now on, and others may take this worker for dead. */
  lost: () => void;
  /** Delivers everything that is due and returns when nothing is left: what tests use instead of waiting. */
  untilIdle: () => Promise<void>;
  /** Begins nothing new, gives attempts under way `drainMs` to end, and lets go of every lane. */
  stop: (drainMs: number) => Promise<void>;
};

type Dependencies = { sender: Sender; metrics: Pick<Metrics, 'attempts' | 'deliveriesUnderWay'> };

/** Takes lanes, sends what is due in them side by side and writes the outcomes, until it is stopped. */
export function startDeliverer(teamless: Ctx, { sender, metrics }: Dependencies, { polling = true } = {}): Deliverer {
  const ctx = acrossTeams(teamless);
  const worker = new Worker();
  const lanes = new OwnedLanes(ctx, worker);
  const receivers = new ReceiverCache(ctx);
  const shares = new Shares(MOST_UNDER_WAY);
  let stopping = false;
  let woken = true;
  let patrolledAt = -Infinity;
  let wakeSleeper = (): void => undefined;

  const wake = (): void => {
    woken = true;
    wakeSleeper();
  };
  const patrolSoon = (): void => {
    patrolledAt = -Infinity;
    wake();
  };
  const wakeSoon = gather(wake, { most: BEGUN_AT_ONCE, ms: GATHER_MS });
  const onEnd = (lane: Lane): void => {
    lanes.ended(lane);
    wakeSoon();
  };
  const attempts = new Attempts(ctx, { sender, metrics, shares, onEnd });
  const replayer = new Replayer(ctx, { lanes, receivers, attempts, shares });
  const starts = new Starts(wake);

  /** One look at the lanes; answers how many deliveries began. */
  const round = async (): Promise<number> => {
    await starts.room();
    starts.throwFailure();
    await lanes.takeHinted();
    if (performance.now() - patrolledAt >= PATROL_MS) {
      patrolledAt = performance.now();
      if (await lanes.patrol()) patrolledAt = -Infinity;
    }
    const ready = lanes.ready(performance.now());
    const known = await receivers.find(ready.map((lane) => lane.webhook_id));
    const open = ready.filter((lane) => known.get(lane.webhook_id)?.disabled === false);
    for (const lane of ready) {
      const receiver = known.get(lane.webhook_id);
      if (receiver === null) lane.putOff(AFTER_UNREADABLE_MS, performance.now());
      else if (receiver?.disabled !== false) lanes.leave(lane);
    }
    await lanes.releaseLeft();
    await readLanes(ctx.db, inTurn(lanesByTeam(open)), shares);
    // While this was read the worker may have been taken for dead.
    const begun = begin(lanesByTeam(open.filter((lane) => lanes.holds(lane))), known);
    if (begun.length > 0) starts.add(attempts.start(begun));
    return begun.length;
  };

  /** Takes one of each team in turn, and of each lane of a team, as long as slots and shares last. */
  const begin = (teams: Map<string, Lane[]>, known: Map<string, Receiver | null>): Begun[] => {
    const begun: Begun[] = [];
    const now = performance.now();
    for (const lane of inTurn(teams)) {
      if (begun.length === BEGUN_AT_ONCE) break;
      if (shares.roomFor(lane.team_id) === 0) continue;
      const receiver = known.get(lane.webhook_id) as Receiver;
      const queued = lane.next(now, receiver.ratePerSecond);
      if (!queued) continue;
      shares.take(lane.team_id);
      lanes.putLast(lane);
      begun.push({ lane, queued, receiver });
      teams.get(lane.team_id)?.push(lane);
    }
    return begun;
  };

  const sleep = (): Promise<void> =>
    new Promise((resolve) => {
      const now = performance.now();
      const until = Math.min(patrolledAt + PATROL_MS, lanes.nextStart(now));
      const timer = setTimeout(resolve, Math.max(1, until - now));
      wakeSleeper = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const outage = new Outage(ctx.log, 'due deliveries cannot be read; trying again');
  const loop = async (): Promise<void> => {
    while (!stopping) {
      if (!woken) await sleep();
      woken = false;
      if (stopping) return;
      try {
        const begun = await round();
        if (begun === BEGUN_AT_ONCE) woken = true;
        else if (begun > 0) wakeSoon();
        outage.over();
      } catch (error) {
        outage.met(error);
        // A round that asks the database nothing would pass for the end of the outage.
        patrolledAt = -Infinity;
        await wait(AFTER_DATABASE_ERROR_MS);
      }
    }
  };

  const running = polling ? loop() : Promise.resolve();
  const replaying = polling ? replayer.run() : Promise.resolve();
  return {
    hear: (payload) => {
      lanes.hint(payload);
      wake();
    },
    forget: (receiverId) => {
      receivers.forget(receiverId);
      lanes.resume(receiverId);
      replayer.look(receiverId);
      wake();
    },
    lock: () => worker.lock(),
    listening: () => {
      receivers.listening();
      worker.listening();
      lanes.lookEverywhere();
      replayer.look();
      patrolSoon();
    },
    lost: () => {
      receivers.lost();
      if (!worker.lost()) return;
      lanes.doubt();
      patrolSoon();
    },
    untilIdle: async () => {
      let idle = false;
      attempts.settleAgain();
      while (!idle) {
        // What ended while a round ran may have left something behind it.
        const free = attempts.underWay === 0 && starts.running === 0;
        patrolledAt = -Infinity;
        receivers.forget();
        lanes.lookEverywhere();
        idle = (await round()) === 0 && free;
        await starts.all();
        starts.throwFailure();
        if ((await replayer.round({ looking: true })) > 0 || replayer.isBusy(SOON_MS)) idle = false;
        await wait(1);
      }
      await attempts.writeTallies();
      await lanes.releaseAll('idle');
    },
    stop: async (drainMs) => {
      stopping = true;
      replayer.stop();
      wake();
      await Promise.all([running, replaying]);
      await starts.all();
      const deadline = Date.now() + drainMs;
      try {
        await lanes.releaseAll('idle');
        while (attempts.underWay > 0 && Date.now() < deadline) {
          await lanes.renewDue();
          await wait(5);
        }
      } catch (error) {
        ctx.log.error({ err: error }, 'lanes could not be kept during the drain');
      }
      await sender.close();
      await attempts.finish();
      try {
        await lanes.releaseAll('all');
        await worker.leave(ctx.db);
      } catch (error) {
        ctx.log.error({ err: error }, 'lanes could not be let go; other workers will take them');
      }
    },
  };
}
