import { setTimeout as wait } from 'node:timers/promises';
import type { Ctx } from '../context.ts';
import { AppError } from '../errors.ts';
import { findMissingKeys } from '../privacy/processes.ts';

const DATABASE_TIMEOUT_MS = 2_000;

/**
 * Throws if the process is stopping, if the database does not respond in time or cannot write, or if an encryption key
 * is missing.
 */
export async function requireReady({ db, reserved, cipher, stopping, outOfSpace }: Ctx): Promise<void> {
  if (stopping?.aborted) throw new AppError('not_ready', 'The service is stopping.');
  // A process that is busy with requests is still ready. So this query uses a reserved connection and does not wait for
  // requests.
  const missing = await askInTime(askOnce(reserved ?? db, cipher));
  if (missing === null) throw new AppError('not_ready', 'The database does not answer.');
  if (missing.length > 0) {
    const versions = missing.join(', ');
    throw new AppError(
      'encryption_key_unknown',
      `Personal data is sealed under encryption key version ${versions}, which this process does not have.`,
    );
  }
  if (outOfSpace?.()) throw new AppError('not_ready', 'The disk of the database has no space left.');
}

/** The running query. All checks at the same time share it, and together use one reserved connection. */
const underWay = new WeakMap<Ctx['cipher'], Promise<number[]>>();

function askOnce(db: Ctx['db'], cipher: Ctx['cipher']): Promise<number[]> {
  const known = underWay.get(cipher);
  if (known) return known;
  const question = findMissingKeys(db, cipher).finally(() => underWay.delete(cipher));
  underWay.set(cipher, question);
  return question;
}

/** Waits for the query. Returns null if the database does not respond in time. */
async function askInTime<T>(question: Promise<T>): Promise<T | null> {
  const answered = new AbortController();
  const late = wait(DATABASE_TIMEOUT_MS, null, { signal: answered.signal }).catch(() => null);
  const answer = await Promise.race([question.catch(() => null), late]);
  answered.abort();
  return answer;
}
