// Kills one of two workers at random again and again while events are published. Nothing may be lost, only running
// deliveries may arrive twice, and the deliveries of the killed one must continue within its lease.
import { setTimeout as wait } from 'node:timers/promises';
import { LEASE_SECONDS } from '../../src/delivery/queues/queue-leases.ts';
import { judge } from '../judge.ts';
import { publishTo, type Endpoint } from './generator.ts';
import { monotonicNow } from './sink.ts';
import { onStage, type Program, type Stage } from './stage.ts';

const WORKERS = 2;
const ENDPOINTS = 100;
const EVENTS_A_SECOND = 200;
const BETWEEN_KILLS_MS = { least: 100, most: 700 };
/** The time in which a worker finds a free queue. It looks each second, and may be killed while it takes the queue. */
const POLLS_MS = 3_000;
const ON_ITS_WAY_MS = 20;

type Size = { kills: number };
const WHOLE: Size = { kills: 100 };
const QUICK: Size = { kills: 8 };

/** Returns true if the goal is reached. */
export const benchKills = ({ quick }: { quick: boolean }): Promise<boolean> =>
  onStage((stage) => measure(stage, quick ? QUICK : WHOLE));

async function measure(stage: Stage, { kills }: Size): Promise<boolean> {
  const endpoints = await stage.endpoints(ENDPOINTS);
  const workers: Program[] = [];
  while (workers.length < WORKERS) workers.push(await stage.start('worker'));
  const load = publishUntilStopped(stage, endpoints);
  let underWay = 0;
  let longestSilenceMs = 0;
  for (let kill = 1; kill <= kills; kill += 1) {
    const { least, most } = BETWEEN_KILLS_MS;
    await wait(least + Math.random() * (most - least));
    const victim = Math.floor(Math.random() * WORKERS);
    await (workers[victim] as Program).kill();
    underWay += await countUnrecorded(stage);
    workers[victim] = await stage.start('worker');
    if (kill % 10 === 0) console.log(`${kill} kills, ${load.committed().size} events published`);
  }
  const committed = await load.stop();
  const arrivals = await untilAllCame(stage, committed.size);
  const { received, unique, verified, badSignatures } = await stage.sink.report();
  for (const [id, at] of committed) longestSilenceMs = Math.max(longestSilenceMs, (arrivals.get(id) ?? Infinity) - at);
  const lost = [...committed.keys()].filter((id) => !arrivals.has(id)).length;
  const duplicates = received - unique;
  console.log(
    `${kills} kills: ${committed.size} events published, ${unique} came, ${lost} lost, ${duplicates} twice ` +
      `(${underWay} had come and were not recorded at the kills), ${verified} signatures verified, ` +
      `${badSignatures} bad; ` +
      `the longest that one took ${(longestSilenceMs / 1_000).toFixed(1)} s (lease ${LEASE_SECONDS} s)`,
  );
  return [
    judge('events lost', lost, 'at most', 0),
    judge('events that came twice, beside what was under way', duplicates, 'at most', underWay),
    judge('seconds that the longest took', longestSilenceMs / 1_000, 'at most', LEASE_SECONDS + POLLS_MS / 1_000),
    judge('bad signatures', badSignatures, 'at most', 0),
  ].every(Boolean);
}

type Load = { committed: () => Map<string, number>; stop: () => Promise<Map<string, number>> };

/** Publishes events to the endpoints in round robin. `committed` has the time right after each commit, by event id. */
function publishUntilStopped({ ctx }: Stage, endpoints: Endpoint[]): Load {
  const committed = new Map<string, number>();
  let stopped = false;
  const publish = async (): Promise<void> => {
    for (let n = 0; !stopped; n += 1) {
      const to = endpoints[n % endpoints.length] as Endpoint;
      const [id] = await publishTo(ctx, [to]);
      committed.set(id as string, monotonicNow());
      await wait(1_000 / EVENTS_A_SECOND);
    }
  };
  const publishing = publish();
  return {
    committed: () => committed,
    stop: async () => {
      stopped = true;
      await publishing;
      return committed;
    },
  };
}

/** Counts deliveries that arrived but are not recorded: those of the killed worker, and a few of the other one. */
async function countUnrecorded({ sink, owner }: Stage): Promise<number> {
  // Bytes that the dead worker sent to the sink and to PostgreSQL are still on their way.
  await wait(ON_ITS_WAY_MS);
  const { rows } = await owner.query<{ recorded: number }>(
    `select count(*)::integer as recorded from attempts where outcome = 'succeeded'`,
  );
  return Math.max(0, (await sink.report()).unique - (rows[0]?.recorded ?? 0));
}

/** Waits until all events have arrived, for at most two leases. Returns the time of arrival by event id. */
async function untilAllCame({ sink }: Stage, events: number): Promise<Map<string, number>> {
  const deadline = performance.now() + 2 * LEASE_SECONDS * 1_000;
  while ((await sink.report()).unique < events && performance.now() < deadline) await wait(200);
  // Duplicates arrive when a worker takes over a queue. So we wait for this too.
  await wait(POLLS_MS);
  return new Map((await sink.report({ arrivals: true })).arrivals);
}
