import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';

const ENDED_WITHIN_MS = 1000;

/**
 * Ends a pool and waits until its connections have ended, for a second at most. A pool calls itself ended once it has
 * asked them to; who stops PostgreSQL next would break them off.
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
