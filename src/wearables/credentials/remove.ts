import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { ManagementCtx } from '../../context.ts';
import { refuseUnbound } from '../../tenancy/teams/find.ts';
import type { RemovedCredentials } from './schemas.ts';

/**
 * Deletes credentials of teams of the caller's organisation. Returns all other ids as not found. Existing connections
 * still need the application that made them. So such an application is only retired: it makes no new connections.
 */
export async function removeCredentials(ctx: ManagementCtx, ids: string[]): Promise<Static<typeof RemovedCredentials>> {
  const found = await ctx.db
    .selectFrom('team_credentials')
    .innerJoin('teams', 'teams.id', 'team_credentials.team_id')
    .select(['team_credentials.id', 'team_id'])
    .where('team_credentials.org_id', '=', ctx.org.id)
    .where('retired_at', 'is', null)
    .where('teams.deleted_at', 'is', null)
    .where(sql<boolean>`team_credentials.id = any (${ids}::uuid[])`)
    .execute();
  refuseUnbound(
    ctx,
    found.map(({ team_id }) => team_id),
  );
  const success = found.map(({ id }) => id);
  if (success.length > 0) {
    await ctx.db
      .updateTable('team_credentials')
      .set({ retired_at: sql<string>`now()` })
      .where('org_id', '=', ctx.org.id)
      .where(sql<boolean>`id = any (${success}::uuid[])`)
      .execute();
  }
  return { success, failure: [], not_found: [...new Set(ids)].filter((id) => !success.includes(id)) };
}
