import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';

const ENDED_WITHIN_MS = 1000;

/**
 * Ends a pool and waits until its connections have closed, for at most a second. pg reports the end of a pool before
 * its connections have closed. If the caller stopped PostgreSQL at that moment, these connections would break with an
 * error.
 */
export async function endPool(pool: pg.Pool, end: () => Promise<void> = () => pool.end()): Promise<void> {
  const ended = everyConnectionEnded(pool);
  await end();
  const patience = new AbortController();
  await Promise.race([ended, wait(ENDED_WITHIN_MS, undefined, { signal: patience.signal }).catch(() => undefined)]);
  patience.abort();
}

function everyConnectionEnded(pool: pg.Pool): Promise<void> {
  let left = pool.totalCount;
  if (left === 0) return Promise.resolve();
  return new Promise((resolve) => {
    pool.on('remove', () => {
      left -= 1;
      if (left === 0) resolve();
    });
  });
}
