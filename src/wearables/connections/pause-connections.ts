import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';

/**
 * Pauses connections of a team's users to a provider. A paused connection brings no data until its user connects again.
 * Returns the users whose connection was paused. Skips users without a connection, and connections in error.
 */
export async function pauseConnections(ctx: TeamCtx, provider: string, userIds: string[]): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    with locked as (
      -- Imports lock rows in the same order. Otherwise two transactions could wait for each other.
      select connections.user_id from connections join users on users.id = connections.user_id
       where connections.team_id = ${ctx.team.id} and connections.provider = ${provider}
         and connections.user_id = any (${userIds}::uuid[]) and connections.status in ('connected', 'paused')
         and users.deleted_at is null
       order by connections.user_id for update of connections
    )
    update connections set status = 'paused', updated_at = now()
      from locked
     where connections.user_id = locked.user_id and connections.provider = ${provider}
       and connections.team_id = ${ctx.team.id}
    returning connections.user_id`.execute(ctx.db);
  return rows.map(({ user_id }) => user_id);
}
