// How long webhooks take that are told live while a million events are replayed, beside the same without.
import { setTimeout as wait } from 'node:timers/promises';
import type { TeamCtx } from '../../src/context.ts';
import { boundToTeam } from '../../src/db/session/bind.ts';
import { askForReplay } from '../../src/webhooks/replays/ask.ts';
import { cancelReplay } from '../../src/webhooks/replays/cancel.ts';
import { median } from '../environment.ts';
import { judge } from '../results.ts';
import { ENDPOINTS_A_TEAM, publishBacklog, publishTo, setDisabled, type Endpoint } from './generator.ts';
import { describeQuantiles, quantiles, type Quantiles } from './quantiles.ts';
import { monotonicNow } from './sink.ts';
import { onStage, type Stage } from './stage.ts';

const GOAL = 1.5;
/** The most that may be asked for. */
const PER_SECOND = 400;
const LIVE_A_SECOND = 100;
const SETTLE_MS = 3_000;
/** What came no sooner counts as undelivered. */
const ARRIVED_WITHIN_MS = 3_000;

type Size = { events: number; turns: number; turnMs: number };
const WHOLE: Size = { events: 1_000_000, turns: 4, turnMs: 15_000 };
const QUICK: Size = { events: 20_000, turns: 1, turnMs: 5_000 };

/** True where the goal is reached. */
export const benchReplay = ({ quick }: { quick: boolean }): Promise<boolean> =>
  onStage((stage) => measure(stage, quick ? QUICK : WHOLE));

type Turn = Quantiles & { undelivered: number; replayed: number };

async function measure(stage: Stage, size: Size): Promise<boolean> {
  const endpoints = await stage.endpoints(ENDPOINTS_A_TEAM + 1);
  const replayed = endpoints[0] as Endpoint;
  const live = [replayed, endpoints[1] as Endpoint, endpoints.at(-1) as Endpoint];
  const since = new Date().toISOString();
  await setDisabled(stage.ctx, [replayed], true);
  await publishBacklog(stage.ctx, [replayed], size.events);
  // As if they had been told before the endpoint was made.
  await stage.owner.query('truncate deliveries');
  await stage.owner.query('vacuum analyze');
  await setDisabled(stage.ctx, [replayed], false);
  await stage.start('serve');
  await playTurn(stage, live, size); // warms up
  const turns: Record<'without' | 'beside', Turn[]> = { without: [], beside: [] };
  for (let n = 1; n <= size.turns; n += 1) {
    turns.without.push(await playTurn(stage, live, size));
    const end = await beginReplay(stage, replayed, since);
    turns.beside.push(await playTurn(stage, live, size));
    await end();
    console.log(
      `turn ${n}: ms to the first byte without ${describeTurn(turns.without.at(-1) as Turn)}; ` +
        `beside a replay of ${size.events} events ${describeTurn(turns.beside.at(-1) as Turn)}`,
    );
  }
  const of = (kind: keyof typeof turns): number => median(turns[kind].map(({ p99 }) => p99));
  const ratio = of('beside') / of('without');
  const undelivered = [...turns.without, ...turns.beside].reduce((sum, turn) => sum + turn.undelivered, 0);
  console.log(`medians of p99: ${of('without').toFixed(1)} and ${of('beside').toFixed(1)} ms`);
  const reached = [
    judge('p99 of live events beside a replay, of that without', ratio, 'at most', GOAL),
    judge('live events undelivered', undelivered, 'at most', 0),
  ].every(Boolean);
  return reached && turns.beside.every((turn) => turn.replayed > 0);
}

const describeTurn = (turn: Turn): string =>
  `${describeQuantiles(turn)} (${turn.replayed} replayed${turn.undelivered > 0 ? `, ${turn.undelivered} undelivered` : ''})`;

/** From the first event on; answers how to end it. */
async function beginReplay({ ctx }: Stage, { team_id, webhook_id }: Endpoint, since: string) {
  const team: TeamCtx = { ...boundToTeam(ctx, team_id), team: { id: team_id, org_id: '', settings: {} } };
  const { id } = await askForReplay(team, webhook_id, 'replay', { since, per_second: PER_SECOND });
  return async (): Promise<void> => {
    await cancelReplay(team, { webhook_id, replay_id: id });
    await wait(SETTLE_MS);
  };
}

/** Publishes to the endpoint of the replay, to another of its team and to one of another team. */
async function playTurn(stage: Stage, live: Endpoint[], size: Size): Promise<Turn> {
  await publishFor(stage, live, SETTLE_MS);
  await stage.sink.forget();
  const committed = await publishFor(stage, live, size.turnMs);
  await wait(ARRIVED_WITHIN_MS);
  const arrivals = new Map((await stage.sink.report({ arrivals: true })).arrivals);
  const delays = [...committed].flatMap(([id, at]) => (arrivals.has(id) ? [(arrivals.get(id) as number) - at] : []));
  return {
    ...quantiles(delays),
    undelivered: committed.size - delays.length,
    replayed: arrivals.size - delays.length,
  };
}

/** An event to each endpoint in turn, each in a transaction of its own; answers when its commit was asked for. */
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
