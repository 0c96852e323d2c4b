// Measures how long webhooks of healthy endpoints take while a tenth of 1,000 endpoints hang (send no responses).
// Compares that with rounds in which no endpoint hangs.
import { setTimeout as wait } from 'node:timers/promises';
import { median } from '../describe-machine.ts';
import { judge } from '../judge.ts';
import { ENDPOINTS_A_TEAM, publishTo, type Endpoint } from './generator.ts';
import { describeQuantiles, quantiles, type Quantiles } from './quantiles.ts';
import { monotonicNow } from './sink.ts';
import { onStage, type Stage } from './stage.ts';

const GOAL = 1.2;
const EVENTS_A_SECOND = 300;
const STEADY_AFTER_MS = 3_000;
/** An event that arrives later than this after its round counts as undelivered. */
const ARRIVED_WITHIN_MS = 3_000;

type Size = {
  endpoints: number;
  rounds: number;
  roundMs: number;
  /** How long we wait after endpoints begin to hang. By then, the first requests to them have timed out. */
  steadyAfterMs: number;
  /** Empty: the program's default. */
  timeoutSeconds: string;
};
const WHOLE: Size = { endpoints: 1_000, rounds: 2, roundMs: 15_000, steadyAfterMs: 17_000, timeoutSeconds: '' };
const QUICK: Size = { endpoints: 200, rounds: 1, roundMs: 5_000, steadyAfterMs: 4_000, timeoutSeconds: '2' };

/** Returns true if the goal is reached. */
export const benchHanging = ({ quick }: { quick: boolean }): Promise<boolean> =>
  onStage((stage) => measure(stage, quick ? QUICK : WHOLE));

/** Returns true for one endpoint in each team. The other nine share the team's permits with it. */
const isHanging = (n: number): boolean => n % ENDPOINTS_A_TEAM === 0;

type Round = Quantiles & { undelivered: number };

async function measure(stage: Stage, size: Size): Promise<boolean> {
  const endpoints = await stage.endpoints(size.endpoints);
  const hanging = endpoints.filter((_, n) => isHanging(n));
  await stage.start('serve', { PHIAL_WEBHOOK_TIMEOUT_SECONDS: size.timeoutSeconds });
  const rounds: Record<'without' | 'beside', Round[]> = { without: [], beside: [] };
  await playRound(stage, endpoints, [], size); // warms up
  for (let n = 1; n <= size.rounds; n += 1) {
    rounds.without.push(await playRound(stage, endpoints, [], size));
    rounds.beside.push(await playRound(stage, endpoints, hanging, size));
    console.log(
      `round ${n}: ms to the first byte without ${describeRound(rounds.without.at(-1) as Round)}; ` +
        `beside ${hanging.length} endpoints that hang ${describeRound(rounds.beside.at(-1) as Round)}`,
    );
  }
  const of = (kind: keyof typeof rounds): number => median(rounds[kind].map(({ p99 }) => p99));
  const ratio = of('beside') / of('without');
  const undelivered = [...rounds.without, ...rounds.beside].reduce((sum, round) => sum + round.undelivered, 0);
  console.log(`medians of p99: ${of('without').toFixed(1)} and ${of('beside').toFixed(1)} ms`);
  const reached = [
    judge('p99 beside endpoints that hang, of that without', ratio, 'at most', GOAL),
    judge('events of healthy endpoints undelivered', undelivered, 'at most', 0),
  ].every(Boolean);
  return reached;
}

const describeRound = (round: Round): string =>
  describeQuantiles(round) + (round.undelivered > 0 ? `, ${round.undelivered} undelivered` : '');

/** Publishes to all endpoints. Measures the healthy ones, after the first requests to hanging ones have timed out. */
async function playRound(stage: Stage, endpoints: Endpoint[], hanging: Endpoint[], size: Size): Promise<Round> {
  const { sink } = stage;
  await sink.hang(hanging.map(({ path }) => path));
  await publishFor(stage, endpoints, hanging.length > 0 ? size.steadyAfterMs : STEADY_AFTER_MS);
  await sink.forget();
  const committed = await publishFor(stage, endpoints, size.roundMs);
  await wait(ARRIVED_WITHIN_MS);
  const arrivals = new Map((await sink.report({ arrivals: true })).arrivals);
  // Rounds in which nothing hangs leave out the same endpoints, so that all rounds can be compared.
  const healthy = committed.filter(({ to }) => !isHanging(endpoints.indexOf(to)));
  const delays = healthy.flatMap(({ id, at }) => (arrivals.has(id) ? [(arrivals.get(id) as number) - at] : []));
  return { ...quantiles(delays), undelivered: healthy.length - delays.length };
}

type Committed = { id: string; to: Endpoint; at: number };

/** Publishes one event after the other, to the endpoints in round robin, each in its own transaction. */
async function publishFor({ ctx }: Stage, endpoints: Endpoint[], ms: number): Promise<Committed[]> {
  const committed: Committed[] = [];
  const publications: Promise<unknown>[] = [];
  const begin = performance.now();
  for (let n = 0; (n * 1_000) / EVENTS_A_SECOND < ms; n += 1) {
    const early = begin + (n * 1_000) / EVENTS_A_SECOND - performance.now();
    if (early > 1) await wait(early);
    const to = endpoints[n % endpoints.length] as Endpoint;
    publications.push(publishTo(ctx, [to], ([id]) => committed.push({ id: id as string, to, at: monotonicNow() })));
  }
  await Promise.all(publications);
  return committed;
}
