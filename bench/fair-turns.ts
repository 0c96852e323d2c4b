// How long a quiet team's requests take while others always have heavy ones waiting, beside what they take in a fair turn:
// alone, and behind one heavy request of each other owner.
import type { Ctx } from '../src/context.ts';
import { createTeamKey } from '../src/tenancy/keys/create-team-key.ts';
import { createOrg } from '../src/tenancy/orgs/create.ts';
import { createTeam } from '../src/tenancy/teams/create.ts';
import { besideProgram } from './beside-program.ts';
import { median } from './environment.ts';
import { callerOf, type Call } from './order-traffic.ts';
import { kitToPrint } from './kit-to-print.ts';

const GOAL = 3;
const ROUNDS = { full: 3, quick: 1 };
/** Of the quiet team in each round, one after the other. */
const REQUESTS = { full: 100, quick: 25 };
const HOURS = 2_000;

type Work = () => Promise<unknown>;
/** Who is loud: what they ask again and again, and how many owners take turns before the quiet team has its own. */
type Loud = { title: string; owners: number; work: Work[] };

/** True where every goal is reached. */
export function benchFairTurns(size: 'full' | 'quick'): Promise<boolean> {
  return besideProgram({}, async ({ baseUrl }, ctx) => {
    const quiet = await openTeam(ctx, baseUrl, (await createOrg(ctx, { name: 'Quiet', plan: 'scale' })).org_id);
    const ask: Work = () => quiet('GET', '/v2/user?limit=1');
    let reached = true;
    for (const loud of [twelveOrganisations, hundredTeams, documents])
      reached = (await measure(await loud(ctx, baseUrl), ask, size)) && reached;
    return reached;
  });
}

async function measure({ title, owners, work }: Loud, ask: Work, size: 'full' | 'quick'): Promise<boolean> {
  const rounds: { alone: number; fair: number; p50: number; p99: number }[] = [];
  for (let round = 0; round <= ROUNDS[size]; round += 1) {
    const alone = await timesOf(ask, REQUESTS[size]);
    const flood = startFlood(work);
    await flood.warm();
    const begun = { at: performance.now(), answered: flood.answered() };
    const beside = await timesOf(ask, REQUESTS[size]);
    const heavyMs = (performance.now() - begun.at) / Math.max(1, flood.answered() - begun.answered);
    await flood.stop();
    // V8 and PostgreSQL warm up in the first.
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
      `${of('p50').toFixed(1)} ms, p99 ${of('p99').toFixed(1)} ms; p99 ${ratio.toFixed(2)} of a fair turn (goal: at most ${GOAL})`,
  );
  return ratio <= GOAL;
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

/** Each of the work again and again, all at once. */
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

async function openTeam(ctx: Ctx, baseUrl: string, org_id: string): Promise<Call> {
  const team = await createTeam(ctx, { org_id, name: 'Bench' });
  const { value } = await createTeamKey(ctx, { team_id: team.id, label: 'bench' });
  return callerOf(baseUrl, { 'x-service-api-key': value });
}

/** An aggregate of as much as one question may ask. */
async function heavyAggregate(call: Call): Promise<Work> {
  const { user_id } = await call<{ user_id: string }>('POST', '/v2/user', { client_user_id: 'heavy' });
  const sample = { resource: 'heartrate', provider: 'oura', source_type: 'ring', unit: 'bpm' };
  const samples = Array.from({ length: HOURS }, (_, hour) => ({
    ...sample,
    value: 60 + (hour % 40),
    timestamp: new Date(Date.UTC(2025, 8, 1, hour)).toISOString(),
  }));
  await call('POST', `/v2/timeseries/${user_id}/samples`, samples);
  const functions = ['median', 'stddev', 'mean'].map((func) => ({ func, arg: { timeseries: 'heartrate' } }));
  const query = { select: [{ group_key: '*' }, ...functions], group_by: [{ date_trunc: { unit: 'hour', value: 1 } }] };
  const timeframe = { type: 'relative', anchor: '2026-01-01', past: { unit: 'day', value: 120 } };
  const body = { timeframe, queries: Array(5).fill(query) };
  return () => call('POST', `/aggregate/v1/user/${user_id}/query`, body);
}

async function twelveOrganisations(ctx: Ctx, baseUrl: string): Promise<Loud> {
  const work: Work[] = [];
  for (let n = 0; n < 12; n += 1) {
    const { org_id } = await createOrg(ctx, { name: `Loud ${n}`, plan: 'scale' });
    const one = await heavyAggregate(await openTeam(ctx, baseUrl, org_id));
    work.push(one, one);
  }
  return { title: '12 organisations, two heavy aggregates of each in flight', owners: 12, work };
}

async function hundredTeams(ctx: Ctx, baseUrl: string): Promise<Loud> {
  const { org_id } = await createOrg(ctx, { name: 'Loud', plan: 'scale' });
  const work: Work[] = [];
  for (let n = 0; n < 100; n += 1) work.push(await heavyAggregate(await openTeam(ctx, baseUrl, org_id)));
  return { title: '100 teams of one organisation, a heavy aggregate of each in flight', owners: 1, work };
}

async function documents(ctx: Ctx, baseUrl: string): Promise<Loud> {
  const { org_id } = await createOrg(ctx, { name: 'Printer', plan: 'scale' });
  const team = await createTeam(ctx, { org_id, name: 'Printer' });
  const { value } = await createTeamKey(ctx, { team_id: team.id, label: 'bench' });
  const headers = { 'x-service-api-key': value };
  const call = callerOf(baseUrl, headers);
  const work: Work[] = [];
  for (let n = 0; n < 6; n += 1) {
    const orderId = await kitToPrint(call);
    work.push(async () => {
      const answer = await fetch(`${baseUrl}/v3/order/${orderId}/requisition/pdf`, { headers });
      if ((await answer.arrayBuffer()).byteLength < 1_000) throw new Error(`A document answered ${answer.status}.`);
    });
  }
  return { title: 'six documents of one key in flight', owners: 1, work };
}
