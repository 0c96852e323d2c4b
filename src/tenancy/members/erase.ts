import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';

/**
 * Removes the team from the bindings of members and invites. They stay bound to their other teams. If they have no
 * other team, their role becomes no_role.
 */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string; org_id: string }): Promise<void> {
  for (const table of ['org_members', 'org_invites']) {
    await sql`
      update ${sql.table(table)}
         set role = case when team_ids = array[${team.id}::uuid] then 'no_role' else role end,
             team_ids = nullif(array_remove(team_ids, ${team.id}::uuid), '{}')
       where org_id = ${team.org_id} and ${team.id}::uuid = any (team_ids)`.execute(db);
  }
}
