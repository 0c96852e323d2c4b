// Measures the time from a commit to the first byte of its webhook, at half the rate at which a backlog was delivered.
import { setTimeout as wait } from 'node:timers/promises';
import { median } from '../describe-machine.ts';
import { judge } from '../judge.ts';
import { describeDrained, drain } from './drain-backlog.ts';
import { ENDPOINTS_A_TEAM, publishTo, type Endpoint } from './generator.ts';
import { describeQuantiles, quantiles } from './quantiles.ts';
import { monotonicNow } from './sink.ts';
import { onStage, type Stage } from './stage.ts';

const GOAL_MS = { p50: 2, p99: 15 };

type Size = { runs: number; runMs: number; backlog: number; drains: number };
const WHOLE: Size = { runs: 5, runMs: 8_000, backlog: 20_000, drains: 3 };
const QUICK: Size = { runs: 1, runMs: 3_000, backlog: 5_000, drains: 2 };

/** Returns true if the goal is reached. */
export const benchLatency = ({ quick }: { quick: boolean }): Promise<boolean> =>
  onStage((stage) => measure(stage, quick ? QUICK : WHOLE));

async function measure(stage: Stage, { runs, runMs, backlog, drains }: Size): Promise<boolean> {
  const endpoints = await stage.endpoints(ENDPOINTS_A_TEAM);
  const programs = [await stage.start('serve')];
  const rates: number[] = [];
  for (let n = 0; n < drains; n += 1) {
    const drained = await drain(stage, programs, endpoints.slice(0, 1), backlog);
    console.log(`backlog of one endpoint: ${describeDrained(drained)}`);
    rates.push(drained.rate);
  }
  const half = Math.max(...rates) / 2;
  const results: { p50: number; p99: number }[] = [];
  for (let run = 1; run <= runs; run += 1) {
    const { fromAsked, fromAnswered } = await publishSteadily(stage, endpoints, { eventsASecond: half, ms: runMs });
    const result = quantiles(fromAnswered);
    results.push(result);
    console.log(
      `run ${run}: ${(fromAsked.length / (runMs / 1_000)).toFixed(0)} events/s, ms to the first byte from ` +
        `the commit ${describeQuantiles(result)} ` +
        `(from before it, with its wait for the disk, ${describeQuantiles(quantiles(fromAsked))})`,
    );
  }
  const p50 = median(results.map((result) => result.p50));
  const p99 = median(results.map((result) => result.p99));
  return [judge('p50 in ms', p50, 'at most', GOAL_MS.p50), judge('p99 in ms', p99, 'at most', GOAL_MS.p99)].every(
    Boolean,
  );
}

type Load = { eventsASecond: number; ms: number };
type Delays = {
  /** Milliseconds from just before we request the commit to the first byte of the webhook. */
  fromAsked: number[];
  /** Milliseconds from the response to the commit. The first byte may arrive earlier, so this can be negative. */
  fromAnswered: number[];
};

/** Publishes at a fixed rate. Each transaction has one event for each endpoint of a team. Returns the delays. */
async function publishSteadily(stage: Stage, endpoints: Endpoint[], load: Load): Promise<Delays> {
  const { ctx, sink } = stage;
  const everyMs = (1_000 * endpoints.length) / load.eventsASecond;
  const asked = new Map<string, number>();
  const answered = new Map<string, number>();
  const note = (times: Map<string, number>, ids: string[]): void => {
    const at = monotonicNow();
    for (const id of ids) times.set(id, at);
  };
  const publications: Promise<void>[] = [];
  await sink.forget();
  const begin = performance.now();
  for (let n = 0; n * everyMs < load.ms; n += 1) {
    const early = begin + n * everyMs - performance.now();
    if (early > 1) await wait(early);
    publications.push(publishTo(ctx, endpoints, (ids) => note(asked, ids)).then((ids) => note(answered, ids)));
  }
  await Promise.all(publications);
  const arrivals = await untilArrived(stage, asked.size);
  const delays = (times: Map<string, number>): number[] =>
    [...times].map(([id, at]) => (arrivals.get(id) as number) - at);
  return { fromAsked: delays(asked), fromAnswered: delays(answered) };
}

const ARRIVED_WITHIN_MS = 15_000;

/** Waits until all events have arrived. Throws if one is missing, because missing events would improve the figure. */
async function untilArrived({ sink }: Stage, events: number): Promise<Map<string, number>> {
  const deadline = performance.now() + ARRIVED_WITHIN_MS;
  while ((await sink.report()).unique < events) {
    if (performance.now() > deadline) throw new Error('Webhooks did not arrive.');
    await wait(50);
  }
  return new Map((await sink.report({ arrivals: true })).arrivals);
}
