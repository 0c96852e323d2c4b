// How long webhooks of healthy endpoints take while a tenth of 1,000 endpoints hang, beside the same while none does.
import { setTimeout as wait } from 'node:timers/promises';
import { median } from '../environment.ts';
import { judge } from '../results.ts';
import { ENDPOINTS_A_TEAM, publishTo, type Endpoint } from './generator.ts';
import { describeQuantiles, quantiles, type Quantiles } from './quantiles.ts';
import { monotonicNow } from './sink.ts';
import { onStage, type Stage } from './stage.ts';

const GOAL = 1.2;
const EVENTS_A_SECOND = 300;
const SETTLE_MS = 3_000;
/** What came no sooner counts as undelivered. */
const ARRIVED_WITHIN_MS = 3_000;

type Size = {
  endpoints: number;
  turns: number;
  turnMs: number;
  /** After endpoints began to hang, until the first of them have timed out. */
  settleMs: number;
  /** Empty: the program's default. */
  timeoutSeconds: string;
};
const WHOLE: Size = { endpoints: 1_000, turns: 2, turnMs: 15_000, settleMs: 17_000, timeoutSeconds: '' };
const QUICK: Size = { endpoints: 200, turns: 1, turnMs: 5_000, settleMs: 4_000, timeoutSeconds: '2' };

/** True where the goal is reached. */
export const benchHanging = ({ quick }: { quick: boolean }): Promise<boolean> =>
  onStage((stage) => measure(stage, quick ? QUICK : WHOLE));

/** One of each team: its other nine share the team's places with it. */
const isHanging = (n: number): boolean => n % ENDPOINTS_A_TEAM === 0;

type Turn = Quantiles & { undelivered: number };

async function measure(stage: Stage, size: Size): Promise<boolean> {
  const endpoints = await stage.endpoints(size.endpoints);
  const hanging = endpoints.filter((_, n) => isHanging(n));
  await stage.start('serve', { PHIAL_WEBHOOK_TIMEOUT_SECONDS: size.timeoutSeconds });
  const turns: Record<'without' | 'beside', Turn[]> = { without: [], beside: [] };
  await playTurn(stage, endpoints, [], size); // warms up
  for (let n = 1; n <= size.turns; n += 1) {
    turns.without.push(await playTurn(stage, endpoints, [], size));
    turns.beside.push(await playTurn(stage, endpoints, hanging, size));
    console.log(
      `turn ${n}: ms to the first byte without ${describeTurn(turns.without.at(-1) as Turn)}; ` +
        `beside ${hanging.length} endpoints that hang ${describeTurn(turns.beside.at(-1) as Turn)}`,
    );
  }
  const of = (kind: keyof typeof turns): number => median(turns[kind].map(({ p99 }) => p99));
  const ratio = of('beside') / of('without');
  const undelivered = [...turns.without, ...turns.beside].reduce((sum, turn) => sum + turn.undelivered, 0);
  console.log(`medians of p99: ${of('without').toFixed(1)} and ${of('beside').toFixed(1)} ms`);
  const reached = [
    judge('p99 beside endpoints that hang, of that without', ratio, 'at most', GOAL),
    judge('events of healthy endpoints undelivered', undelivered, 'at most', 0),
  ].every(Boolean);
  return reached;
}

const describeTurn = (turn: Turn): string =>
  describeQuantiles(turn) + (turn.undelivered > 0 ? `, ${turn.undelivered} undelivered` : '');

/** Publishes to all endpoints, those that hang among them, and measures the others once the first have timed out. */
async function playTurn(stage: Stage, endpoints: Endpoint[], hanging: Endpoint[], size: Size): Promise<Turn> {
  const { sink } = stage;
  await sink.hang(hanging.map(({ path }) => path));
  await publishFor(stage, endpoints, hanging.length > 0 ? size.settleMs : SETTLE_MS);
  await sink.forget();
  const committed = await publishFor(stage, endpoints, size.turnMs);
  await wait(ARRIVED_WITHIN_MS);
  const arrivals = new Map((await sink.report({ arrivals: true })).arrivals);
  // Those that hang are left out of every turn.
  const healthy = committed.filter(({ to }) => !isHanging(endpoints.indexOf(to)));
  const delays = healthy.flatMap(({ id, at }) => (arrivals.has(id) ? [(arrivals.get(id) as number) - at] : []));
  return { ...quantiles(delays), undelivered: healthy.length - delays.length };
}

type Committed = { id: string; to: Endpoint; at: number };

/** An event to each endpoint in turn, each in a transaction of its own. */
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
