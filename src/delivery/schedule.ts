const SECOND = 1;
const MINUTE = 60;
const HOUR = 3600;

/** Seconds before each attempt after the first: 8 attempts over about 28 hours. */
export const RETRY_DELAYS_SECONDS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];

const JITTER = 0.1;

/**
 * Seconds to wait after a failed attempt (the first is 1), or null after the last. A receiver's Retry-After can stretch
 * the wait up to the next interval; jitter keeps the retries of a crowd from arriving as one.
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

/** A receiver that has only failed for this long is disabled. */
export const DISABLED_AFTER_DAYS = 5;
