import { sql } from 'kysely';
import type { Db } from '../db/open-database.ts';
import type { Metrics } from '../metrics.ts';
import { GRACE_DAYS } from '../users/delete.ts';
import { dueForErasure } from '../users/erase.ts';

const COUNTED = 10_000;

/**
 * Measures how many deletions are due but not done, and how long the oldest has been due. We do not know that time for
 * users whose erasure has begun. `db` must be able to read all teams. Rows of `team_deletions` stay for a year after
 * the erasure, so we count only those without an end.
 */
export async function measureErasures(db: Db, { erasures }: Pick<Metrics, 'erasures'>): Promise<void> {
  const { rows } = await sql<{ of: string; due: number; seconds: number }>`
    select 'users' as of, count(*)::float8 as due,
           coalesce(extract(epoch from now() - make_interval(days => ${GRACE_DAYS})
                                       - min(nullif(deleted_at, '-infinity'))), 0)::float8
             as seconds
      from (select deleted_at from users where ${dueForErasure} order by deleted_at limit ${COUNTED}) as due
    union all
    select 'teams', count(*)::float8, coalesce(extract(epoch from now() - min(requested_at)), 0)::float8
      from (select requested_at from team_deletions where ended_at is null limit ${COUNTED}) as due`.execute(db);
  for (const { of, due, seconds } of rows) {
    erasures.due.set({ of }, due);
    erasures.oldestDueSeconds.set({ of }, seconds);
  }
}
