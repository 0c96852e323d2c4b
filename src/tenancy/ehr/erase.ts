import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';

/**
 * Removes the team from the team bindings of EHR members (people of an electronic health record system). They stay
 * bound to their other teams.
 */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string; org_id: string }): Promise<void> {
  await sql`
    update ehr_members set team_ids = nullif(array_remove(team_ids, ${team.id}::uuid), '{}')
     where org_id = ${team.org_id} and ${team.id}::uuid = any (team_ids)`.execute(db);
}
