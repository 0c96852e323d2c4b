import { sql } from 'kysely';
import { setTimeout as wait } from 'node:timers/promises';
import type { Ctx } from '../context.ts';
import type { Db } from '../db/open.ts';
import { AppError } from '../errors.ts';

const DATABASE_TIMEOUT_MS = 2_000;

/** Throws not_ready while the process stops, and where the database does not answer in time or cannot write. */
export async function requireReady({ db, stopping, outOfSpace }: Ctx): Promise<void> {
  if (stopping?.aborted) throw new AppError('not_ready', 'The service is stopping.');
  if (!(await answersInTime(db))) throw new AppError('not_ready', 'The database does not answer.');
  if (outOfSpace?.()) throw new AppError('not_ready', 'The disk of the database has no space left.');
}

async function answersInTime(db: Db): Promise<boolean> {
  const answered = new AbortController();
  const late = wait(DATABASE_TIMEOUT_MS, false, { signal: answered.signal }).catch(() => false);
  const query = sql`select 1`.execute(db).then(
    () => true,
    () => false,
  );
  const ready = await Promise.race([query, late]);
  answered.abort();
  return ready;
}
