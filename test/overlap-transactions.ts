import type { Db, Tx } from '../src/db/open-database.ts';
import { untilBlocked } from './until-blocked.ts';

/**
 * Returns the outcome of `second`, which begins while the transaction of `first` is open and waits until that has
 * committed.
 */
export async function overlapTransactions<T>(
  db: Db,
  first: (tx: Tx) => Promise<unknown>,
  second: () => Promise<T>,
): Promise<T> {
  const waiting = await db.transaction().execute(async (tx) => {
    await first(tx);
    const begun = { second: second() };
    await untilBlocked(db);
    return begun;
  });
  return waiting.second;
}
