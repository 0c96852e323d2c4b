import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import type { Requirements } from './schemas.ts';

/**
 * Returns the scopes that the team has chosen, by provider. The result has no entry for a provider for which the team
 * has chosen none.
 */
export async function listRequirements(
  { db, team }: TeamCtx,
  provider: string | null,
): Promise<Static<typeof Requirements>['requirements']> {
  return db
    .selectFrom('scope_requirements')
    .select(['user_must_grant', 'user_may_grant', 'team_id', 'provider'])
    .where('team_id', '=', team.id)
    .$if(provider !== null, (query) => query.where('provider', '=', provider as string))
    .orderBy('provider')
    .execute();
}
