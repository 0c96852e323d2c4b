import { sql } from 'kysely';
import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { Requirement } from './schemas.ts';

/**
 * What users are asked for when they connect from now on; connections that there are stay. Of a provider with two empty lists
 * the team chooses no longer.
 */
export function setRequirements(ctx: TeamCtx, given: [provider: string, requirement: Requirement][]): Promise<void> {
  return inTransaction(ctx, async ({ db, team }) => {
    // In one order, so that two calls wait for each other and not both for both.
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
