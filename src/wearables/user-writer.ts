import type { TeamCtx, TxCtx } from '../context.ts';
import type { Origin } from '../events/origin.ts';
import { inTransaction } from '../db/transaction.ts';
import { lockName, lockNameAhead } from '../db/session/named-lock.ts';
import { findUser, type UserRow } from '../users/find.ts';

/**
 * A transaction that writes incoming data of one user. No other transaction writes data of this user at the same time.
 * Its events have the `origin` (events/origin.ts), for example `live`.
 */
export type Writer = TxCtx<TeamCtx> & { origin: Origin };

/**
 * Runs `write` as the only writer of a user's incoming data, with the current row of the user. Writes nothing if the
 * user has been deleted meanwhile. Uses the caller's transaction, or a new one if there is none. Throws the errors of
 * findUser.
 */
export const asWriter = <T>(
  ctx: TeamCtx,
  { user_id, origin }: { user_id: string; origin: Origin },
  write: (tx: Writer, user: UserRow) => Promise<T>,
): Promise<T> =>
  inTransaction(ctx, async (tx) => {
    await lockNameAhead(tx.db, 'writer', tx.team.id, user_id);
    return write({ ...tx, origin }, await findUser(tx, user_id));
  });

/**
 * Makes this transaction the only writer of a user's incoming data until it commits.
 *
 * Pushes, and chunks of pulls and files, call this first. Afterwards they lock connections, summaries and streams in
 * different orders, so they could deadlock if two of them wrote at the same time. An erasure calls it too, and so waits
 * for a push that is running. Otherwise the rows of that push would remain after the erasure.
 *
 * Some callers lock rows before, because these rows say whether there is work to do. A chunk of a file locks the user's
 * row and then the row of the import. An erasure locks the user's row or the ended agreement. The last step of a user's
 * erasure has also locked connections. It cannot deadlock with a push, because `asWriter` writes nothing for a deleted
 * user.
 */
export async function becomeWriter({ db, team }: TxCtx<TeamCtx>, userId: string): Promise<void> {
  await lockName(db, 'writer', team.id, userId);
}
