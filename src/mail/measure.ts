import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import type { Metrics } from '../http/metrics.ts';

const COUNTED = 10_000;

/** How many mails wait to be sent, and for how long the first of them has. `db` sees all organisations. */
export async function measureMails(db: Db, { mails }: Pick<Metrics, 'mails'>): Promise<void> {
  const { rows } = await sql<{ waiting: number; seconds: number }>`
    select count(*)::float8 as waiting, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as seconds
      from (select created_at from mails where content is not null and expires_at > now() limit ${COUNTED}) as waiting`.execute(
    db,
  );
  mails.waiting.set(rows[0]?.waiting ?? 0);
  mails.oldestWaitingSeconds.set(rows[0]?.seconds ?? 0);
}
