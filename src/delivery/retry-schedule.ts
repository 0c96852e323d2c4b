const SECOND = 1;
const MINUTE = 60;
const HOUR = 3600;

/** The seconds to wait before the second attempt, the third attempt, and so on: 8 attempts over about 28 hours. */
export const RETRY_DELAYS_SECONDS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];

const JITTER = 0.1;

/**
 * Returns the seconds to wait after a failed attempt (1 is the first). Returns null after the last attempt. A
 * Retry-After header can lengthen the wait, but not beyond the next interval of the schedule. Deliveries that failed
 * together would retry together, so the function adds a random time.
 */
export function retryDelaySeconds(
  attempt: number,
  retryAfterSeconds: number | null,
  random = Math.random(),
): number | null {
  const base = RETRY_DELAYS_SECONDS[attempt - 1];
  if (base === undefined) return null;
  const longest = Math.max(base, RETRY_DELAYS_SECONDS[attempt] ?? base);
  const wait = Math.min(Math.max(base, retryAfterSeconds ?? 0), longest);
  return wait * (1 + JITTER * random);
}

/** An endpoint is disabled after it has failed for this long without a success. */
export const DISABLED_AFTER_DAYS = 5;
