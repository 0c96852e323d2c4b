// How long a team waits for its answers and webhooks while another one sends a year of samples, beside the same without that,
// and beside processes that use the machine's processors as much and ask nothing of the service.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describeMachine, median } from './environment.ts';
import { makeFolder, removeFolder, startMeasured, type MeasuredProgram } from './measured-program.ts';
import { callerOf } from './order-traffic.ts';
import { judge } from './results.ts';
import { work } from './samples-client.ts';
import type { Done, Work } from './samples-worker.ts';
import { besideStrangers, measureBusy } from './strangers.ts';

const GOAL = 1.2;
const TURNS = 5;
const TURN_MS = 6_000;
const LANES = 4;
const REQUEST_EVERY_MS = 20;
/** After each change, so that a turn measures a state and not the way there. */
const SETTLE_MS = 2_000;

type Quantiles = { p50: number; p99: number };
/** Of the answers, and of the webhooks that tell of what was sent, both from when the request was sent; and how many processors were busy. */
type Turn = { answers: Quantiles; webhooks: Quantiles; busy: number };

/** True where the goal is reached. */
export async function benchBackfill(): Promise<boolean> {
  console.log(describeMachine());
  const folder = makeFolder();
  const program = await startMeasured(folder, [process.execPath, 'bin/phial.mjs', 'serve']);
  try {
    return await compare(program);
  } finally {
    await program.stop();
    removeFolder(folder);
  }
}

async function compare(program: MeasuredProgram): Promise<boolean> {
  const { org_id, team_id, team_api_key, management_key } = program.credentials();
  const manage = callerOf(program.baseUrl, { 'x-management-key': management_key });
  const quiet = await manage<{ id: string }>('POST', `/v1/org/${org_id}/team`, { name: 'Quiet', region: 'us' });
  const { value } = await manage<{ value: string }>('POST', `/v1/org/${org_id}/team_api_keys/sandbox/us`, {
    label: 'bench',
    team_id: quiet.id,
  });
  const ask = callerOf(program.baseUrl, { 'x-service-api-key': value });
  const { user_id } = await ask<{ user_id: string }>('POST', '/v2/user', { client_user_id: 'quiet' });
  const loud = callerOf(program.baseUrl, { 'x-service-api-key': team_api_key });
  const lanes: Work['lanes'] = [];
  for (let n = 0; n < LANES; n += 1) {
    const user = await loud<{ user_id: string }>('POST', '/v2/user', { client_user_id: `loud-${n}` });
    lanes.push({ userId: user.user_id, streamId: 0 });
  }
  let from = Math.floor(Date.now() / 1000) - 300 * 86_400;
  const flood = async (measureMs: number): Promise<Done> => {
    const url = program.baseUrl;
    const done = await work({
      by: 'http',
      url,
      teamApiKey: team_api_key,
      teamId: team_id,
      lanes,
      from,
      warmUpMs: 0,
      measureMs,
    });
    from = done.until;
    return done;
  };
  const webhooks = await startReceiver();
  await manage('POST', `/v1/org/${org_id}/team/${quiet.id}/sandbox/webhook`, { url: webhooks.url });
  let minute = 0;
  const turn = async (): Promise<Turn> => {
    const times: number[] = [];
    const sent = new Map<string, number>();
    const busy = measureBusy();
    const end = performance.now() + TURN_MS;
    while (performance.now() < end) {
      minute += 1;
      const at = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
      const sample = { resource: 'glucose', provider: 'manual', timestamp: at, unit: 'mmol/L', value: 5 };
      const begin = performance.now();
      sent.set(at, begin);
      await ask('POST', `/v2/timeseries/${user_id}/samples`, [sample]);
      times.push(performance.now() - begin);
      await wait(Math.max(0, REQUEST_EVERY_MS - (times.at(-1) as number)));
    }
    return { busy: busy(), answers: quantiles(times), webhooks: quantiles(await webhooks.delaysOf(sent)) };
  };

  await flood(8_000);
  await turn();
  const alone: Turn[] = [];
  const beside: Turn[] = [];
  const strangers: Turn[] = [];
  for (let round = 1; round <= TURNS; round += 1) {
    const without = await turn();
    const flooding = flood(TURN_MS + SETTLE_MS + 1_000);
    await wait(SETTLE_MS);
    const along = await turn();
    const { counted, seconds } = await flooding;
    const control = await besideStrangers(along.busy - without.busy, async () => {
      await wait(SETTLE_MS);
      return turn();
    });
    alone.push(without);
    beside.push(along);
    strangers.push(control);
    console.log(
      `turn ${round}: alone ${told(without)}; beside ${(counted / seconds).toFixed(0)} samples/s of another team ${told(along)}; ` +
        `beside strangers ${told(control)}`,
    );
  }
  webhooks.close();
  return (['answers', 'webhooks'] as const)
    .map((what) => {
      const of = (turns: Turn[], key: keyof Quantiles): number => median(turns.map((each) => each[what][key]));
      const list = (key: keyof Quantiles): string =>
        [alone, beside, strangers].map((turns) => of(turns, key).toFixed(1)).join(', ');
      console.log(
        `${what}, medians of ${TURNS} turns alone, beside the backfill, beside strangers: p50 ${list('p50')} ms, p99 ${list('p99')} ms`,
      );
      return [
        judge(`p99 of ${what}, of that beside strangers`, of(beside, 'p99') / of(strangers, 'p99'), 'at most', GOAL),
        judge(`p99 of ${what}, of that alone`, of(beside, 'p99') / of(alone, 'p99'), 'at most', GOAL),
      ].every(Boolean);
    })
    .every(Boolean);
}

const told = ({ answers, webhooks, busy }: Turn): string =>
  `p50 ${answers.p50.toFixed(1)} ms, p99 ${answers.p99.toFixed(1)} ms (webhooks ${webhooks.p50.toFixed(1)} and ${webhooks.p99.toFixed(1)}; ${busy.toFixed(2)} processors busy)`;

function quantiles(times: number[]): Quantiles {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Takes webhooks of samples, and knows when each came by the time of its sample. */
async function startReceiver() {
  const arrived = new Map<string, number>();
  const server = createServer((request, response) => {
    const now = performance.now();
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      response.end();
      const { data } = JSON.parse(Buffer.concat(parts).toString()) as { data: { data?: { timestamp: string }[] } };
      for (const { timestamp } of data.data ?? []) arrived.set(timestamp, now);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    /** When all have come; a minute at most. */
    delaysOf: async (sent: Map<string, number>): Promise<number[]> => {
      for (let ms = 0; [...sent.keys()].some((at) => !arrived.has(at)); ms += 20) {
        if (ms > 60_000) throw new Error('A webhook has not come within a minute.');
        await wait(20);
      }
      return [...sent].map(([at, begin]) => (arrived.get(at) as number) - begin);
    },
    close: () => server.close(),
  };
}
