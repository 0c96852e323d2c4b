import type { CompiledQuery, QueryExecutorProvider } from 'kysely';
import type { Ctx, TxCtx } from '../context.ts';
import type { Tx } from './open.ts';
import type { ScopedConnection } from './session/connection.ts';

/** A query of the builder, or an sql template. */
type Compilable = { compile: (db: QueryExecutorProvider) => CompiledQuery };

/** Runs `work` in the caller's transaction, or in one of its own that commits when `work` returns. */
export function inTransaction<C extends Ctx, T>(ctx: C | TxCtx<C>, work: (ctx: TxCtx<C>) => Promise<T>): Promise<T> {
  if (ctx.db.isTransaction) return work(ctx as TxCtx<C>);
  return ctx.db.transaction().execute((db) => work({ ...ctx, db }));
}

/**
 * Has a statement travel with the next one of the transaction, or with its commit, which costs no round trip: what it answers is
 * read by nobody, and where it fails, so does the statement that it travels with, and the transaction. Its text is always the same.
 */
export const runAhead = (db: Tx, statement: Compilable): Promise<void> => {
  const query = statement.compile(db);
  return db.getExecutor().provideConnection(async (connection) => (connection as ScopedConnection).runAhead(query));
};

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
