import type { TeamCtx, TxCtx } from '../context.ts';
import type { Origin } from '../events/origin.ts';
import { inTransaction } from '../db/transaction.ts';
import { lockName, lockNameAhead } from '../db/session/named-lock.ts';
import { findUser, type UserRow } from '../users/find.ts';

/**
 * A transaction that writes incoming data of one user. No other transaction writes data of that user at the same time.
 * Events contain `origin`, which states whether the data is live or a backfill.
 */
export type Writer = TxCtx<TeamCtx> & { origin: Origin };

/**
 * Runs `write` as the only writer of a user's incoming data, with the present row of the user. Writes nothing if the
 * user has been deleted meanwhile. It uses the caller's transaction, or a new one if the caller has none. Throws the
 * errors of findUser.
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
 * Makes this transaction the only one that writes incoming data of a user, until it commits.
 *
 * Pushes and chunks of pulls or files call this before they lock connections, summaries and streams. They lock these in
 * different orders, so without this they could deadlock. An erasure calls it too, so that it waits for a running push.
 * Otherwise the rows of that push would stay after the erasure.
 *
 * Some rows are locked before, because they state whether there is work to do. A chunk of a file locks the user's row
 * and then the row of the import. An erasure locks the user's row or the ended agreement. The last step of a user's
 * erasure has also locked connections before. This is safe, because `asWriter` writes nothing for a deleted user.
 */
export async function becomeWriter({ db, team }: TxCtx<TeamCtx>, userId: string): Promise<void> {
  await lockName(db, 'writer', team.id, userId);
}
