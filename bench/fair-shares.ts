// Measures how long requests, imports and pulls (imports of the past) of a quiet team take while other owners always
// have heavy work waiting.
import type { Ctx } from '../src/context.ts';
import { createTeamKey } from '../src/tenancy/keys/create-team-key.ts';
import { createOrg } from '../src/tenancy/orgs/create.ts';
import { createTeam } from '../src/tenancy/teams/create.ts';
import { besideProgram } from './beside-program.ts';
import { imports, pulls } from './fair-queues.ts';
import { measureFairShare, openTeam, type Loud, type Size, type Work } from './flood.ts';
import { callerOf, type Call } from './order-traffic.ts';
import { kitToPrint } from './kit-to-print.ts';

/** Requests of the quiet team in each round, one after the other. */
const REQUESTS = { full: 100, quick: 25 };
const HOURS = 2_000;

type Others = Pick<Loud, 'title' | 'owners' | 'work'>;

/** Returns true if every goal is reached. */
export function benchFairShares(size: Size): Promise<boolean> {
  return besideProgram({}, async ({ baseUrl }, ctx) => {
    const quiet = await openTeam(ctx, baseUrl, (await createOrg(ctx, { name: 'Quiet', plan: 'scale' })).org_id);
    const requests = { ask: () => quiet('GET', '/v2/user?limit=1'), requests: REQUESTS };
    let reached = true;
    for (const loud of [twelveOrganisations, hundredTeams, documents])
      reached = (await measureFairShare({ ...(await loud(ctx, baseUrl)), ...requests }, size)) && reached;
    for (const queue of [imports, pulls])
      reached = (await measureFairShare(await queue(ctx, baseUrl), size)) && reached;
    return reached;
  });
}

/** Returns a function that requests an aggregate of the largest size that one request may have. */
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

async function twelveOrganisations(ctx: Ctx, baseUrl: string): Promise<Others> {
  const work: Work[] = [];
  for (let n = 0; n < 12; n += 1) {
    const { org_id } = await createOrg(ctx, { name: `Loud ${n}`, plan: 'scale' });
    const one = await heavyAggregate(await openTeam(ctx, baseUrl, org_id));
    work.push(one, one);
  }
  return { title: '12 organisations, two heavy aggregates of each in flight', owners: 12, work };
}

async function hundredTeams(ctx: Ctx, baseUrl: string): Promise<Others> {
  const { org_id } = await createOrg(ctx, { name: 'Loud', plan: 'scale' });
  const work: Work[] = [];
  for (let n = 0; n < 100; n += 1) work.push(await heavyAggregate(await openTeam(ctx, baseUrl, org_id)));
  return { title: '100 teams of one organisation, a heavy aggregate of each in flight', owners: 1, work };
}

async function documents(ctx: Ctx, baseUrl: string): Promise<Others> {
  const { org_id } = await createOrg(ctx, { name: 'Printer', plan: 'scale' });
  const team = await createTeam(ctx, { org_id, name: 'Printer' });
  const { value } = await createTeamKey(ctx, { team_id: team.id, label: 'bench' });
  const headers = { 'x-service-api-key': value };
  const call = callerOf(baseUrl, headers);
  const work: Work[] = [];
  for (let n = 0; n < 6; n += 1) {
    const orderId = await kitToPrint(call);
    work.push(async () => {
      const response = await fetch(`${baseUrl}/v3/order/${orderId}/requisition/pdf`, { headers });
      if ((await response.arrayBuffer()).byteLength < 1_000) throw new Error(`A document answered ${response.status}.`);
    });
  }
  return { title: 'six documents of one key in flight', owners: 1, work };
}
