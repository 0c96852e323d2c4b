import { sql } from 'kysely';
import type { TeamCtx } from '../context.ts';

/** How many users the team has; those scheduled for deletion are left out. It reads as much whatever their number. */
export async function countUsers({ db, team }: TeamCtx): Promise<number> {
  const { rows } = await sql<{ users: number }>`
    select (select coalesce(sum(case list when 'users' then rows else -rows end), 0)::bigint
              from totals where team_id = ${team.id} and list in ('users', 'users left out'))
         - (select count(*) from users
             where team_id = ${team.id} and deleted_at is not null and not orders_left_out) as users`.execute(db);
  return rows[0]?.users ?? 0;
}
