import type { CompiledQuery, QueryExecutorProvider } from 'kysely';
import type { Ctx, TxCtx } from '../context.ts';
import type { Tx } from './open-database.ts';
import type { ScopedConnection } from './session/scoped-connection.ts';

/** A query of the query builder, or an sql template. */
type Compilable = { compile: (db: QueryExecutorProvider) => CompiledQuery };

/** Runs `work` in the caller's transaction. If there is none, begins a transaction that commits when `work` returns. */
export function inTransaction<C extends Ctx, T>(ctx: C | TxCtx<C>, work: (ctx: TxCtx<C>) => Promise<T>): Promise<T> {
  if (ctx.db.isTransaction) return work(ctx as TxCtx<C>);
  return ctx.db.transaction().execute((db) => work({ ...ctx, db }));
}

/**
 * Sends a statement together with the next statement of the transaction, or with its commit. So it needs no round trip
 * of its own. We ignore its result. If it fails, the next statement and the transaction fail too. Its text must always
 * be the same.
 */
export const sendWithNext = (db: Tx, statement: Compilable): Promise<void> => {
  const query = statement.compile(db);
  return db.getExecutor().provideConnection(async (connection) => (connection as ScopedConnection).sendWithNext(query));
};

/**
 * Sends a statement together with the commit, so it needs no round trip of its own. Either both succeed or neither. A
 * transaction can have one such statement. On every connection, `name` belongs to this `text`.
 */
export const runAtCommit = (
  ctx: TxCtx,
  statement: { name: string; text: string; values: (string | null)[] },
): Promise<void> =>
  ctx.db
    .getExecutor()
    .provideConnection(async (connection) => (connection as ScopedConnection).session.runAtCommit(statement));
