import { sql } from 'kysely';
import type { TeamCtx } from '../context.ts';

/**
 * Returns the number of users of the team, without users who are scheduled for deletion. It reads a stored total, so it
 * does not take longer for a team with more users.
 */
export async function countUsers({ db, team }: TeamCtx): Promise<number> {
  const { rows } = await sql<{ users: number }>`
    select (select coalesce(sum(case list when 'users' then rows else -rows end), 0)::bigint
              from totals where team_id = ${team.id} and list in ('users', 'users left out'))
         - (select count(*) from users
             where team_id = ${team.id} and deleted_at is not null and not orders_left_out) as users`.execute(db);
  return rows[0]?.users ?? 0;
}
