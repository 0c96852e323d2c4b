import { benchInsurance } from './insurance.ts';
import { benchMemory } from './memory.ts';
import { benchOrders } from './orders.ts';
import { benchStartup } from './startup.ts';

const BENCHMARKS: Record<string, () => Promise<boolean>> = {
  startup: benchStartup,
  memory: benchMemory,
  insurance: benchInsurance,
  orders: benchOrders,
};

/** Runs the benchmarks named, or all. The exit code is 1 where a goal is missed. */
export async function bench(names: string[]): Promise<number> {
  const unknown = names.filter((name) => !(name in BENCHMARKS));
  if (unknown.length > 0) {
    console.error(`There is no benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}.`);
    return 2;
  }
  let missed = 0;
  for (const [name, run] of Object.entries(BENCHMARKS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    console.log(`\n== ${name}`);
    if (await run()) continue;
    console.log(`${name}: the goal is missed`);
    missed += 1;
  }
  return missed === 0 ? 0 : 1;
}
