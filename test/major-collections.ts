import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * How often V8 collected the old generation while `work` ran: hardly ever if all its objects die young. Objects from
 * before are in the old generation already.
 */
export async function countMajorCollections(work: () => Promise<void>): Promise<number> {
  let collections = 0;
  const count = (entries: PerformanceEntry[]): void => {
    for (const { detail } of entries as unknown as { detail: { kind: number } }[])
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections += 1;
  };
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const observer = new PerformanceObserver((list) => count(list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  await work();
  count(observer.takeRecords());
  observer.disconnect();
  return collections;
}
