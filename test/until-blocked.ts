import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../src/db/open-database.ts';

/**
 * Returns once another connection to this database waits for a lock. That is the moment that a concurrency test needs.
 */
export async function untilBlocked(db: Db): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database()
        and cardinality(pg_blocking_pids(pid)) > 0`.execute(db);
    if (rows.length > 0) return;
    await wait(10);
  }
  throw new Error('No connection waited for a lock within 5 seconds.');
}
