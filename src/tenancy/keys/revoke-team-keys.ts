import { sql } from 'kysely';
import type { ManagementCtx } from '../../context.ts';
import { refuseUnbound } from '../teams/find.ts';

export type RevokedKeys = { success: string[]; failure: string[]; not_found: string[] };

/**
 * Revokes API keys of teams in the caller's organisation. `not_found` of the result has the ids of unknown and of
 * already revoked keys. Throws insufficient_scope if a Team Management Key is not bound to the team of a key.
 */
export async function revokeTeamKeys(ctx: ManagementCtx, ids: string[]): Promise<RevokedKeys> {
  const found = await ctx.db
    .selectFrom('team_api_keys')
    .innerJoin('teams', 'teams.id', 'team_api_keys.team_id')
    .select(['team_api_keys.id', 'team_id'])
    .where('teams.org_id', '=', ctx.org.id)
    .where('revoked_at', 'is', null)
    .where(sql<boolean>`team_api_keys.id = any (${ids}::uuid[])`)
    .execute();
  refuseUnbound(
    ctx,
    found.map((key) => key.team_id),
  );
  const success = found.map((key) => key.id);
  if (success.length > 0) {
    await ctx.db
      .updateTable('team_api_keys')
      .set({ revoked_at: sql`now()` })
      .where(sql<boolean>`id = any (${success}::uuid[])`)
      .execute();
  }
  return { success, failure: [], not_found: ids.filter((id) => !success.includes(id)) };
}
