// Measures how long a team waits for its responses and webhooks while another team sends a year of samples. Compares
// that with the same requests alone, and with the same requests beside unrelated processes that use as much processor
// time.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describeMachine, median } from './describe-machine.ts';
import { makeFolder, removeFolder, startMeasured, type MeasuredProgram } from './measured-program.ts';
import { callerOf } from './order-traffic.ts';
import { judge } from './judge.ts';
import { work } from './samples-client.ts';
import type { Done, Work } from './samples-worker.ts';
import { besideUnrelatedLoad, measureBusy } from './unrelated-load.ts';

const GOAL = 1.2;
const ROUNDS = 5;
const ROUND_MS = 6_000;
const TARGETS = 4;
const REQUEST_EVERY_MS = 20;
/** A pause after each change, so that a round measures a steady state. */
const STEADY_AFTER_MS = 2_000;

type Quantiles = { p50: number; p99: number };
/**
 * The milliseconds from a request to its response (`answers`), and to the webhook of its sample. `busy` is the number
 * of busy processors.
 */
type Round = { answers: Quantiles; webhooks: Quantiles; busy: number };

/** Returns true if the goal is reached. */
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
  const targets: Work['targets'] = [];
  for (let n = 0; n < TARGETS; n += 1) {
    const user = await loud<{ user_id: string }>('POST', '/v2/user', { client_user_id: `loud-${n}` });
    targets.push({ userId: user.user_id, streamId: 0 });
  }
  let from = Math.floor(Date.now() / 1000) - 300 * 86_400;
  const flood = async (measureMs: number): Promise<Done> => {
    const url = program.baseUrl;
    const done = await work({
      by: 'http',
      url,
      teamApiKey: team_api_key,
      teamId: team_id,
      targets,
      from,
      warmUpMs: 0,
      measureMs,
    });
    from = done.until;
    return done;
  };
  const webhooks = await startEndpoint();
  await manage('POST', `/v1/org/${org_id}/team/${quiet.id}/sandbox/webhook`, { url: webhooks.url });
  let minute = 0;
  const playRound = async (): Promise<Round> => {
    const times: number[] = [];
    const sent = new Map<string, number>();
    const busy = measureBusy();
    const end = performance.now() + ROUND_MS;
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
  await playRound();
  const alone: Round[] = [];
  const beside: Round[] = [];
  const besideUnrelated: Round[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const without = await playRound();
    const flooding = flood(ROUND_MS + STEADY_AFTER_MS + 1_000);
    await wait(STEADY_AFTER_MS);
    const along = await playRound();
    const { counted, seconds } = await flooding;
    const control = await besideUnrelatedLoad(along.busy - without.busy, async () => {
      await wait(STEADY_AFTER_MS);
      return playRound();
    });
    alone.push(without);
    beside.push(along);
    besideUnrelated.push(control);
    console.log(
      `round ${round}: alone ${describe(without)}; beside ${(counted / seconds).toFixed(0)} samples/s of ` +
        `another team ${describe(along)}; ` +
        `beside strangers ${describe(control)}`,
    );
  }
  webhooks.close();
  return (['answers', 'webhooks'] as const)
    .map((what) => {
      const of = (rounds: Round[], key: keyof Quantiles): number => median(rounds.map((each) => each[what][key]));
      const list = (key: keyof Quantiles): string =>
        [alone, beside, besideUnrelated].map((rounds) => of(rounds, key).toFixed(1)).join(', ');
      console.log(
        `${what}, medians of ${ROUNDS} rounds alone, beside the backfill, beside strangers: p50 ` +
          `${list('p50')} ms, p99 ${list('p99')} ms`,
      );
      return [
        judge(
          `p99 of ${what}, of that beside strangers`,
          of(beside, 'p99') / of(besideUnrelated, 'p99'),
          'at most',
          GOAL,
        ),
        judge(`p99 of ${what}, of that alone`, of(beside, 'p99') / of(alone, 'p99'), 'at most', GOAL),
      ].every(Boolean);
    })
    .every(Boolean);
}

const describe = ({ answers, webhooks, busy }: Round): string =>
  `p50 ${answers.p50.toFixed(1)} ms, p99 ${answers.p99.toFixed(1)} ms (webhooks ${webhooks.p50.toFixed(1)} ` +
  `and ${webhooks.p99.toFixed(1)}; ${busy.toFixed(2)} processors busy)`;

function quantiles(times: number[]): Quantiles {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Starts an endpoint that stores when the webhook of each sample arrived, by the time of the sample. */
async function startEndpoint() {
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
    /** Waits for the webhooks of all sent samples, and returns the delay of each. Throws after a minute. */
    delaysOf: async (sent: Map<string, number>): Promise<number[]> => {
      for (let ms = 0; [...sent.keys()].some((at) => !arrived.has(at)); ms += 20) {
        if (ms > 60_000) throw new Error('A webhook did not arrive within a minute.');
        await wait(20);
      }
      return [...sent].map(([at, begin]) => (arrived.get(at) as number) - begin);
    },
    close: () => server.close(),
  };
}
