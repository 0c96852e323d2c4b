import type { TeamCtx, TxCtx } from '../context.ts';
import type { Origin } from '../events/origin.ts';
import { inTransaction } from '../db/transaction.ts';
import { lockName, lockNameAhead } from '../db/session/named-lock.ts';
import { findUser, type UserRow } from '../users/find.ts';

/** Of a transaction that writes what came in of a user, as the only one, and tells of it by how it came. */
export type Writer = TxCtx<TeamCtx> & { origin: Origin };

/**
 * Writes what came in of a user as the only one who does, and as the user is then: who was deleted meanwhile gets nothing more.
 * In the caller's transaction, or in one of its own. Throws what findUser throws.
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
 * Lets one transaction at a time write what came in of a user, until it commits. A push and a piece of a pull or of a file do so
 * before they lock connections, summaries and streams, in orders of their own, which would be a circle; and an erasure that
 * does not wait for a push under way would leave its rows behind. What is locked before says whether the work is to be done: by
 * a piece of a file its user's row and then its import's, by an erasure the user's row or the ended agreement. The last step of
 * a user's erasure has locked connections too by then: of who is deleted `asWriter` writes nothing any more.
 */
export async function becomeWriter({ db, team }: TxCtx<TeamCtx>, userId: string): Promise<void> {
  await lockName(db, 'writer', team.id, userId);
}
