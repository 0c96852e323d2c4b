import { sql } from 'kysely';
import type { TeamsCtx } from '../../../context.ts';

/** Deletes the preferences of these teams, for these providers or for all, so that the defaults apply again. */
export async function removePreferences(ctx: TeamsCtx, teams: string[], providers: string[]): Promise<void> {
  await sql`
    delete from data_pull_preferences
     where org_id = ${ctx.org.id} and team_id = any (${teams}::uuid[])
       and (${providers.length} = 0 or provider = any (${providers}::text[]))`.execute(ctx.db);
}
