import { setTimeout as wait } from 'node:timers/promises';
import type { Ctx } from '../context.ts';
import { acrossTeams } from '../db/bind.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Metrics } from '../http/metrics.ts';
import { claimDeliveries, type Claimed } from './claim.ts';
import { drawConsequences } from './consequences.ts';
import type { Sender, SendOutcome } from './sending/send.ts';
import { releaseDeliveries, settleDeliveries, type Settled } from './settle.ts';

const BATCH = 100;
const MOST_IN_FLIGHT = 512;
/** Retries never take the last slots: a quarter is kept for what is sent the first time. */
const MOST_RETRIES_IN_FLIGHT = (MOST_IN_FLIGHT * 3) / 4;
/** The queue is looked at this often even if no notification came. */
const POLL_MS = 1_000;
const LEASE_MARGIN_SECONDS = 45;
const AFTER_DATABASE_ERROR_MS = 500;

export type Deliverer = {
  /** Says that something may have come due. */
  wake: () => void;
  /** Delivers everything that is due and returns when nothing is left: what tests use instead of waiting. */
  untilIdle: () => Promise<void>;
  /** Stops claiming, gives attempts under way `drainMs` to end, and gives the rest back. */
  stop: (drainMs: number) => Promise<void>;
};

type Dependencies = { sender: Sender; metrics: Metrics };

/** Claims due deliveries, sends them side by side and writes the outcomes in batches, until it is stopped. */
export function startDeliverer(anybody: Ctx, { sender, metrics }: Dependencies, { polling = true } = {}): Deliverer {
  const ctx = acrossTeams(anybody);
  const inFlight = new Set<Claimed>();
  const perEndpoint = new Map<string, number>();
  const outcomes: Settled[] = [];
  const leaseSeconds = ctx.config.webhookTimeoutMs / 1000 + LEASE_MARGIN_SECONDS;
  let stopping = false;
  let woken = true;
  let wakeSleeper = (): void => undefined;
  let settling: Promise<void> | null = null;

  const wake = (): void => {
    woken = true;
    wakeSleeper();
  };

  const claim = async (): Promise<number> => {
    const retries = [...inFlight].filter((delivery) => delivery.attempt > 1).length;
    const request = { perEndpoint: ctx.config.webhookInFlightPerEndpoint, leaseSeconds };
    let count = 0;
    for (const first of [true, false]) {
      const free = Math.min(MOST_IN_FLIGHT - inFlight.size, first ? Infinity : MOST_RETRIES_IN_FLIGHT - retries);
      if (free <= 0) continue;
      const claimed = await claimDeliveries(ctx.db, {
        ...request,
        first,
        limit: Math.min(BATCH, free),
        inFlight: perEndpoint,
      });
      for (const delivery of claimed) void attempt(delivery);
      count += claimed.length;
    }
    return count;
  };

  const attempt = async (delivery: Claimed): Promise<void> => {
    inFlight.add(delivery);
    perEndpoint.set(delivery.webhook_id, (perEndpoint.get(delivery.webhook_id) ?? 0) + 1);
    const outcome = await sender.send({
      url: delivery.url,
      headers: delivery.headers,
      id: delivery.event_id,
      body: Buffer.from(delivery.body),
      secrets: delivery.secrets,
    });
    if (outcome.error === 'cancelled') return; // stop() gives it back
    tell(delivery, outcome);
    outcomes.push({ delivery, outcome });
    settling ??= settle().finally(() => {
      settling = null;
    });
  };

  const tell = (delivery: Claimed, outcome: SendOutcome): void => {
    metrics.attempts.inc({ outcome: outcome.ok ? 'succeeded' : 'failed' });
    ctx.log.info(
      {
        message_id: delivery.event_id,
        endpoint_id: delivery.webhook_id,
        team_id: delivery.team_id,
        event_type: delivery.event_type,
        attempt: delivery.attempt,
        ok: outcome.ok,
        status: outcome.status,
        error: outcome.error,
        duration_ms: Math.round(outcome.duration_ms),
      },
      'delivery attempt',
    );
  };

  /** While one batch is written the next gathers, so the batches grow with the load. */
  const settle = async (): Promise<void> => {
    await wait(1);
    while (outcomes.length > 0) {
      const batch = outcomes.splice(0, BATCH);
      try {
        await inTransaction(ctx, async (ctx) => drawConsequences(ctx, await settleDeliveries(ctx.db, batch)));
      } catch (error) {
        // The leases run out and the deliveries are made again: at least once, never less.
        ctx.log.error({ err: error, deliveries: batch.length }, 'the outcomes of deliveries could not be written');
      }
      for (const { delivery } of batch) release(delivery);
      wake();
    }
  };

  const release = (delivery: Claimed): void => {
    inFlight.delete(delivery);
    const left = (perEndpoint.get(delivery.webhook_id) ?? 1) - 1;
    if (left === 0) perEndpoint.delete(delivery.webhook_id);
    else perEndpoint.set(delivery.webhook_id, left);
  };

  const sleep = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_MS);
      wakeSleeper = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const loop = async (): Promise<void> => {
    while (!stopping) {
      if (!woken) await sleep();
      woken = false;
      if (stopping) return;
      try {
        if ((await claim()) > 0) woken = true;
      } catch (error) {
        ctx.log.error({ err: error }, 'due deliveries could not be claimed');
        await wait(AFTER_DATABASE_ERROR_MS);
      }
    }
  };

  const running = polling ? loop() : Promise.resolve();
  return {
    wake,
    untilIdle: async () => {
      let idle = false;
      while (!idle) {
        // Slots that come free while a claim runs were taken for it.
        const free = inFlight.size === 0;
        idle = (await claim()) === 0 && free;
        await wait(1);
      }
    },
    stop: async (drainMs) => {
      stopping = true;
      wake();
      await running;
      const deadline = Date.now() + drainMs;
      while (inFlight.size > 0 && Date.now() < deadline) await wait(5);
      await sender.close();
      await settling;
      await releaseDeliveries(ctx.db, [...inFlight]).catch((error: unknown) => {
        ctx.log.error({ err: error }, 'claimed deliveries could not be given back; their leases will run out');
      });
    },
  };
}
