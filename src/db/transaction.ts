import type { Ctx, TxCtx } from '../context.ts';

/** Runs `work` in the caller's transaction, or in one of its own that commits when `work` returns. */
export function inTransaction<C extends Ctx, T>(ctx: C, work: (ctx: TxCtx<C>) => Promise<T>): Promise<T> {
  if (ctx.db.isTransaction) return work(ctx as unknown as TxCtx<C>);
  return ctx.db.transaction().execute((db) => work({ ...ctx, db }));
}
