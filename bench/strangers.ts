// What it costs a measured service that its processors are shared, whatever they are shared with.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const STRANGERS = 2;
/** Of USER_HZ, which is 100 on every Linux. */
const SECONDS_PER_TICK = 0.01;

/** Begins to measure; the answer tells how many processors were busy on average since then, whoever used them. */
export function measureBusy(): () => number {
  const begin = { at: performance.now(), busy: busySeconds() };
  return () => (busySeconds() - begin.busy) / ((performance.now() - begin.at) / 1000);
}

/** Runs `work` beside processes that keep `processors` (1.5: one and a half) busy and ask nothing of the service. */
export async function besideStrangers<T>(processors: number, work: () => Promise<T>): Promise<T> {
  const share = Math.min(0.9, Math.max(0.01, processors / STRANGERS));
  const strangers = Array.from({ length: STRANGERS }, () =>
    // A session of its own, as the service has: Linux shares processors among sessions.
    fork(join(import.meta.dirname, 'stranger-worker.js'), [String(share)], { detached: true }),
  );
  try {
    return await work();
  } finally {
    for (const stranger of strangers) stranger.disconnect();
    await Promise.all(strangers.map((stranger) => once(stranger, 'exit')));
  }
}

/** Of all processors together, since the machine started: all but idle and waiting for the disk. */
function busySeconds(): number {
  const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8')
    .split(/\s+/)
    .slice(1, 8)
    .map(Number);
  return [user, nice, system, irq, softirq].reduce<number>((sum, ticks) => sum + (ticks ?? 0), 0) * SECONDS_PER_TICK;
}
