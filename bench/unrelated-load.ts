// Shows how much slower a service becomes because other processes use the same processors, whatever these processes do.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const BUSY_PROCESSES = 2;
/** Linux counts processor time in ticks. USER_HZ, the number of ticks in a second, is 100 on every Linux. */
const SECONDS_PER_TICK = 0.01;

/**
 * Starts to measure. The returned function returns the average number of busy processors since then, busy with any
 * process.
 */
export function measureBusy(): () => number {
  const begin = { at: performance.now(), busy: busySeconds() };
  return () => (busySeconds() - begin.busy) / ((performance.now() - begin.at) / 1000);
}

/** Runs `work` beside unrelated processes that keep `processors` busy, for example 1.5 of them. */
export async function besideUnrelatedLoad<T>(processors: number, work: () => Promise<T>): Promise<T> {
  const share = Math.min(0.9, Math.max(0.01, processors / BUSY_PROCESSES));
  const busyProcesses = Array.from({ length: BUSY_PROCESSES }, () =>
    // Each process has its own session, as the service has, because Linux shares processors among sessions.
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
