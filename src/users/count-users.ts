import { sql } from 'kysely';
import type { TeamCtx } from '../context.ts';
import { IS_NOT_SUBTRACTED, isOfList, signedRows } from '../totals/leaving-users.ts';

/**
 * Returns the number of users of the team, without users who are scheduled for deletion. It reads a stored total, so it
 * does not take longer for a team with more users.
 */
export async function countUsers({ db, team }: TeamCtx): Promise<number> {
  const { rows } = await sql<{ users: number }>`
    select (select coalesce(sum(${sql.raw(signedRows('users'))}), 0)::bigint
              from totals where team_id = ${team.id} and ${sql.raw(isOfList('users'))})
         - (select count(*) from users
             where team_id = ${team.id} and ${sql.raw(IS_NOT_SUBTRACTED)}) as users`.execute(db);
  return rows[0]?.users ?? 0;
}
