// Measures how long a quiet team waits while other owners always have heavy work waiting. In a fair turn, it waits as
// long as alone, plus the time of one heavy request of each other owner.
import type { Ctx } from '../src/context.ts';
import { createTeamKey } from '../src/tenancy/keys/create-team-key.ts';
import { createTeam } from '../src/tenancy/teams/create.ts';
import { median } from './describe-machine.ts';
import { callerOf, type Call } from './order-traffic.ts';
import { judge } from './judge.ts';

const GOAL = 3;
const ROUNDS = { full: 3, quick: 1 };

export type Size = keyof typeof ROUNDS;
export type Work = () => Promise<unknown>;

export type Loud = {
  title: string;
  /** How many owners come before the quiet team in round robin. */
  owners: number;
  /** The requests of the other owners. All of them run at the same time, again and again. */
  work: Work[];
  /** The requests of the quiet team, one after the other, and their number in a round. */
  ask: Work;
  requests: Record<Size, number>;
};

/** Returns true if the goal is reached. */
export async function measureFairShare({ title, owners, work, ask, requests }: Loud, size: Size): Promise<boolean> {
  const rounds: { alone: number; fair: number; p50: number; p99: number }[] = [];
  for (let round = 0; round <= ROUNDS[size]; round += 1) {
    const alone = await timesOf(ask, requests[size]);
    const flood = startFlood(work);
    await flood.warm();
    const begun = { at: performance.now(), answered: flood.answered() };
    const beside = await timesOf(ask, requests[size]);
    const heavyMs = (performance.now() - begun.at) / Math.max(1, flood.answered() - begun.answered);
    await flood.stop();
    // V8 and PostgreSQL warm up in the first round.
    if (round > 0)
      rounds.push({
        alone: at(alone, 0.5),
        fair: at(alone, 0.5) + owners * heavyMs,
        p50: at(beside, 0.5),
        p99: at(beside, 0.99),
      });
  }
  const of = (key: keyof (typeof rounds)[number]): number => median(rounds.map((round) => round[key]));
  const ratio = median(rounds.map(({ p99, fair }) => p99 / fair));
  console.log(
    `${title}: alone p50 ${of('alone').toFixed(1)} ms, in a fair turn ${of('fair').toFixed(1)} ms; beside them p50 ` +
      `${of('p50').toFixed(1)} ms, p99 ${of('p99').toFixed(1)} ms`,
  );
  return judge(`${title}: p99, of a fair turn`, ratio, 'at most', GOAL);
}

const at = (sorted: number[], part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? NaN;

async function timesOf(ask: Work, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const begun = performance.now();
    await ask();
    times.push(performance.now() - begun);
  }
  return times.toSorted((a, b) => a - b);
}

/** Sends each request again and again, all of them at the same time. */
function startFlood(work: Work[]) {
  let answered = 0;
  let isOver = false;
  const all = work.map(async (one) => {
    while (!isOver) {
      await one();
      answered += 1;
    }
  });
  return {
    answered: () => answered,
    warm: async () => {
      const begun = answered;
      while (answered < begun + work.length) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    stop: async () => {
      isOver = true;
      await Promise.all(all);
    },
  };
}

export async function openTeam(ctx: Ctx, baseUrl: string, org_id: string): Promise<Call> {
  const team = await createTeam(ctx, { org_id, name: 'Bench' });
  const { value } = await createTeamKey(ctx, { team_id: team.id, label: 'bench' });
  return callerOf(baseUrl, { 'x-service-api-key': value });
}
