/** Which part of a second's deliveries may go at once: it makes good what a busy process let pass. */
const AT_ONCE = 0.05;

/**
 * The rate of a receiver: in no second, wherever it begins, do more deliveries begin than it allows (the generic cell rate
 * algorithm). They are spaced for that, and nothing that was saved up before a lane changed hands is spent after it: its new
 * owner does not know when the one before began with something last, so it begins one interval after it first looks.
 */
export class Rate {
  /** When everything begun so far would have been allowed one by one. */
  #spentUntil: number | null = null;
  /** Nothing is begun before it. */
  startsAt = 0;

  /** Whether something may begin now; null is no limit. */
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

  /** Something begins. */
  take(now: number, perSecond: number | null): void {
    if (perSecond === null) return;
    const { interval, tolerance } = spacing(perSecond);
    this.#spentUntil = Math.max(this.#spentUntil ?? 0, now) + interval;
    this.startsAt = this.#spentUntil - tolerance;
  }
}

/** What may go at once and what then goes an interval apart are together no more than the rate. */
function spacing(perSecond: number): { interval: number; tolerance: number } {
  const more = Math.floor(perSecond * AT_ONCE);
  const interval = 1000 / (perSecond - more);
  return { interval, tolerance: more * interval };
}
