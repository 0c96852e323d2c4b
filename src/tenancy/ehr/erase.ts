import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';

/** Who may open the team opens their others, and links to it are gone. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string; org_id: string }): Promise<void> {
  await db.deleteFrom('ehr_sessions').where('team_id', '=', team.id).execute();
  await sql`
    update ehr_members set team_ids = nullif(array_remove(team_ids, ${team.id}::uuid), '{}')
     where org_id = ${team.org_id} and ${team.id}::uuid = any (team_ids)`.execute(db);
}

/** `ctx` works for all teams. */
export async function dropExpired({ db }: Ctx): Promise<void> {
  await db
    .deleteFrom('ehr_sessions')
    .where('expires_at', '<', sql<string>`now()`)
    .execute();
}
