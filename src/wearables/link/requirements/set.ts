import { sql } from 'kysely';
import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { Requirement } from './schemas.ts';

/**
 * Sets the scopes that we request from users who connect from now on. Existing connections do not change. Two empty
 * lists delete the team's choice for a provider.
 */
export function setRequirements(ctx: TeamCtx, given: [provider: string, requirement: Requirement][]): Promise<void> {
  return inTransaction(ctx, async ({ db, team }) => {
    // All calls lock rows in this order. Otherwise two calls could deadlock.
    for (const [provider, { user_must_grant, user_may_grant }] of given.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      if (user_must_grant.length + user_may_grant.length === 0) {
        await db
          .deleteFrom('scope_requirements')
          .where('team_id', '=', team.id)
          .where('provider', '=', provider)
          .execute();
        continue;
      }
      await sql`
        insert into scope_requirements (team_id, provider, user_must_grant, user_may_grant)
        values (${team.id}, ${provider}, ${user_must_grant}, ${user_may_grant})
        on conflict (team_id, provider) do update
          set user_must_grant = excluded.user_must_grant, user_may_grant = excluded.user_may_grant`.execute(db);
    }
  });
}
