import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { boundToManagedTeam } from '../../db/session/bind.ts';

/**
 * The lab tests that were made for the team, with what they consist of (the orders of them have gone before), and its
 * name on the lists of lab accounts. An account that listed it alone is suspended: an empty list would open it to all.
 */
export async function eraseTeam(ctx: TxCtx<TeamCtx>, team: TeamCtx['team']): Promise<void> {
  await ctx.db.deleteFrom('lab_tests').where('team_id', '=', team.id).execute();
  await sql`
    update lab_accounts set team_id_allowlist = array_remove(team_id_allowlist, ${team.id}::uuid),
           status = case when cardinality(team_id_allowlist) = 1 then 'suspended' else status end
     where org_id = ${team.org_id} and ${team.id}::uuid = any (team_id_allowlist)`.execute(
    boundToManagedTeam(ctx, team).db,
  );
}
