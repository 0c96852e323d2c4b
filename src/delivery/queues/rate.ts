/**
 * The share of the deliveries of one second that may start at the same moment. A busy process may start nothing for a
 * moment, and then starts these deliveries together.
 */
const AT_ONCE = 0.05;

/**
 * The rate limit of an endpoint (generic cell rate algorithm). In any period of one second, at most the allowed number
 * of deliveries start. A new owner of a queue does not know when the former owner last started a delivery. So it
 * assumes that the rate is used up, and starts its first delivery one interval after its first check.
 */
export class Rate {
  /**
   * The earliest time of the next delivery if each delivery must start one interval after the previous delivery (the
   * "theoretical arrival time" of the algorithm). Null before the first check.
   */
  #spentUntil: number | null = null;
  /** No delivery may start before this time. */
  startsAt = 0;

  /** Returns true if a delivery may start now. A rate of null means no limit. */
  allows(now: number, perSecond: number | null): boolean {
    if (perSecond === null) {
      this.startsAt = 0;
      return true;
    }
    const { interval, tolerance } = spacing(perSecond);
    this.#spentUntil ??= now + tolerance + interval;
    this.startsAt = this.#spentUntil - tolerance;
    return now >= this.startsAt;
  }

  /** Call it when a delivery starts. */
  take(now: number, perSecond: number | null): void {
    if (perSecond === null) return;
    const { interval, tolerance } = spacing(perSecond);
    this.#spentUntil = Math.max(this.#spentUntil ?? 0, now) + interval;
    this.startsAt = this.#spentUntil - tolerance;
  }
}

/**
 * Returns the interval between two deliveries and the tolerance that allows some to start at the same moment. Together
 * they allow no more deliveries per second than the rate.
 */
function spacing(perSecond: number): { interval: number; tolerance: number } {
  const more = Math.floor(perSecond * AT_ONCE);
  const interval = 1000 / (perSecond - more);
  return { interval, tolerance: more * interval };
}
