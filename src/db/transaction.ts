import type { Ctx, TxCtx } from '../context.ts';
import type { ScopedConnection } from './session/connection.ts';

/** Runs `work` in the caller's transaction, or in one of its own that commits when `work` returns. */
export function inTransaction<C extends Ctx, T>(ctx: C | TxCtx<C>, work: (ctx: TxCtx<C>) => Promise<T>): Promise<T> {
  if (ctx.db.isTransaction) return work(ctx as TxCtx<C>);
  return ctx.db.transaction().execute((db) => work({ ...ctx, db }));
}

/**
 * Has a statement travel with the commit, which costs no round trip: both succeed, or none. One a transaction.
 * `name` stands for `text` on every connection.
 */
export const runAtCommit = (
  ctx: TxCtx,
  statement: { name: string; text: string; values: (string | null)[] },
): Promise<void> =>
  ctx.db
    .getExecutor()
    .provideConnection(async (connection) => (connection as ScopedConnection).session.runAtCommit(statement));
