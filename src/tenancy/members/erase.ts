import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';

/** Who managed the team manages their others; a member without any has no role, and an invite to it alone is one to none. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string; org_id: string }): Promise<void> {
  for (const table of ['org_members', 'org_invites']) {
    await sql`
      update ${sql.table(table)}
         set role = case when team_ids = array[${team.id}::uuid] then 'no_role' else role end,
             team_ids = nullif(array_remove(team_ids, ${team.id}::uuid), '{}')
       where org_id = ${team.org_id} and ${team.id}::uuid = any (team_ids)`.execute(db);
  }
}
