import { sql } from 'kysely';
import type { Ctx } from '../context.ts';

/**
 * Folds the counts of backends that have ended into those of backend 0, so that a total stays a sum over few rows.
 * Triggers and the job of leave-out.ts write everything else of `totals`. Totals of a team go with its row.
 */
export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`
    with ended as (
      delete from totals where backend <> 0 and backend not in (select pid from pg_stat_activity)
      returning team_id, list, part, rows
    )
    insert into totals (team_id, list, part, backend, rows)
    select team_id, list, part, 0, sum(rows) from ended group by team_id, list, part order by team_id, list, part
        on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows`.execute(db);
}
