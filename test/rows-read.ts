import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../src/db/open.ts';

/**
 * Rows of these tables that the statements of `work` went through, by index or not. A connection tells PostgreSQL what it read
 * when it is asked to, so `db` has to be a pool of one, which `work` uses too.
 */
export const rowsRead = (db: Db, tables: string[], work: () => Promise<unknown>): Promise<number> =>
  counted(
    db,
    sql`select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as count from pg_stat_user_tables
         where relname = any (${tables})`,
    work,
  );

/** As rowsRead, the pages of their indexes: what an index is searched for and has not is no row. */
export const indexPagesRead = (db: Db, tables: string[], work: () => Promise<unknown>): Promise<number> =>
  counted(
    db,
    sql`select sum(idx_blks_read + idx_blks_hit)::integer as count from pg_statio_user_tables where relname = any (${tables})`,
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
