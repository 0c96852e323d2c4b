import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { dropSampleHours } from './count-samples.ts';

/**
 * Each database backend (a connection's process) counts in rows of its own. This function adds the rows of ended
 * backends to those of backend 0, so each total stays a sum of a few rows. Triggers, and the job in
 * subtract-leaving-users.ts, write all other rows of `totals`, except the hours of count-samples.ts, which are deleted
 * after two days. The totals of a team are deleted together with the
 * team's row.
 */
export async function dropExpired({ db }: Ctx): Promise<void> {
  await dropSampleHours.execute(db);
  await sql`
    with ended as (
      delete from totals where backend <> 0 and backend not in (select pid from pg_stat_activity)
      returning team_id, list, part, rows
    )
    insert into totals (team_id, list, part, backend, rows)
    select team_id, list, part, 0, sum(rows) from ended group by team_id, list, part order by team_id, list, part
        on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows`.execute(db);
}
