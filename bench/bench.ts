import { benchAggregates } from './aggregates.ts';
import { benchBackfill } from './backfill.ts';
import { benchClaim } from './delivery/claim.ts';
import { benchDeliver, benchDeliverMany } from './delivery/deliver.ts';
import { benchHanging } from './delivery/hanging.ts';
import { benchKills } from './delivery/kills.ts';
import { benchLatency } from './delivery/latency.ts';
import { benchPaused } from './delivery/paused.ts';
import { benchReplay } from './delivery/replay.ts';
import { benchWorkers } from './delivery/workers.ts';
import { benchDashboard } from './dashboard.ts';
import { benchFairShares } from './fair-shares.ts';
import { benchFairness } from './fairness.ts';
import { benchImport } from './import.ts';
import { benchInsurance } from './insurance.ts';
import { benchMemory } from './memory.ts';
import { benchOrders } from './orders.ts';
import { benchOrdersList } from './orders-list.ts';
import { describeRun, record, takeMeasured } from './judge.ts';
import { benchSamples } from './samples.ts';
import { benchStartup } from './startup.ts';

const WITHOUT_POLICIES = '--without-row-level-security';
const QUICK = '--quick';
const GIGABYTES = '--import-gigabytes=';
/** Appends the figures to bench/results.csv, and draws the picture again. */
const RECORD = '--record';

type Options = {
  policies: boolean;
  /** The size of the imported export. Null means a million records. */
  gigabytes: number | null;
  /**
   * A smaller run of the delivery benchmarks, `orders-list`, `dashboard` and `fairness`, to check that they work. Its
   * figures mean little. Of `fairness`, it runs only fair-shares.ts.
   */
  quick: boolean;
};

const BENCHMARKS: Record<string, (options: Options) => Promise<boolean>> = {
  startup: benchStartup,
  memory: benchMemory,
  insurance: benchInsurance,
  orders: benchOrders,
  'orders-list': benchOrdersList,
  dashboard: benchDashboard,
  samples: benchSamples,
  aggregates: benchAggregates,
  backfill: benchBackfill,
  import: benchImport,
  fairness: async ({ quick }) =>
    [await benchFairShares(quick ? 'quick' : 'full'), quick || (await benchFairness())].every(Boolean),
  deliver: benchDeliver,
  'deliver-many': benchDeliverMany,
  claim: benchClaim,
  latency: benchLatency,
  hanging: benchHanging,
  paused: benchPaused,
  workers: benchWorkers,
  kills: benchKills,
  replay: benchReplay,
};

/**
 * Runs the named benchmarks, or all. `insurance` reads `--without-row-level-security`, and `import` reads
 * `--import-gigabytes=4`. The delivery benchmarks, `orders-list`, `dashboard` and `fairness` read `--quick`. `--record`
 * appends the figures to bench/results.csv and draws the picture again. Returns the exit code: 1 if a goal is missed, 2
 * for an unknown name.
 */
export async function bench(words: string[]): Promise<number> {
  const policies = !words.includes(WITHOUT_POLICIES);
  const gigabytes = words.find((word) => word.startsWith(GIGABYTES))?.slice(GIGABYTES.length);
  const isFlag = (word: string): boolean =>
    [WITHOUT_POLICIES, QUICK, RECORD].includes(word) || word.startsWith(GIGABYTES);
  const names = words.filter((word) => !isFlag(word));
  const changed = words.filter((word) => isFlag(word) && word !== RECORD);
  const quick = words.includes(QUICK);
  const unknown = names.filter((name) => !(name in BENCHMARKS));
  if (unknown.length > 0) {
    console.error(`There is no benchmark ${unknown.join(', ')}. There are ${Object.keys(BENCHMARKS).join(', ')}.`);
    return 2;
  }
  let missed = 0;
  for (const [name, run] of Object.entries(BENCHMARKS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    console.log(`\n== ${name}`);
    const described = words.includes(RECORD) ? describeRun() : null;
    const reached = await run({ policies, gigabytes: gigabytes === undefined ? null : Number(gigabytes), quick });
    const measured = takeMeasured();
    if (described) record([name, ...changed].join(' '), described, measured);
    if (reached) continue;
    console.log(`${name}: the goal is missed`);
    missed += 1;
  }
  return missed === 0 ? 0 : 1;
}
