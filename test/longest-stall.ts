import { slowness } from './slowness.ts';

/**
 * The longest time for which this process let nothing else run during `work`, in milliseconds of a usual machine. A
 * busy machine lengthens such times, and threads beside ours add processor time. So each counts with the smaller of its
 * duration and its processor time.
 */
export async function longestStall(work: () => Promise<unknown>): Promise<number> {
  let [longest, last] = [0, readClocks()];
  const look = (): void => {
    const now = readClocks();
    longest = Math.max(longest, Math.min(now.elapsedMs - last.elapsedMs, now.usedMs - last.usedMs));
    last = now;
  };
  // A timer lets the process sleep while the database works. A loop of setImmediate would not.
  const timer = setInterval(look, 2);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  look();
  return longest / slowness();
}

function readClocks(): { elapsedMs: number; usedMs: number } {
  const { user, system } = process.cpuUsage();
  return { elapsedMs: performance.now(), usedMs: (user + system) / 1_000 };
}
