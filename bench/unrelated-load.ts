// The cost for a measured service of sharing its processors, whatever it shares them with.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const BUSY_PROCESSES = 2;
/** USER_HZ is 100 on every Linux. */
const SECONDS_PER_TICK = 0.01;

/**
 * Starts to measure. The returned function gives the average number of busy processors since then, busy with any
 * process.
 */
export function measureBusy(): () => number {
  const begin = { at: performance.now(), busy: busySeconds() };
  return () => (busySeconds() - begin.busy) / ((performance.now() - begin.at) / 1000);
}

/** Runs `work` beside processes that keep `processors` (1.5: one and a half) busy without the service. */
export async function besideUnrelatedLoad<T>(processors: number, work: () => Promise<T>): Promise<T> {
  const share = Math.min(0.9, Math.max(0.01, processors / BUSY_PROCESSES));
  const busyProcesses = Array.from({ length: BUSY_PROCESSES }, () =>
    // Its own session, like the service has: Linux shares processors among sessions.
    fork(join(import.meta.dirname, 'unrelated-load-worker.js'), [String(share)], { detached: true }),
  );
  try {
    return await work();
  } finally {
    for (const busyProcess of busyProcesses) busyProcess.disconnect();
    await Promise.all(busyProcesses.map((busyProcess) => once(busyProcess, 'exit')));
  }
}

/** The time of all processors together since the start of the machine, except idle time and waits for the disk. */
function busySeconds(): number {
  const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8')
    .split(/\s+/)
    .slice(1, 8)
    .map(Number);
  return [user, nice, system, irq, softirq].reduce<number>((sum, ticks) => sum + (ticks ?? 0), 0) * SECONDS_PER_TICK;
}
