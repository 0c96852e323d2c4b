// Measures how long webhooks of new events take while a replay sends a million past events again. Compares that with
// rounds without a replay.
import { setTimeout as wait } from 'node:timers/promises';
import type { TeamCtx } from '../../src/context.ts';
import { boundToTeam } from '../../src/db/session/bind.ts';
import { requestReplay } from '../../src/webhooks/replays/request-replay.ts';
import { cancelReplay } from '../../src/webhooks/replays/cancel-replay.ts';
import { median } from '../describe-machine.ts';
import { judge } from '../judge.ts';
import { ENDPOINTS_A_TEAM, publishBacklog, publishTo, setDisabled, type Endpoint } from './generator.ts';
import { describeQuantiles, quantiles, type Quantiles } from './quantiles.ts';
import { monotonicNow } from './sink.ts';
import { onStage, type Stage } from './stage.ts';

const GOAL = 1.5;
/** The highest rate that a request for a replay may set. */
const PER_SECOND = 400;
const LIVE_A_SECOND = 100;
const STEADY_AFTER_MS = 3_000;
/** An event that arrives later than this after its round counts as undelivered. */
const ARRIVED_WITHIN_MS = 3_000;

type Size = { events: number; rounds: number; roundMs: number };
const WHOLE: Size = { events: 1_000_000, rounds: 4, roundMs: 15_000 };
const QUICK: Size = { events: 20_000, rounds: 1, roundMs: 5_000 };

/** Returns true if the goal is reached. */
export const benchReplay = ({ quick }: { quick: boolean }): Promise<boolean> =>
  onStage((stage) => measure(stage, quick ? QUICK : WHOLE));

type Round = Quantiles & { undelivered: number; replayed: number };

async function measure(stage: Stage, size: Size): Promise<boolean> {
  const endpoints = await stage.endpoints(ENDPOINTS_A_TEAM + 1);
  const replayed = endpoints[0] as Endpoint;
  const live = [replayed, endpoints[1] as Endpoint, endpoints.at(-1) as Endpoint];
  const since = new Date().toISOString();
  await setDisabled(stage.ctx, [replayed], true);
  await publishBacklog(stage.ctx, [replayed], size.events);
  // Without deliveries, the events look as if they were published before the endpoint existed.
  await stage.owner.query('truncate deliveries');
  await stage.owner.query('vacuum analyze');
  await setDisabled(stage.ctx, [replayed], false);
  await stage.start('serve');
  await playRound(stage, live, size); // warms up
  const rounds: Record<'without' | 'beside', Round[]> = { without: [], beside: [] };
  for (let n = 1; n <= size.rounds; n += 1) {
    rounds.without.push(await playRound(stage, live, size));
    const end = await beginReplay(stage, replayed, since);
    rounds.beside.push(await playRound(stage, live, size));
    await end();
    console.log(
      `round ${n}: ms to the first byte without ${describeRound(rounds.without.at(-1) as Round)}; ` +
        `beside a replay of ${size.events} events ${describeRound(rounds.beside.at(-1) as Round)}`,
    );
  }
  const of = (kind: keyof typeof rounds): number => median(rounds[kind].map(({ p99 }) => p99));
  const ratio = of('beside') / of('without');
  const undelivered = [...rounds.without, ...rounds.beside].reduce((sum, round) => sum + round.undelivered, 0);
  console.log(`medians of p99: ${of('without').toFixed(1)} and ${of('beside').toFixed(1)} ms`);
  const reached = [
    judge('p99 of live events beside a replay, of that without', ratio, 'at most', GOAL),
    judge('live events undelivered', undelivered, 'at most', 0),
  ].every(Boolean);
  return reached && rounds.beside.every((round) => round.replayed > 0);
}

const describeRound = (round: Round): string =>
  `${describeQuantiles(round)} (${round.replayed} ` +
  `replayed${round.undelivered > 0 ? `, ${round.undelivered} undelivered` : ''})`;

/** Starts a replay of all events since `since`. Returns a function that cancels it. */
async function beginReplay({ ctx }: Stage, { team_id, webhook_id }: Endpoint, since: string) {
  const team: TeamCtx = { ...boundToTeam(ctx, team_id), team: { id: team_id, org_id: '', settings: {} } };
  const { id } = await requestReplay(team, webhook_id, 'replay', { since, per_second: PER_SECOND });
  return async (): Promise<void> => {
    await cancelReplay(team, { webhook_id, replay_id: id });
    await wait(STEADY_AFTER_MS);
  };
}

/** Publishes to the endpoint of the replay, to another endpoint of its team, and to an endpoint of another team. */
async function playRound(stage: Stage, live: Endpoint[], size: Size): Promise<Round> {
  await publishFor(stage, live, STEADY_AFTER_MS);
  await stage.sink.forget();
  const committed = await publishFor(stage, live, size.roundMs);
  await wait(ARRIVED_WITHIN_MS);
  const arrivals = new Map((await stage.sink.report({ arrivals: true })).arrivals);
  const delays = [...committed].flatMap(([id, at]) => (arrivals.has(id) ? [(arrivals.get(id) as number) - at] : []));
  return {
    ...quantiles(delays),
    undelivered: committed.size - delays.length,
    replayed: arrivals.size - delays.length,
  };
}

/**
 * Publishes events to the endpoints in round robin, each in its own transaction. Returns the time just before each
 * commit, by event id.
 */
async function publishFor({ ctx }: Stage, live: Endpoint[], ms: number): Promise<Map<string, number>> {
  const committed = new Map<string, number>();
  const publications: Promise<unknown>[] = [];
  const begin = performance.now();
  for (let n = 0; (n * 1_000) / LIVE_A_SECOND < ms; n += 1) {
    const early = begin + (n * 1_000) / LIVE_A_SECOND - performance.now();
    if (early > 1) await wait(early);
    const to = live[n % live.length] as Endpoint;
    publications.push(publishTo(ctx, [to], ([id]) => committed.set(id as string, monotonicNow())));
  }
  await Promise.all(publications);
  return committed;
}
