/**
 * The upper bounds of the buckets for durations of attempts, in milliseconds. A duration that equals a bound belongs to
 * the bucket below it. Stored counts use these buckets (delivery_tallies.durations), so the bounds must never change.
 */
const BOUNDS_MS = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10_000,
  15_000, 30_000, 60_000, 120_000,
];

export const PARTS = BOUNDS_MS.length + 1;

/** Returns the number of the bucket of a duration. */
export function partOf(ms: number): number {
  let part = 0;
  while (part < BOUNDS_MS.length && ms > (BOUNDS_MS[part] as number)) part += 1;
  return part;
}

/**
 * Returns the duration in milliseconds within which the given share of the counted attempts ended, for example 0.95.
 * Returns null if there are no attempts. It assumes that the durations in a bucket are evenly distributed, so its error
 * is smaller than the width of the bucket.
 */
export function percentile(counts: readonly number[], share: number): number | null {
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let wanted = share * all;
  for (const [part, count] of counts.entries()) {
    if (count >= wanted && count > 0) {
      const from = BOUNDS_MS[part - 1] ?? 0;
      const to = BOUNDS_MS[part] ?? from;
      return Math.round((from + (to - from) * (wanted / count)) * 10) / 10;
    }
    wanted -= count;
  }
  return BOUNDS_MS.at(-1) as number;
}
