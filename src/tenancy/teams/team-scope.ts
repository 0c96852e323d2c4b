import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';
import { boundToTeam } from '../../db/session/bind.ts';

/**
 * Returns the context that an API key of the team would have. Its database connection has access only to the rows of
 * the team.
 */
export const forTeam = <C extends Ctx | TxCtx>(ctx: C, team: TeamCtx['team']): C & Pick<TeamCtx, 'team'> => ({
  ...boundToTeam(ctx, team.id),
  team,
});

/** Returns a team for the context of a background job (see forTeam). Returns null if the team is deleted. */
export async function findTeamScopeOrNull(
  ctx: Pick<Ctx | TxCtx, 'db'>,
  teamId: string,
): Promise<TeamCtx['team'] | null> {
  const team = await boundToTeam(ctx, teamId)
    .db.selectFrom('teams')
    .select(['id', 'org_id', 'settings'])
    .where('id', '=', teamId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return team ? { ...team, settings: team.settings as TeamCtx['team']['settings'] } : null;
}
