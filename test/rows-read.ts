import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../src/db/open-database.ts';

/**
 * Rows of these tables that the statements of `work` read, by index or not. A connection reports its reads to
 * PostgreSQL on request, so `db` must be a pool of one, which `work` uses too.
 */
export const rowsRead = (db: Db, tables: string[], work: () => Promise<unknown>): Promise<number> =>
  counted(
    db,
    sql`select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as count from pg_stat_user_tables
         where relname = any (${tables})`,
    work,
  );

/** Like rowsRead, for the pages of their indexes: a search in an index without a match reads no row. */
export const indexPagesRead = (db: Db, tables: string[], work: () => Promise<unknown>): Promise<number> =>
  counted(
    db,
    sql`select sum(idx_blks_read + idx_blks_hit)::integer as count from pg_statio_user_tables where relname = any
      (${tables})`,
    work,
  );

async function counted(db: Db, question: RawBuilder<unknown>, work: () => Promise<unknown>): Promise<number> {
  const count = async (): Promise<number> => {
    await sql`select pg_stat_force_next_flush()`.execute(db);
    await sql`select pg_stat_clear_snapshot()`.execute(db);
    const { rows } = await question.execute(db);
    return (rows[0] as { count: number } | undefined)?.count ?? NaN;
  };
  const before = await count();
  await work();
  return (await count()) - before;
}
