import { sql } from 'kysely';
import type { Db } from '../db/open-database.ts';
import type { Metrics } from '../metrics.ts';

const COUNTED = 10_000;

/**
 * Measures how many mails wait to be sent, and how long the oldest of them has waited. `db` must have access to all
 * organisations.
 */
export async function measureMails(db: Db, { mails }: Pick<Metrics, 'mails'>): Promise<void> {
  const { rows } = await sql<{ waiting: number; seconds: number }>`
    select count(*)::float8 as waiting, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as seconds
      from (select created_at from mails where content is not null and expires_at > now()
          limit ${COUNTED}) as waiting`.execute(db);
  mails.waiting.set(rows[0]?.waiting ?? 0);
  mails.oldestWaitingSeconds.set(rows[0]?.seconds ?? 0);
}
