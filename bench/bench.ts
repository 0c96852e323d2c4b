import { benchFairness } from './fairness.ts';
import { benchInsurance } from './insurance.ts';
import { benchMemory } from './memory.ts';
import { benchOrders } from './orders.ts';
import { benchStartup } from './startup.ts';

const WITHOUT_WALLS = '--without-row-level-security';

const BENCHMARKS: Record<string, (options: { walls: boolean }) => Promise<boolean>> = {
  startup: benchStartup,
  memory: benchMemory,
  insurance: benchInsurance,
  orders: benchOrders,
  fairness: benchFairness,
};

/** Runs the benchmarks named, or all; `--without-row-level-security` is heard by `insurance`. The exit code is 1 where a goal is missed. */
export async function bench(words: string[]): Promise<number> {
  const walls = !words.includes(WITHOUT_WALLS);
  const names = words.filter((word) => word !== WITHOUT_WALLS);
  const unknown = names.filter((name) => !(name in BENCHMARKS));
  if (unknown.length > 0) {
    console.error(`There is no benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}.`);
    return 2;
  }
  let missed = 0;
  for (const [name, run] of Object.entries(BENCHMARKS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    console.log(`\n== ${name}`);
    if (await run({ walls })) continue;
    console.log(`${name}: the goal is missed`);
    missed += 1;
  }
  return missed === 0 ? 0 : 1;
}
