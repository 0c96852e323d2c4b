import { sql } from 'kysely';
import type { Db } from '../src/db/open.ts';

/**
 * Rows of these tables that the statements of `work` went through, by index or not. A connection tells PostgreSQL what it read
 * when it is asked to, so `db` has to be a pool of one, which `work` uses too.
 */
export async function rowsRead(db: Db, tables: string[], work: () => Promise<unknown>): Promise<number> {
  const count = async (): Promise<number> => {
    await sql`select pg_stat_force_next_flush()`.execute(db);
    await sql`select pg_stat_clear_snapshot()`.execute(db);
    const { rows } = await sql<{ rows: number }>`
      select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows from pg_stat_user_tables
       where relname = any (${tables})`.execute(db);
    return rows[0]?.rows ?? NaN;
  };
  const before = await count();
  await work();
  return (await count()) - before;
}
